#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which requests are accepted: what the peer creates, we must create, and what it calls invalid, we must call
invalid. We may create more. The same requests go to ask.c built with either library. And all that is documented
must be created.

    acceptance.py OURS PEER PEER_LIBRARIES
"""
import concurrent.futures
import itertools
import os
import re
import subprocess
import sys

FLOATS = "f32 bf16 f16 f64 f8_e5m2 f8_e4m3".split()
COMMON = FLOATS + "s32 s8 u8".split()
ALL = COMMON + "s4 u4 e8m0 f4_e2m1 s64".split()
ELTWISE = """relu tanh elu square abs sqrt linear soft_relu hardsigmoid logistic exp gelu_tanh swish log clip clip_v2
    pow gelu_erf round mish hardswish relu_use_dst_for_bwd tanh_use_dst_for_bwd elu_use_dst_for_bwd
    sqrt_use_dst_for_bwd logistic_use_dst_for_bwd exp_use_dst_for_bwd clip_v2_use_dst_for_bwd""".split()
BINARY = "add mul max min div sub ge gt le lt eq ne".split()
REDUCTION = "max min sum mul mean norm_lp_max norm_lp_sum norm_lp_power_p_max norm_lp_power_p_sum".split()

# Requests that the peer accepts and we do not, or that it calls invalid and we do not; and why that is right.
ALLOWED = [
    (r"@bin:binary_\w+:f32/9x", "the peer takes operands that do not broadcast to dst, and reads past their end"),
    (r"convolution .*dst=f64", "the peer creates the descriptor but not the primitive"),
]


def x(dims):
    return "x".join(map(str, dims))


def plain(ndims):
    return "abcdefghijkl"[:ndims]


def channels_last(ndims):
    return "a" + plain(ndims)[2:] + "b"


def attributes(dims, weights_mask):
    """Of a product with this dst: scales, zero points, post-ops and modes."""
    n = len(dims)
    for arg, mask in itertools.product(("src", "wei", "dst", "bia"), range(4)):
        yield f"@scale:{arg}:{mask}"
        yield f"@zp:{arg}:{mask}"
    for arg in ("src", "wei", "dst"):
        yield f"@scale:{arg}:0:f32::1"
        yield f"@zp:{arg}:0:s32::1"
    yield f"@scale:src:0 @scale:wei:{weights_mask} @scale:dst:0 @zp:src:0 @zp:dst:0"
    yield from post_ops(dims)
    for mode in range(5):
        yield f"@fpmath:{mode}"
        yield f"@fpmath:{mode}:1"
    for mode in range(6):
        yield f"@acc:{mode}"
    yield from ("@det", "@round:dst:0", "@round:dst:1", "@round:dsrc:1", f"@dropout:u8/{x(dims)}/{plain(n)}")


def post_ops(dims):
    n = len(dims)
    for alg in ELTWISE:
        yield f"@elt:eltwise_{alg}:0.5:0.25"
    yield from ("@sum", "@sum:0.5:3", "@sum:1:0:s8", "@sum:1:0:u8", "@sum:1:0:f32", "@sum:1:0:s32", "@sum @sum",
                "@sum @elt:eltwise_relu @sum:0.5")
    for alg in BINARY:
        yield f"@bin:binary_{alg}:f32/{x(dims)}/{plain(n)}"
    yield f"@bin:binary_select:f32/{x(dims)}/{plain(n)}:s8/{x(dims)}/{plain(n)}"
    for mask in range(1 << n):
        kept = [dims[d] if mask >> d & 1 else 1 for d in range(n)]
        yield f"@bin:binary_add:f32/{x(kept)}/{plain(n)}"
        yield f"@bin:binary_mul:f32/{x(kept)}/any"
        yield f"@prelu:{mask}"
    for kind in ALL:
        yield f"@bin:binary_add:{kind}/{x(dims)}/{plain(n)}"
    yield f"@bin:binary_add:f32/{x([9] + dims[1:])}/{plain(n)}"
    yield f"@bin:binary_mul:f32/{x(dims[:-1])}/{plain(n - 1)}"
    yield " ".join(["@elt:eltwise_relu"] * 32)


SHAPES = {  # src, weights, dst, window
    "2d": ([2, 8, 5, 5], [16, 8, 3, 3], [2, 16, 5, 5], "s=1x1 d=0x0 l=1x1 r=1x1"),
    "groups": ([2, 8, 5, 5], [2, 8, 4, 3, 3], [2, 16, 5, 5], "s=1x1 d=0x0 l=1x1 r=1x1"),
    "depthwise": ([2, 16, 5, 5], [16, 1, 1, 3, 3], [2, 16, 5, 5], "s=1x1 d=0x0 l=1x1 r=1x1"),
    "dilated": ([2, 8, 6, 6], [16, 8, 3, 3], [2, 16, 2, 1], "s=1x2 d=1x1 l=0x0 r=0x0"),
    "1d": ([2, 8, 5], [16, 8, 3], [2, 16, 5], "s=1 d=0 l=1 r=1"),
    "3d": ([1, 8, 4, 4, 4], [8, 8, 3, 3, 3], [1, 8, 4, 4, 4], "s=1x1x1 d=0x0x0 l=1x1x1 r=1x1x1"),
    "odd": ([1, 3, 7, 7], [5, 3, 3, 3], [1, 5, 4, 4], "s=2x2 d=0x0 l=1x1 r=1x1"),
    "empty": ([0, 8, 5, 5], [16, 8, 3, 3], [0, 16, 5, 5], "s=1x1 d=0x0 l=1x1 r=1x1"),
    "no inputs": ([2, 0, 5, 5], [16, 0, 3, 3], [2, 16, 5, 5], "s=1x1 d=0x0 l=1x1 r=1x1"),
    "wrong": ([2, 8, 5, 5], [16, 8, 3, 3], [2, 16, 4, 5], "s=1x1 d=0x0 l=1x1 r=1x1"),
}


def window_request(kind, shape, prop, types, tag="any", attr=""):
    src, weights, dst, window = SHAPES[shape]
    if kind == "deconvolution":
        grouped = len(weights) - len(src)
        src, dst = dst, src
        weights = weights[:grouped] + [weights[grouped + 1], weights[grouped]] + weights[grouped + 2:]
    tags = {"any": "any", "plain": plain(len(src)), "last": channels_last(len(src))}
    bias = f"bia={types[2]}/{dst[1]}/a" if types[2] else ""
    return (f"{kind} prop={prop} src={types[0]}/{x(src)}/{tags[tag]} wei={types[1]}/{x(weights)}/any {bias} "
            f"dst={types[3]}/{x(dst)}/{tags[tag]} {window} {attr}")


USUAL = (("f32", "f32", "f32", "f32"), ("bf16", "bf16", "f32", "bf16"), ("u8", "s8", "f32", "s8"),
         ("f16", "f16", "f16", "f32"), ("s8", "s8", "s32", "f32"))


def windows():
    for kind, prop in itertools.product(("convolution", "deconvolution"), ("fi", "bd", "bw")):
        for src, weights, dst in itertools.product(COMMON, repeat=3):
            yield window_request(kind, "2d", prop, (src, weights, None, dst))
        for types, bias in itertools.product(USUAL, COMMON):
            yield window_request(kind, "2d", prop, (types[0], types[1], bias, types[3]))
        for types, shape, tag in itertools.product(USUAL, SHAPES, ("any", "plain", "last")):
            yield window_request(kind, shape, prop, types, tag)
        for types in USUAL[:3]:
            for attr in attributes(SHAPES["2d"][2 if kind == "convolution" else 0], 1):
                yield window_request(kind, "2d", prop, types, "any", attr)
    for weights, dst in itertools.product(("f32", "bf16", "s8"), ("f32", "bf16", "u8", "s8")):
        for types in USUAL[:3]:
            yield (f"convolution prop=fi src={types[0]}/1x16x5x5/any wei={types[1]}/16x16x1x1/any dst={types[3]}/1x16x5x5/any "
                   f"s=1x1 d=0x0 l=0x0 r=0x0 @dw:{weights}:f32:{dst}:3:1:1")


def products():
    for src, weights, dst in itertools.product(COMMON, repeat=3):
        for prop in ("fi", "bd", "bw"):
            yield f"inner_product prop={prop} src={src}/4x16/any wei={weights}/8x16/any dst={dst}/4x8/any"
    for types in USUAL:
        for prop, tag in itertools.product(("fi", "bd", "bw"), ("any", "abcd", "acdb")):
            yield (f"inner_product prop={prop} src={types[0]}/4x16x3x3/{tag} wei={types[1]}/8x16x3x3/any bia={types[2]}/8/a "
                   f"dst={types[3]}/4x8/any")
        for attr in attributes([4, 8], 1):
            yield f"inner_product prop=fi src={types[0]}/4x16/any wei={types[1]}/8x16/any dst={types[3]}/4x8/any {attr}"
    kinds = COMMON + ["s4", "u4", "f4_e2m1"]
    groups = ("", "@fpmath:3:1", "@fpmath:1:1 @scale:wei:3:f32:8x1 @zp:wei:3:s8:8x1", "@scale:src:3:f32:1x8 @scale:wei:3:f32:8x1")
    for src, weights, dst in itertools.product(kinds, repeat=3):
        for attr in groups:
            yield f"matmul src={src}/4x16/ab wei={weights}/16x8/ab dst={dst}/4x8/ab {attr}"
    for src, weights, bias, dst in USUAL + (("f32", "s8", "f32", "f32"), ("bf16", "u4", "f32", "bf16")):
        tensors = f"src={src}/4x16/ab wei={weights}/16x8/ab dst={dst}/4x8/ab"
        for attr in attributes([4, 8], 2):
            yield f"matmul {tensors} {attr}"
            yield f"matmul src={src}/2x4x16/abc wei={weights}/2x16x8/abc dst={dst}/2x4x8/abc {attr.replace('/4x8/ab', '/1x4x8/abc')}"
        for arg, mask, group in itertools.product(("src", "wei", "dst"), range(4), ("8x1", "1x8", "3x1", "16x1", "4x4")):
            for kind in ("f32", "bf16", "e8m0"):
                yield f"matmul {tensors} @fpmath:3:1 @scale:{arg}:{mask}:{kind}:{group}"
            for kind in ("s32", "s8", "u4"):
                yield f"matmul {tensors} @fpmath:3:1 @zp:{arg}:{mask}:{kind}:{group}"
        for mode, kind in itertools.product((1, 2, 3), ("e8m0", "f32", "f8_e4m3")):
            yield f"matmul src={src}/4x32/ab wei={weights}/32x64/ab dst={dst}/4x64/ab @scale:dst:3:{kind}:1x32:0:{mode}"
        for sizes in (("*x16", "16x8", "*x8"), ("4x*", "*x8", "4x8"), ("4x16", "16x*", "4x*"), ("*x16", "16x8", "4x8")):
            for attr in ("", "@elt:eltwise_relu", "@scale:wei:2", "@zp:src:0", "@sum", "@bin:binary_add:f32/1x1/ab"):
                yield f"matmul src={src}/{sizes[0]}/ab wei={weights}/{sizes[1]}/ab dst={dst}/{sizes[2]}/ab {attr}"
        for n, mask in itertools.product((2, 3, 4, 5), range(32)):
            batch = [2] * (n - 2)
            biased = [d if mask >> i & 1 else 1 for i, d in enumerate(batch + [4, 8])]
            yield (f"matmul src={src}/{x(batch + [4, 16])}/ wei={weights}/{x([1] * (n - 2) + [16, 8])}/ bia={bias}/{x(biased)}/ "
                   f"dst={dst}/{x(batch + [4, 8])}/")


def elements():
    for alg, src, dst in itertools.product(ELTWISE, ALL, ("f32", "bf16", "s8", "s4")):
        yield f"eltwise alg=eltwise_{alg} src={src}/2x8x3/abc dst={dst}/2x8x3/abc"
    for alg, src, dst in itertools.product(ELTWISE, FLOATS + ["s8"], FLOATS):
        yield f"eltwise prop=bd alg=eltwise_{alg} src={src}/2x8x3/abc dst={dst}/2x8x3/abc"
    for src, src1, dst in itertools.product(ALL, repeat=3):
        tensors = f"src={src}/2x8x3/abc src1={src1}/2x8x3/abc dst={dst}/2x8x3/abc"
        yield f"binary alg=binary_add {tensors}"
        yield f"sum {tensors}"
        if src == src1:
            yield f"binary alg=binary_select src2=s8/2x8x3/abc {tensors}"
            yield f"concat {tensors}".replace(f"dst={dst}/2x8x3", f"dst={dst}/2x16x3")
            yield f"prelu src={src}/2x8x3/abc wei={dst}/1x8x1/abc dst={src}/2x8x3/abc"
            yield f"prelu prop=b src={src}/2x8x3/abc wei={dst}/1x8x1/abc dst={src}/2x8x3/abc"
    for alg, mask in itertools.product(BINARY, range(64)):
        dims = [[d if mask >> (i + shift) & 1 else 1 for i, d in enumerate((2, 8, 3))] for shift in (0, 3)]
        yield f"binary alg=binary_{alg} src=f32/{x(dims[0])}/abc src1=f32/{x(dims[1])}/abc dst=f32/2x8x3/abc"
    for alg, src, dst in itertools.product(REDUCTION, ALL, ALL):
        yield f"reduction alg=reduction_{alg} src={src}/2x8x3/abc dst={dst}/2x1x3/abc"
    for kind in ("f32", "s8", "bf16"):
        for attr in attributes([2, 8, 1], 1):
            yield f"reduction alg=reduction_sum src={kind}/2x8x3/abc dst={kind}/2x8x1/abc {attr}"
        for attr in attributes([2, 8, 3], 1):
            yield f"eltwise alg=eltwise_relu src={kind}/2x8x3/abc dst={kind}/2x8x3/abc {attr}"
            yield f"binary alg=binary_add src={kind}/2x8x3/abc src1={kind}/2x8x3/abc dst={kind}/2x8x3/abc {attr}"
            yield f"sum src={kind}/2x8x3/abc src1={kind}/2x8x3/abc dst={kind}/2x8x3/abc {attr}"
            yield f"reorder src={kind}/2x8x3/abc dst={kind}/2x8x3/acb {attr}"
        for n in range(1, 13):
            cube = f"{kind}/{x([2] * n)}/"
            yield f"eltwise alg=eltwise_relu src={cube} dst={cube}"
            yield f"binary alg=binary_add src={cube} src1={cube} dst={cube}"
            yield f"reorder src={cube} dst={cube}"
            yield f"shuffle axis=0 src={cube} dst={cube}"
            yield f"softmax alg=softmax_accurate axis=0 src={cube} dst={cube}"
            yield f"reduction alg=reduction_sum src={cube} dst={kind}/{x([1] * n)}/"
        for dims in ("0", "0x3", "2x0x3"):
            empty = f"{kind}/{dims}/"
            yield f"eltwise alg=eltwise_relu src={empty} dst={empty}"
            yield f"binary alg=binary_add src={empty} src1={empty} dst={empty}"
            yield f"sum src={empty} src1={empty} dst={empty}"
            yield f"reorder src={empty} dst={empty}"
            yield f"softmax alg=softmax_log axis=0 src={empty} dst={empty}"


def reorders():
    tags = ("abcd", "acdb", "bacd", "aBcd16b")
    attrs = ("", "@scale:src:0", "@scale:dst:0", "@scale:src:2", "@scale:dst:2", "@scale:src:3", "@zp:src:0", "@zp:dst:0",
             "@zp:src:2", "@zp:dst:2", "@sum", "@sum:0.5", "@scale:src:0:f32::1", "@zp:dst:0:s32::1",
             "@scale:src:0 @zp:src:0 @scale:dst:0 @zp:dst:0 @sum:2", "@elt:eltwise_relu", "@round:dst:1")
    for src, dst in itertools.product(ALL, ALL):
        for a, b in itertools.product(tags, tags if src == dst else tags[:1]):
            yield f"reorder src={src}/2x16x4x4/{a} dst={dst}/2x16x4x4/{b}"
        for attr in attrs:
            yield f"reorder src={src}/2x16x4x4/abcd dst={dst}/2x16x4x4/abcd {attr}"
        for attr in ("@scale:src:3:f32:8x1", "@scale:dst:3:f32:8x1", "@scale:src:3:f32:8x1 @zp:src:3:s8:8x1"):
            yield f"reorder src={src}/32x16/ab dst={dst}/32x16/ba {attr}"


def normalizations():
    kinds = ("batch_normalization", "group_normalization", "layer_normalization")
    for kind, flags, src, dst in itertools.product(kinds, (0, 1, 2, 4, 6, 7, 8, 14, 16, 22, 32), COMMON, COMMON):
        for prop in ("ft", "fi", "b", "bd"):
            if src == dst or flags in (0, 6, 7):
                yield f"{kind} prop={prop} flags={flags} src={src}/2x8x3x3/abcd dst={dst}/2x8x3x3/abcd"
    for kind, flags, n, prop in itertools.product(kinds, (0, 7, 22), (2, 3, 4, 5), ("ft", "fi", "b")):
        dims = x([2, 8, 3, 3, 3][:n])
        for tag in (plain(n), channels_last(n), "any"):
            yield f"{kind} prop={prop} flags={flags} src=f32/{dims}/{plain(n)} dst=f32/{dims}/{tag}"
        for empty in ("0x8x3x3", "2x0x3x3", "2x8x0x3"):
            yield f"{kind} prop={prop} flags={flags} src=bf16/{empty}/abcd dst=bf16/{empty}/abcd"
    for kind, prop in itertools.product(kinds, ("ft", "fi")):
        for attr in attributes([2, 8, 3, 3], 1):
            yield f"{kind} prop={prop} flags=6 src=f32/2x8x3x3/abcd dst=f32/2x8x3x3/abcd {attr}"
    for weights, flags, prop in itertools.product(COMMON, (0, 2, 6), ("ft", "b")):
        yield f"layer_normalization prop={prop} flags={flags} ss={weights} src=f32/2x3x8/abc dst=f32/2x3x8/abc"
        yield f"layer_normalization prop={prop} flags={flags} stat={weights}/2x3/ab src=f32/2x3x8/abc dst=f32/2x3x8/abc"


def images():
    pool = "s=2x2 k=2x2 d=0x0 l=0x0 r=0x0"
    for prop, src, dst in itertools.product(("ft", "fi", "bd"), ALL, ALL):
        for alg in ("max", "avg_include_padding", "avg_exclude_padding"):
            yield f"pooling prop={prop} alg=pooling_{alg} src={src}/2x16x6x6/acdb dst={dst}/2x16x3x3/acdb {pool}"
        for alg in ("nearest", "linear"):
            yield f"resampling prop={prop} alg=resampling_{alg} src={src}/2x16x3x3/abcd dst={dst}/2x16x6x6/abcd"
        for alg in ("accurate", "log"):
            yield f"softmax prop={prop} alg=softmax_{alg} src={src}/2x8x3/abc dst={dst}/2x8x3/abc"
        for alg in ("across_channels", "within_channel"):
            yield f"lrn prop={prop} alg=lrn_{alg} src={src}/2x16x5x5/abcd dst={dst}/2x16x5x5/abcd"
        yield f"shuffle prop={prop} src={src}/2x8x3/abc dst={dst}/2x8x3/abc"
    for kind, prop in itertools.product(("f32", "bf16", "s8"), ("ft", "fi", "bd")):
        for a, b in itertools.product(("abcd", "acdb", "aBcd16b"), ("abcd", "acdb", "any")):
            yield f"pooling prop={prop} alg=pooling_max src={kind}/2x16x6x6/{a} dst={kind}/2x16x3x3/{b} {pool}"
            yield f"resampling prop={prop} alg=resampling_linear src={kind}/2x16x3x3/{a} dst={kind}/2x16x2x7/{b}"
            yield f"shuffle prop={prop} axis=1 g=4 src={kind}/4x8x4x3/{a} dst={kind}/4x8x4x3/{b}"
            for axis in range(-1, 5):
                yield f"softmax prop={prop} alg=softmax_accurate axis={axis} src={kind}/2x8x3x3/{a} dst={kind}/2x8x3x3/{b}"
        yield f"pooling prop={prop} alg=pooling_max src={kind}/0x16x6x6/acdb dst={kind}/0x16x3x3/acdb {pool}"
        yield f"pooling prop={prop} alg=pooling_max src={kind}/2x16x6x6/acdb dst={kind}/2x16x4x3/acdb {pool}"
        yield f"resampling prop={prop} alg=resampling_linear src={kind}/2x16x3x3/abcd dst={kind}/2x16x0x7/abcd"
        for attr in attributes([2, 16, 3, 3], 1):
            yield f"pooling prop={prop} alg=pooling_max src={kind}/2x16x6x6/acdb dst={kind}/2x16x3x3/acdb {pool} {attr}"
            yield f"resampling prop={prop} alg=resampling_linear src={kind}/2x16x2x2/acdb dst={kind}/2x16x3x3/acdb {attr}"
            yield f"softmax prop={prop} alg=softmax_accurate src=f32/2x16x3x3/acdb dst={kind}/2x16x3x3/acdb {attr}"


def networks():
    kinds = ("f32", "bf16", "f16", "s8", "u8")
    for layer, iteration, weights, bias, dst in itertools.product(kinds, kinds, kinds, ("f32", "bf16"), kinds):
        common = f"sl={layer}/3x2x8/any si={iteration}/1x1x2x8/any dl={dst}/3x2x8/any di={dst}/1x1x2x8/any"
        yield (f"lstm prop=fi {common} sc=f32/1x1x2x8/any wl={weights}/1x1x8x4x8/any wi={weights}/1x1x8x4x8/any "
               f"bia={bias}/1x1x4x8/any dc=f32/1x1x2x8/any")
        yield f"gru prop=fi {common} wl={weights}/1x1x8x3x8/any wi={weights}/1x1x8x3x8/any bia={bias}/1x1x3x8/any"


def documented():
    """What the documentation of oneDNN lists, for CPUs or for GPUs: we must create all of it, whatever the peer does."""
    data = "src={}/2x8x3/abc dst={}/2x8x3/abc"
    image, pool = "src={}/2x16x6x6/acdb dst={}/2x16x3x3/acdb", "s=2x2 k=2x2 d=0x0 l=0x0 r=0x0"
    usual, floats, signed = ("f32", "bf16", "f16"), ("f32", "f64", "bf16", "f16"), ("f32", "bf16", "f16", "s32", "u8", "s8")
    smooth = [alg for alg in ELTWISE if alg != "round" and not alg.endswith("bwd")]
    for src, src1, dst in itertools.product(signed, repeat=3):
        yield f"binary alg=binary_add src1={src1}/2x8x3/abc " + data.format(src, dst)
    for src, dst in itertools.product(signed, repeat=2):
        for prop in ("fi", "ft", "bd"):
            for alg in ("nearest", "linear"):
                yield f"resampling prop={prop} alg=resampling_{alg} src={src}/2x16x3x3/abcd dst={dst}/2x16x6x6/abcd"
        for prop in ("fi", "b"):
            yield f"prelu prop={prop} wei={dst}/1x8x1/abc " + data.format(src, src)
    for alg, kind in itertools.product(smooth, floats):
        yield f"eltwise alg=eltwise_{alg} @bin:binary_add:f32/2x8x3/abc " + data.format(kind, kind)
        yield f"eltwise prop=bd alg=eltwise_{alg} " + data.format(kind, kind)
    for src, dst in itertools.product(COMMON, repeat=2):
        yield f"sum src1={src}/2x8x3/abc " + data.format(src, dst)
        yield f"concat src={src}/2x8x3/abc src1={src}/2x8x3/abc dst={dst}/2x16x3/abc"
    for alg, src, dst in itertools.product(("accurate", "log"), floats + ("u8", "s8"), floats + ("u8", "s8")):
        yield f"softmax prop=fi alg=softmax_{alg} axis=1 @bin:binary_add:f32/2x8x3/abc @elt:eltwise_relu " + data.format(src, dst)
        if src in floats and dst in floats:
            yield f"softmax prop=bd alg=softmax_{alg} axis=1 " + data.format(src, dst)
    for prop, kind, flags in itertools.product(("ft", "fi", "b", "bd"), usual, (0, 1, 2, 4, 6, 7)):
        for norm in ("batch", "group"):
            yield f"{norm}_normalization prop={prop} flags={flags} src={kind}/2x8x3x3/abcd dst={kind}/2x8x3x3/abcd"
    for src, dst, weights in itertools.product(floats + ("u8", "s8"), floats + ("u8", "s8"), usual):
        for prop in ("ft", "fi") + (("b",) if src in floats and dst in floats else ()):
            yield f"layer_normalization prop={prop} flags=6 ss={weights} src={src}/2x3x8/abc dst={dst}/2x3x8/abc"
    for alg in ("max", "avg_include_padding", "avg_exclude_padding"):
        for kind in floats + ("s8", "u8", "s32"):
            for prop in ("ft", "fi") + (("bd",) if kind in floats else ()):
                yield f"pooling prop={prop} alg=pooling_{alg} {pool} " + image.format(kind, kind)
        for src, dst in itertools.product(("s8", "u8", "f16", "f32"), repeat=2):
            if src != dst and (src in ("s8", "u8") or dst in ("s8", "u8")):
                yield f"pooling prop=fi alg=pooling_{alg} {pool} @bin:binary_mul:f32/1x16x1x1/abcd " + image.format(src, dst)


def refused_but_documented(program):
    requests = list(documented())
    refused = [request for request, answer in zip(requests, ask(program, requests)) if answer != "0"]
    for request in refused[:40]:
        print(f"documented, and refused by us: {request}")
    print(f"{len(requests)} documented requests, {len(refused)} refused")
    return len(refused)


def ask(program, requests, libraries=None):
    environment = dict(os.environ)
    if libraries:
        environment["LD_LIBRARY_PATH"] = libraries
        environment.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")  # see peer.cmake
        vendors = os.path.join(os.getcwd(), "acceptance_vendors")
        if os.path.exists(os.path.join(libraries, "libintelocl.so")):
            os.makedirs(vendors, exist_ok=True)
            with open(os.path.join(vendors, "peer.icd"), "w", encoding="utf-8") as icd:
                icd.write(os.path.join(libraries, "libintelocl.so") + "\n")
            environment["OCL_ICD_VENDORS"] = vendors
    done = subprocess.run([program], input="\n".join(requests) + "\n", env=environment, text=True, stdout=subprocess.PIPE,
                          check=True)
    return done.stdout.split("\n")[:-1]


def main():
    if refused_but_documented(sys.argv[1]):
        return 1
    if len(sys.argv) < 4 or not sys.argv[2]:
        print("SKIP: no oneDNN to compare with, LODE_PEER_PREFIX is not set")
        return 0
    parts = (windows, products, elements, reorders, normalizations, images, networks)
    requests = list(dict.fromkeys(" ".join(r.split()) for part in parts for r in part()))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answers = [pool.submit(ask, sys.argv[2], requests, sys.argv[3]), pool.submit(ask, sys.argv[1], requests)]
        peers, ours = (answer.result() for answer in answers)
    if peers == ["no CPU engine"]:
        print("SKIP: the oneDNN to compare with has no CPU engine here")
        return 0
    if len(peers) != len(requests) or len(ours) != len(requests):
        print(f"{len(requests)} requests, {len(ours)} answers of ours, {len(peers)} of the peer")
        return 1
    wrong = [(peer, our, request) for peer, our, request in zip(peers, ours, requests)
             if peer in ("0", "2") and our != peer and not any(re.search(rule, request) for rule, _ in ALLOWED)]
    for peer, our, request in wrong[:40]:
        print(f"the peer says {peer}, we say {our}: {request}")
    print(f"{len(requests)} requests, {peers.count('0')} accepted by the peer, {ours.count('0')} by us, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
