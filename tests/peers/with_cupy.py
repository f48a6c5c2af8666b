"""The lessons' tasks with CuPy, as its users write them. worker.py describes the interface."""

import math
import os

os.environ.pop("CUPY_TF32", None)  # products in f32, as in the app

import cupy  # noqa: E402
import cupyx  # noqa: E402
import numpy  # noqa: E402
from cupyx.scipy.ndimage import correlate1d  # noqa: E402

from tasks import CHAIN_LENGTH, FILTER, ROW_LENGTH, make_array_selector, time_queued_calls  # noqa: E402

IS_GPU = True

spin = cupy.RawKernel(
    'extern "C" __global__ void spin(long long cycles) {'
    " const long long start = clock64(); while (clock64() - start < cycles) {} }",
    "spin",
)


def version():
    cupy.zeros(1).sum()  # raises an error if there is no device
    return f"CuPy {cupy.__version__}"


def repeat_array(array, times):
    block = cupy.asarray(array)
    if times == 1:
        return block
    repeated = cupy.empty(array.size * times, dtype=array.dtype)
    repeated.reshape(times, array.size)[...] = block
    return repeated


def density(x):
    return cupy.exp(-0.5 * ((x - 0.0) / 1.0) ** 2) / (1.0 * math.sqrt(2 * math.pi))


def layer(grey, weight):
    v = grey / 255 * weight
    return (cupy.exp(v) - cupy.exp(-v)) / (cupy.exp(v) + cupy.exp(-v))


def is_hit(x, y):
    return x * x + y * y < 1


fused_hits = cupy.fuse(is_hit)


def powers(x, largest):
    return cupy.exp(x - largest)


def softmax(x, power_function):
    e = power_function(x, x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def filter_picture(x):
    for axis in (1, 0):
        x = correlate1d(x, cupy.asarray(FILTER, dtype=cupy.float32), axis=axis, mode="nearest")
    return x


fused_density = cupy.fuse(density)
fused_layer = cupy.fuse(layer)
fused_powers = cupy.fuse(powers)


def chain(x):
    for i in range(CHAIN_LENGTH):
        x = (cupy.exp, lambda y: y + 1, cupy.log)[i % 3](x)
    return x


fused_chain = cupy.fuse(chain)


def implementations(task, inputs, shape, bins):
    array = make_array_selector(inputs)
    by_task = {
        "sum_u32": [("sum", lambda i: array(i).sum(dtype=cupy.uint32))],
        "sum_f32": [("sum", lambda i: array(i).sum())],
        "scan_u32": [("cumsum", lambda i: cupy.cumsum(array(i), dtype=cupy.uint32))],
        "transpose": [("ascontiguousarray", lambda i: cupy.ascontiguousarray(array(i).reshape(shape).T))],
        "filter": [("correlate1d twice", lambda i: filter_picture(array(i).reshape(shape)))],
        "histogram": [("histogram", lambda i: cupy.histogram(array(i), bins=bins, range=(-4.0, 4.0))[0])],
        "gaussian": [("fused", lambda i: fused_density(array(i))), ("eager", lambda i: density(array(i)))],
        "hypot": [("hypot", lambda i: cupy.hypot(array(i, 0), array(i, 1)))],
        "row_norms": [("norm", lambda i: cupy.linalg.norm(array(i).reshape(-1, ROW_LENGTH), axis=1))],
        "softmax": [("exp of differences, fused", lambda i: softmax(array(i).reshape(shape), fused_powers)),
            ("eager", lambda i: softmax(array(i).reshape(shape), powers))],
        "chain": [("fused", lambda i: fused_chain(array(i))), ("eager", lambda i: chain(array(i)))],
        "row_norm": [("norm", lambda i: cupy.linalg.norm(array(i).reshape(shape), axis=1))],
        "zero_suppression": [("where", lambda i: cupy.where(array(i) < 15, cupy.int16(0), array(i)))],
        "hidden_layer": [("fused", lambda i: fused_layer(array(i, 0), array(i, 1)))],
    }
    if task == "transfers":
        device_arrays, host_arrays = inputs[0], [cupyx.empty_pinned(array(0).size, numpy.float32) for _ in range(3)]
        for number in (0, 1):
            host_arrays[number][...] = cupy.asnumpy(device_arrays[number])
        total = cupy.empty_like(device_arrays[0])

        def copy_add_copy(_):
            for number in (0, 1):
                device_arrays[number].set(host_arrays[number])
            cupy.add(*device_arrays, out=total)
            return total.get(out=host_arrays[2])

        return [("pinned", copy_add_copy)]
    if task == "matmul":
        m, n, k = shape
        return [("matmul", lambda i: array(i, 0).reshape(m, k) @ array(i, 1).reshape(k, n))]
    if task == "pi":
        def make_pi(find_hits):
            def count_hits(i):
                x, y = (cupy.random.random(shape[0], dtype=cupy.float32) for _ in range(2))
                return find_hits(x, y).sum()

            return count_hits

        return [("random arrays, then a sum", make_pi(is_hit)), ("the same, fused between them", make_pi(fused_hits))]
    return by_task.get(task, [])


def time_calls(work, repeats, cover_ns):
    """Returns the GPU time of all repeats and the host's time to queue them, in ns. worker.Sampler sets cover_ns."""
    first, last = cupy.cuda.Event(), cupy.cuda.Event()
    if cover_ns > 0:
        spin((1,), (1,), (numpy.int64(2 * cover_ns),))
    return time_queued_calls(first, last, work, repeats, cupy.cuda.get_elapsed_time)


def synchronise():
    cupy.cuda.Device().synchronize()


def to_host(array):
    return numpy.atleast_1d(cupy.asnumpy(array))


def release():
    cupy.get_default_memory_pool().free_all_blocks()
