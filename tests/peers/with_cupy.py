"""CuPy on the lessons' tasks, as its users write them. See worker.py for what a peer's module offers."""

import math
import os

os.environ.pop("CUPY_TF32", None)  # products in f32, as the app's

import cupy  # noqa: E402
import cupyx  # noqa: E402
import numpy  # noqa: E402

from tasks import CHAIN_LENGTH, ROW_LENGTH, queued_between, rows_of  # noqa: E402

IS_GPU = True

spin = cupy.RawKernel(
    'extern "C" __global__ void spin(long long cycles) {'
    " const long long start = clock64(); while (clock64() - start < cycles) {} }",
    "spin",
)


def version():
    cupy.zeros(1).sum()  # no device: an error, now
    return f"CuPy {cupy.__version__}"


def repeated(row, times):
    block = cupy.asarray(row)
    if times == 1:
        return block
    whole = cupy.empty(row.size * times, dtype=row.dtype)
    whole.reshape(times, row.size)[...] = block
    return whole


def density(x):
    return cupy.exp(-0.5 * ((x - 0.0) / 1.0) ** 2) / (1.0 * math.sqrt(2 * math.pi))


def layer(grey, weight):
    v = grey / 255 * weight
    return (cupy.exp(v) - cupy.exp(-v)) / (cupy.exp(v) + cupy.exp(-v))


def are_hits(x, y):
    return x * x + y * y < 1


fused_hits = cupy.fuse(are_hits)
def powers(x, largest):
    return cupy.exp(x - largest)


def softmax(x, powers_of):
    e = powers_of(x, x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


fused_density = cupy.fuse(density)
fused_layer = cupy.fuse(layer)
fused_powers = cupy.fuse(powers)


def chain(x):
    for i in range(CHAIN_LENGTH):
        x = (cupy.exp, lambda y: y + 1, cupy.log)[i % 3](x)
    return x


fused_chain = cupy.fuse(chain)


def ways(task, inputs, shape, bins):
    row = rows_of(inputs)
    ways_of = {
        "sum_u32": [("sum", lambda i: row(i).sum(dtype=cupy.uint32))],
        "sum_f32": [("sum", lambda i: row(i).sum())],
        "histogram": [("histogram", lambda i: cupy.histogram(row(i), bins=bins, range=(-4.0, 4.0))[0])],
        "gaussian": [("fused", lambda i: fused_density(row(i))), ("eager", lambda i: density(row(i)))],
        "hypot": [("hypot", lambda i: cupy.hypot(row(i, 0), row(i, 1)))],
        "row_norms": [("norm", lambda i: cupy.linalg.norm(row(i).reshape(-1, ROW_LENGTH), axis=1))],
        "softmax": [("exp of differences, fused", lambda i: softmax(row(i).reshape(shape), fused_powers)),
            ("eager", lambda i: softmax(row(i).reshape(shape), powers))],
        "chain": [("fused", lambda i: fused_chain(row(i))), ("eager", lambda i: chain(row(i)))],
        "row_norm": [("norm", lambda i: cupy.linalg.norm(row(i).reshape(shape), axis=1))],
        "zero_suppression": [("where", lambda i: cupy.where(row(i) < 15, cupy.int16(0), row(i)))],
        "hidden_layer": [("fused", lambda i: fused_layer(row(i, 0), row(i, 1)))],
    }
    if task == "transfers":
        above, below = inputs[0], [cupyx.empty_pinned(row(0).size, numpy.float32) for _ in range(3)]
        for number in (0, 1):
            below[number][...] = cupy.asnumpy(above[number])
        total = cupy.empty_like(above[0])

        def there_and_back(_):
            for number in (0, 1):
                above[number].set(below[number])
            cupy.add(*above, out=total)
            return total.get(out=below[2])

        return [("pinned", there_and_back)]
    if task == "matmul":
        m, n, k = shape
        return [("matmul", lambda i: row(i, 0).reshape(m, k) @ row(i, 1).reshape(k, n))]
    if task == "pi":
        def pi(hits_of):
            def thrown(i):
                x, y = (cupy.random.random(shape[0], dtype=cupy.float32) for _ in range(2))
                return hits_of(x, y).sum()

            return thrown

        return [("random arrays, then a sum", pi(are_hits)), ("the same, fused between them", pi(fused_hits))]
    return ways_of.get(task, [])


def elapsed(work, repeats, cover_ns):
    """GPU nanoseconds of all repeats, and the host's for queueing them; cover_ns: see worker.py's Sampler."""
    first, last = cupy.cuda.Event(), cupy.cuda.Event()
    if cover_ns > 0:
        spin((1,), (1,), (numpy.int64(2 * cover_ns),))
    return queued_between(first, last, work, repeats, cupy.cuda.get_elapsed_time)


def synchronise():
    cupy.cuda.Device().synchronize()


def on_host(array):
    return numpy.atleast_1d(cupy.asnumpy(array))


def release():
    cupy.get_default_memory_pool().free_all_blocks()
