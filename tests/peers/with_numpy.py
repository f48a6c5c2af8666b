"""The lessons' tasks with NumPy, for machines without a GPU. worker.py describes the interface."""

import math
import pathlib
import re
import time

import numpy

from tasks import CHAIN_LENGTH, FILTER, ROW_LENGTH, make_array_selector

IS_GPU = False


def version():
    return f"NumPy {numpy.__version__}"


def repeat_array(array, times):
    return numpy.tile(array, times) if times > 1 else array


def density(x):
    return numpy.exp(-0.5 * ((x - 0.0) / 1.0) ** 2) / (1.0 * math.sqrt(2 * math.pi))


def find_blas():
    """Returns the library that this process uses for matrix products, such as libopenblas.so.0."""
    try:
        maps = pathlib.Path("/proc/self/maps").read_text()
    except OSError:
        return "a BLAS"
    found = re.search(r"/\S*(?:blas|mkl|blis)\S*\.so\S*", maps)
    return pathlib.Path(found[0]).name if found else "no BLAS"


def softmax(x):
    e = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def chain(x):
    for i in range(CHAIN_LENGTH):
        x = (numpy.exp, lambda y: y + numpy.float32(1), numpy.log)[i % 3](x)
    return x


def filter_picture(x):
    for axis in (1, 0):
        count = x.shape[axis]
        padded = numpy.pad(x, [(2, 2) if axis == a else (0, 0) for a in (0, 1)], mode="edge")
        x = sum(numpy.float32(weight) * numpy.take(padded, range(k, k + count), axis) for k, weight in enumerate(FILTER))
    return x


def implementations(task, inputs, shape, bins):
    array = make_array_selector(inputs)
    by_task = {
        "sum_u32": [("sum", lambda i: array(i).sum(dtype=numpy.uint32))],
        "sum_f32": [("sum", lambda i: array(i).sum())],
        "scan_u32": [("cumsum", lambda i: numpy.cumsum(array(i), dtype=numpy.uint32))],
        "transpose": [("ascontiguousarray", lambda i: numpy.ascontiguousarray(array(i).reshape(shape).T))],
        "filter": [("five slices twice", lambda i: filter_picture(array(i).reshape(shape)))],
        "histogram": [("histogram", lambda i: numpy.histogram(array(i), bins=bins, range=(-4.0, 4.0))[0])],
        "gaussian": [("eager", lambda i: density(array(i)))],
        "hypot": [("hypot", lambda i: numpy.hypot(array(i, 0), array(i, 1)))],
        "transfers": [("two copies and a sum", lambda i: numpy.add(array(i, 0).copy(), array(i, 1).copy()))],
        "row_norms": [("norm", lambda i: numpy.linalg.norm(array(i).reshape(-1, ROW_LENGTH), axis=1))],
        "softmax": [("eager", lambda i: softmax(array(i).reshape(shape)))],
        "chain": [("eager", lambda i: chain(array(i)))],
        "row_norm": [("norm", lambda i: numpy.linalg.norm(array(i).reshape(shape), axis=1))],
        "zero_suppression": [("where", lambda i: numpy.where(array(i) < 15, numpy.int16(0), array(i)))],
        "hidden_layer": [("eager", lambda i: numpy.tanh(array(i, 0) / numpy.float32(255) * array(i, 1)))],
    }
    if task == "attention":
        def attend(i):
            q, k, v = (array(i, number).reshape(*shape, -1) for number in range(3))
            scores = q @ k.transpose(0, 2, 1) / numpy.float32(math.sqrt(q.shape[-1]))
            return softmax(scores) @ v

        return [(f"softmax and matmul ({find_blas()})", attend)]
    if task == "matmul":
        m, n, k = shape
        return [(f"matmul ({find_blas()})", lambda i: array(i, 0).reshape(m, k) @ array(i, 1).reshape(k, n))]
    if task == "pi":
        generator = numpy.random.default_rng(1)

        def pi(i):
            x, y = (generator.random(shape[0], dtype=numpy.float32) for _ in range(2))
            return (x * x + y * y < 1).sum()

        return [("random arrays, then a sum", pi)]
    return by_task.get(task, [])


def time_calls(work, repeats, cover_ns):
    """Returns the host's time of all repeats in nanoseconds twice, since NumPy queues no work."""
    start = time.perf_counter_ns()
    for i in range(repeats):
        work(i)
    ns = time.perf_counter_ns() - start
    return ns, ns


def synchronise():
    pass


def to_host(array):
    return numpy.atleast_1d(array)


def release():
    pass
