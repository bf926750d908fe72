#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random requests, small and awkward ones: sizes around those of tiles and vectors, odd strides and paddings, mixed
layouts, types and post-ops. By hand, because a peer has faults of its own, which differ between instruction sets:

    random_requests.py COUNT SEED [KIND]... | lode-bench --time 1 --against PEER -

names results that differ. Whether a difference is ours shows on another instruction set (ONEDNN_MAX_CPU_ISA) or
another engine of ours (--other-engine ocl:0 in place of --against).
"""
import random
import sys

IMAGES = ["abcd", "acdb", "aBcd16b", "aBcd8b"]
CHANNELS = [1, 3, 8, 15, 16, 17, 32, 33, 48, 64, 70]
SIZES = [1, 2, 3, 5, 7, 8, 15, 16, 17, 24, 31, 32, 33, 47, 48, 63, 64, 65, 96, 100, 127, 129, 200]
FLOATS = ["f32", "bf16", "f16"]
COMMON = FLOATS + ["s8", "u8"]
PRODUCTS = ["f32 f32 f32", "bf16 bf16 bf16", "bf16 bf16 f32", "f16 f16 f16", "u8 s8 u8", "u8 s8 s8", "s8 s8 s8",
            "u8 s8 f32", "s8 s8 s32"]
FUNCTIONS = {"relu": (0, 0), "tanh": (0, 0), "gelu_erf": (0, 0), "gelu_tanh": (0, 0), "swish": (1, 0),
             "logistic": (0, 0), "abs": (0, 0), "clip": (-1, 2), "linear": (2, 1), "elu": (1, 0),
             "hardswish": (0.166, 0.5), "mish": (0, 0), "square": (0, 0), "exp": (0, 0)}

rng = random.Random()


def some(values, probability=0.5):
    return [v for v in values if rng.random() < probability]


def pick(values):
    return rng.choice(values)


def x(dims):
    return "x".join(map(str, dims))


def tensor(name, type_, tag):
    return f"{name}:{type_}:a:any:any::f0" if tag == "any" else f"{name}:{type_}::blocked:{tag}::f0"


NONE = "undef::undef:::"


def image():
    return [pick([1, 1, 2, 3]), pick(CHANNELS), pick([1, 2, 5, 7, 9, 14, 17, 28]), pick([1, 3, 6, 8, 13, 16, 17, 28])]


def broadcast(dims):
    return [d if rng.random() < 0.6 else 1 for d in dims]


def post_ops(ndims=4):
    ops = []
    for _ in range(rng.randint(0, 3)):
        kind = pick(["eltwise", "eltwise", "sum", "binary"])
        if kind == "eltwise":
            ops.append(pick(["eltwise_relu", "eltwise_relu:0.5:0", "eltwise_tanh", "eltwise_gelu_erf", "eltwise_abs",
                             "eltwise_logistic"]))
        elif kind == "sum" and "sum" not in ops:
            ops.append("sum")
        else:
            mask = pick([0, 2, (1 << ndims) - 1])
            ops.append(f"{pick(['binary_add', 'binary_mul', 'binary_max', 'binary_min'])}:f32:{mask}:{'abcd'[:ndims]}")
    return ["attr-post-ops:" + "+".join(ops)] if ops else []


def quantization(weights_mask, weights_zero=False):
    zero_points = "+".join(["src0:0:s32"] + some((["wei:0:s32"] if weights_zero else []) + ["dst:0:s32"]))
    return some([f"attr-scales:src0:0:f32+dst:0:f32+wei:{pick([0, weights_mask])}:f32"], 0.7) + some(
        ["attr-zero-points:" + zero_points], 0.3)


def window(axis, kernels, paddings):
    """A window along an axis, and the size that it gives."""
    kernel, stride, dilation = pick(kernels), pick([1, 1, 2, 3]), pick([0, 0, 0, 1, 2])
    padding = min(pick(paddings), kernel - 1 if len(paddings) == 2 else 3)
    size = pick([1, 3, 5, 7, 8, 13, 14, 17, 28, 31])
    extent = (kernel - 1) * (dilation + 1) + 1
    size = max(size, extent - 2 * padding)
    out = (size + 2 * padding - extent) // stride + 1
    return f"i{axis}{size}o{axis}{out}k{axis}{kernel}s{axis}{stride}d{axis}{dilation}p{axis}{padding}"


def convolution():
    src, weights, dst = pick(PRODUCTS).split()
    integer = weights == "s8"
    direction = "forward_inference" if integer else pick(
        ["forward_inference", "forward_training", "backward_data", "backward_weights"])
    if direction.startswith("backward"):
        dst = src
    depthwise = rng.random() < 0.2
    groups = pick([8, 16, 17, 24, 32, 64]) if depthwise else pick([1, 1, 1, 2, 3])
    inputs = groups * (1 if depthwise else pick([1, 3, 4, 8, 16, 17, 32, 33, 64]))
    outputs = groups * (1 if depthwise else pick([1, 2, 8, 15, 16, 31, 32, 33, 48, 64]))
    tag = pick(["any", "acdb", "abcd"] if integer else ["any", "any", "acdb", "abcd", "aBcd16b"])
    bias_type = dst if direction == "backward_weights" else "f32"
    bias = NONE if direction == "backward_data" or rng.random() < 0.5 else f"{bias_type}::blocked:a::f0"
    memory = [tensor("src", src, tag), tensor("wei", weights, pick(["any", "any", "abcde" if groups > 1 else "abcd"])),
              "bia:" + bias, tensor("dst", dst, tag)]
    attributes = quantization(3 if groups > 1 else 1) if integer else []
    if direction.startswith("forward"):
        attributes += post_ops()
    shape = (f"g{groups}" if groups > 1 else "") + f"mb{pick([1, 1, 2, 3, 5])}_ic{inputs}oc{outputs}_" + "_".join(
        window(axis, [1, 1, 2, 3, 3, 3, 5, 7], [0, 0, 1, 1, 2, 3]) for axis in "hw")
    return direction, memory, attributes, "alg:convolution_direct", shape


def matmul():
    src, weights, dst = pick(PRODUCTS + ["f16 f16 f32", "s8 s8 bf16"]).split()
    ndims, batch = pick([2, 2, 3]), pick([1, 2, 3, 12])
    tags = ["ab", "ba"] if ndims == 2 else ["abc", "acb"]
    rows, depth, columns = pick(SIZES if rng.random() < 0.7 else [1, 2, 4, 5]), pick(SIZES), pick(SIZES)
    last = 1 << (ndims - 1)
    memory = [tensor("src", src, pick(tags + ["any"])), tensor("wei", weights, pick(tags + ["any"])),
              "bia:" + pick([NONE, f"f32:a:blocked:{tags[0]}::f0_mask{last}"]), tensor("dst", dst, pick(tags + ["any"]))]
    attributes = (quantization(last, True) if weights == "s8" else []) + post_ops(ndims)
    batches = [[], []] if ndims == 2 else [[batch], [pick([batch, batch, 1])]]
    return "undef", memory, attributes, "", x(batches[0] + [rows, depth]) + ":" + x(batches[1] + [depth, columns])


def inner_product():
    src, weights, dst = pick(["f32 f32 f32", "bf16 bf16 bf16", "bf16 bf16 f32", "u8 s8 f32", "u8 s8 u8"]).split()
    direction = "forward_inference" if weights == "s8" else pick(["forward_inference", "backward_data", "backward_weights"])
    if direction.startswith("backward"):
        dst = src
    spatial = f"ih{pick([1, 2, 3, 6])}iw{pick([1, 2, 5])}" if rng.random() < 0.5 else ""
    tag = pick(["any", "abcd" if spatial else "ab"])
    bias = NONE if direction == "backward_data" or rng.random() < 0.5 else f"{'f32' if dst == 'u8' else dst}::blocked:a::f0"
    memory = [tensor("src", src, tag), tensor("wei", weights, pick(["any", tag])), "bia:" + bias, tensor("dst", dst, "ab")]
    attributes = post_ops(2) if direction == "forward_inference" else []
    return direction, memory, attributes, "", f"mb{pick([1, 2, 5, 16, 33])}ic{pick(SIZES)}{spatial}oc{pick(SIZES)}"


def eltwise():
    type_, tag = pick(COMMON), pick(IMAGES)
    function = pick(list(FUNCTIONS) if type_ in FLOATS else ["relu", "linear", "clip"])
    alpha, beta = FUNCTIONS[function]
    auxiliary = f"alg:eltwise_{function} alpha:{alpha} beta:{beta}"
    if type_ in FLOATS and rng.random() < 0.5:
        return "backward_data", [tensor("data", type_, tag), tensor("diff", type_, tag)], [], auxiliary, x(image())
    return "forward_inference", [tensor("data", type_, tag)], post_ops(), auxiliary, x(image())


def binary():
    types, tag, dims = COMMON + ["s32"], pick(IMAGES[:2]), image()
    memory = [tensor("src", pick(types), tag), tensor("src", pick(types), pick(IMAGES[:2])),
              tensor("dst", pick(types), pick([tag, "any"]))]
    return ("undef", memory, post_ops(), "alg:binary_" + pick(["add", "mul", "sub", "max", "min", "ge"]),
            x(dims) + ":" + x(broadcast(dims)))


def pooling():
    type_, tag = pick(COMMON), pick(IMAGES)
    direction = pick(["forward_inference", "forward_training", "backward_data"]) if type_ in FLOATS else "forward_inference"
    memory = [tensor("src", type_, tag), tensor("dst", type_, tag), "ws:" + NONE]
    shape = f"mb{pick([1, 2, 3])}ic{pick(CHANNELS)}_" + "_".join(window(axis, [1, 2, 3, 3, 5, 7], [0, 1]) for axis in "hw")
    return direction, memory, [], "alg:pooling_" + pick(["max", "avg_include_padding", "avg_exclude_padding"]), shape


def softmax():
    type_, tag = pick(FLOATS), pick(IMAGES[:2])
    direction = pick(["forward_inference", "backward_data"])
    names = ["src", "dst"] if direction.startswith("forward") else ["src", "dst", "diff_dst"]
    auxiliary = f"alg:softmax_{pick(['accurate', 'log'])} axis:{rng.randint(0, 3)}"
    return direction, [tensor(name, type_, tag) for name in names], [], auxiliary, x(image())


def layer_normalization():
    type_ = pick(FLOATS)
    memory = [tensor("src", type_, "ab"), tensor("dst", pick([type_, "f32"]), "ab"), "stats:" + NONE,
              tensor("scale", "f32", "a"), tensor("shift", "f32", "a")]
    return (pick(["forward_inference", "forward_training"]), memory, [], "flags:" + pick(["CH", "C", ""]),
            x([pick([1, 3, 17, 33, 128]), pick([1, 7, 16, 33, 64, 100, 768])]))


def batch_normalization():
    mb, ic, ih, iw = image()
    return (pick(["forward_inference", "forward_training"]), [tensor("data", pick(FLOATS), pick(IMAGES))], [],
            "flags:" + pick(["GCH", "CH", "", "CHR"]), f"mb{mb}ic{ic}ih{ih}iw{iw}")


def reorder():
    types, tags = COMMON + ["s32"], IMAGES + ["bacd", "cdba", "ABcd16b16a", "aBcd4b", "abdc"]
    attribute = pick(["", "", "attr-scales:src:0:f32", "attr-scales:dst:2:f32", "attr-zero-points:dst:0:s32",
                      "attr-post-ops:sum"])
    return ("undef", [tensor("src", pick(types), pick(tags)), tensor("dst", pick(types), pick(tags))], [attribute], "",
            x(image()))


def reduction():
    type_, dims = pick(["f32", "bf16", "s8", "u8"]), image()
    memory = [tensor("src", type_, pick(IMAGES[:2])), tensor("dst", pick(["f32", type_]), pick(IMAGES[:2]))]
    auxiliary = f"alg:reduction_{pick(['sum', 'mean', 'max', 'min'])} p:0 eps:0"
    return "undef", memory, post_ops(), auxiliary, x(dims) + ":" + x(broadcast(dims))


def resampling():
    type_, tag = pick(COMMON), pick(IMAGES)
    direction = pick(["forward_inference", "backward_data"]) if type_ in FLOATS else "forward_inference"
    shape = (f"mb{pick([1, 2])}ic{pick(CHANNELS)}_ih{pick([3, 7, 14])}oh{pick([3, 5, 14, 28])}"
             f"_iw{pick([3, 8, 13])}ow{pick([4, 13, 26])}")
    return (direction, [tensor("src", type_, tag), tensor("dst", type_, tag)], [],
            "alg:resampling_" + pick(["nearest", "linear"]), shape)


KINDS = [convolution] * 8 + [matmul] * 6 + [inner_product, binary, pooling, reorder] * 2 + [
    eltwise, softmax, layer_normalization, batch_normalization, reduction, resampling]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    count, names = int(sys.argv[1]), sys.argv[3:]
    rng.seed(int(sys.argv[2]))
    kinds = [kind for kind in KINDS if not names or kind.__name__ in names]
    for _ in range(count):
        kind = pick(kinds)
        direction, memory, attributes, auxiliary, shape = kind()
        print("1", kind.__name__, direction, " ".join(memory), " ".join(attributes), auxiliary, shape, sep="\t")


if __name__ == "__main__":
    main()
