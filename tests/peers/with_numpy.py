"""NumPy on the lessons' tasks, where there is no GPU. See worker.py for what a peer's module offers."""

import math
import pathlib
import re
import time

import numpy

from tasks import CHAIN_LENGTH, ROW_LENGTH, rows_of

IS_GPU = False


def version():
    return f"NumPy {numpy.__version__}"


def repeated(row, times):
    return numpy.tile(row, times) if times > 1 else row


def density(x):
    return numpy.exp(-0.5 * ((x - 0.0) / 1.0) ** 2) / (1.0 * math.sqrt(2 * math.pi))


def blas():
    """The library that this process has loaded for products, such as libopenblas.so.0."""
    try:
        maps = pathlib.Path("/proc/self/maps").read_text()
    except OSError:
        return "a BLAS"
    found = re.search(r"/\S*(?:blas|mkl|blis)\S*\.so\S*", maps)
    return pathlib.Path(found[0]).name if found else "no BLAS"


def softmax(x):
    e = numpy.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def chain(x):
    for i in range(CHAIN_LENGTH):
        x = (numpy.exp, lambda y: y + numpy.float32(1), numpy.log)[i % 3](x)
    return x


def ways(task, inputs, shape, bins):
    row = rows_of(inputs)
    ways_of = {
        "sum_u32": [("sum", lambda i: row(i).sum(dtype=numpy.uint32))],
        "sum_f32": [("sum", lambda i: row(i).sum())],
        "histogram": [("histogram", lambda i: numpy.histogram(row(i), bins=bins, range=(-4.0, 4.0))[0])],
        "gaussian": [("eager", lambda i: density(row(i)))],
        "hypot": [("hypot", lambda i: numpy.hypot(row(i, 0), row(i, 1)))],
        "transfers": [("two copies and a sum", lambda i: numpy.add(row(i, 0).copy(), row(i, 1).copy()))],
        "row_norms": [("norm", lambda i: numpy.linalg.norm(row(i).reshape(-1, ROW_LENGTH), axis=1))],
        "softmax": [("eager", lambda i: softmax(row(i).reshape(shape)))],
        "chain": [("eager", lambda i: chain(row(i)))],
        "row_norm": [("norm", lambda i: numpy.linalg.norm(row(i).reshape(shape), axis=1))],
        "zero_suppression": [("where", lambda i: numpy.where(row(i) < 15, numpy.int16(0), row(i)))],
        "hidden_layer": [("eager", lambda i: numpy.tanh(row(i, 0) / numpy.float32(255) * row(i, 1)))],
    }
    if task == "matmul":
        m, n, k = shape
        return [(f"matmul ({blas()})", lambda i: row(i, 0).reshape(m, k) @ row(i, 1).reshape(k, n))]
    if task == "pi":
        generator = numpy.random.default_rng(1)

        def pi(i):
            x, y = (generator.random(shape[0], dtype=numpy.float32) for _ in range(2))
            return (x * x + y * y < 1).sum()

        return [("random arrays, then a sum", pi)]
    return ways_of.get(task, [])


def elapsed(work, repeats, cover_ns):
    """Nanoseconds of all repeats, by the host's clock, twice: nothing is queued here."""
    start = time.perf_counter_ns()
    for i in range(repeats):
        work(i)
    ns = time.perf_counter_ns() - start
    return ns, ns


def synchronise():
    pass


def on_host(array):
    return numpy.atleast_1d(array)


def release():
    pass
