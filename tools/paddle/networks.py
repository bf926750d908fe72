# SPDX-License-Identifier: Apache-2.0
"""Networks in PaddlePaddle's own format, and one run of them through paddle.inference with oneDNN.

    networks.py export FOLDER NAME       writes a network (random weights from a fixed seed) and its input
    networks.py run FOLDER RESULT NAME   computes it, writes outputs, time and what oneDNN did to RESULT.npz and .json

Knows nothing of Lode: it uses the libdnnl that the imported paddle brings. compare.py runs it on two of those.
"""
import ctypes
import json
import os
import sys
import tempfile
import time

import numpy

# Name: (family, argument, precision, input shape). The first SHORT of them are the short form.
NETWORKS = {
    "resnet18": ("vision", "resnet18", "f32", (1, 3, 224, 224)),
    "transformer": ("transformer", None, "f32", (2, 64, 256)),
    "alexnet-int8": ("vision", "alexnet", "int8", (1, 3, 224, 224)),
    "alexnet": ("vision", "alexnet", "f32", (1, 3, 224, 224)),
    "vgg11": ("vision", "vgg11", "f32", (1, 3, 224, 224)),
    "resnet50": ("vision", "resnet50", "f32", (1, 3, 224, 224)),
    "mobilenet_v2": ("vision", "mobilenet_v2", "f32", (1, 3, 224, 224)),
    "mobilenet_v3": ("vision", "mobilenet_v3_small", "f32", (1, 3, 224, 224)),
    "densenet121": ("vision", "densenet121", "f32", (1, 3, 224, 224)),
    "googlenet": ("vision", "googlenet", "f32", (1, 3, 224, 224)),
    "shufflenet": ("vision", "shufflenet_v2_x1_0", "f32", (1, 3, 224, 224)),
    "squeezenet": ("vision", "squeezenet1_1", "f32", (1, 3, 224, 224)),
    "resnet50-bf16": ("vision", "resnet50", "bf16", (1, 3, 224, 224)),
    "transformer-bf16": ("transformer", None, "bf16", (2, 64, 256)),
}
SHORT = 3
TIMED_SECONDS = 1.0


def make_layer(family, argument):
    import paddle

    if family == "vision":
        return getattr(paddle.vision.models, argument)()
    encoder = paddle.nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, activation="gelu")
    return paddle.nn.TransformerEncoder(encoder, 2)


def spread_statistics(layer, generator):
    """Gives batch normalisations other statistics than 0 and 1, so that they have something to do."""
    import paddle

    for part in layer.sublayers():
        if isinstance(part, paddle.nn.BatchNorm2D):
            shape = part._mean.shape
            part._mean.set_value(generator.normal(0, 0.1, shape).astype("float32"))
            part._variance.set_value(generator.uniform(0.8, 1.2, shape).astype("float32"))


def quantized(layer, data):
    """The layer with scales observed on its input, as PaddlePaddle's post-training quantization leaves it."""
    import paddle
    from paddle.quantization import PTQ, QuantConfig
    from paddle.quantization.observers import AbsmaxObserver

    config = QuantConfig(activation=None, weight=None)
    config.add_type_config(
        [paddle.nn.Conv2D, paddle.nn.Linear], activation=AbsmaxObserver(), weight=AbsmaxObserver())
    ptq = PTQ(config)
    observed = ptq.quantize(layer)
    observed(paddle.to_tensor(data))
    return ptq.convert(observed)


def export(folder, name):
    family, argument, precision, shape = NETWORKS[name]
    # paddle.inference computes int8 only from PaddlePaddle's older program format.
    os.environ["FLAGS_enable_pir_api"] = "0" if precision == "int8" else "1"
    import paddle

    paddle.seed(1)
    generator = numpy.random.default_rng(1)
    layer = make_layer(family, argument)
    layer.eval()
    spread_statistics(layer, generator)
    data = generator.normal(0, 1, shape).astype("float32")
    if precision == "int8":
        layer = quantized(layer, data)
        layer.eval()
    path = os.path.join(folder, name)
    paddle.jit.save(layer, path, input_spec=[paddle.static.InputSpec(shape, "float32")])
    numpy.save(path + ".npy", data)


def make_predictor(folder, name, precision):
    from paddle import inference

    path = os.path.join(folder, name)
    model = path + (".json" if os.path.exists(path + ".json") else ".pdmodel")
    config = inference.Config(model, path + ".pdiparams")
    config.disable_gpu()
    config.disable_glog_info()
    config.enable_mkldnn()
    config.set_cpu_math_library_num_threads(1)
    if precision == "bf16":
        config.enable_mkldnn_bfloat16()
    if precision == "int8":
        config.enable_mkldnn_int8()
    return inference.create_predictor(config)


def loaded_library():
    """The libdnnl of this process, by its path."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if "libdnnl" in line:
                return line.split()[-1]
    raise RuntimeError("paddle did not load a libdnnl")


def verbose_lines(library, call):
    """Calls with the library's verbose output on and returns its lines: they say what the library did."""
    sys.stdout.flush()
    saved = os.dup(1)
    with tempfile.TemporaryFile("w+") as file:
        os.dup2(file.fileno(), 1)
        library.dnnl_set_verbose(1)
        try:
            call()
        finally:
            library.dnnl_set_verbose(0)
            ctypes.CDLL(None).fflush(None)
            os.dup2(saved, 1)
            os.close(saved)
        file.seek(0)
        return file.read().splitlines()


def run(folder, name):
    """One row: the outputs, the number of primitives that ran, the best time in milliseconds."""
    import paddle  # noqa: F401  loads libdnnl

    precision = NETWORKS[name][2]
    predictor = make_predictor(folder, name, precision)
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(numpy.load(os.path.join(folder, name + ".npy")))
    predictor.run()
    library = ctypes.CDLL(loaded_library())
    executed = [line.split(",exec,")[1] for line in verbose_lines(library, predictor.run) if ",exec," in line]
    outputs = [predictor.get_output_handle(output).copy_to_cpu() for output in predictor.get_output_names()]
    # There is one thread: processor time is what other programs of the machine disturb least.
    best, end = float("inf"), time.process_time() + TIMED_SECONDS
    while time.process_time() < end:
        start = time.process_time()
        predictor.run()
        best = min(best, time.process_time() - start)
    return outputs, executed, best * 1e3


def main(command, folder, *arguments):
    if command == "export":
        export(folder, *arguments)
        return
    result, name = arguments
    outputs, executed, best = run(folder, name)
    numpy.savez(result + ".npz", *outputs)
    with open(result + ".json", "w") as file:
        json.dump({"library": loaded_library(), "executed": executed, "milliseconds": best}, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
