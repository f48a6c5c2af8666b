"""Numba-CUDA on the lessons' tasks, as a course's notebooks write them: one thread an element, Python numbers for the
parameters; and as universal functions (@vectorize), which make an array for each result. See worker.py for what a peer's
module offers."""

import functools
import math

import numpy

# Numba asks for names that NumPy 2 has taken away.
for old, new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(numpy, old) and hasattr(numpy, new):
        setattr(numpy, old, getattr(numpy, new))

import numba  # noqa: E402
from numba import cuda  # noqa: E402
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32  # noqa: E402

from tasks import ROW_LENGTH, queued_between, rows_of  # noqa: E402

IS_GPU = True
THREADS = 256
MOST_STATES = 1 << 18


@cuda.jit
def clear(counts):
    i = cuda.grid(1)
    if i < counts.size:
        counts[i] = 0


@cuda.jit
def count(x, low, high, counts):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        if value >= low and value < high:
            cuda.atomic.add(counts, int((value - low) / (high - low) * counts.size), 1)


@cuda.jit
def density(x, mean, sigma, densities):
    i = cuda.grid(1)
    if i < x.size:
        z = (x[i] - mean) / sigma
        densities[i] = math.exp(-0.5 * z * z) / (sigma * math.sqrt(2 * math.pi))


@cuda.jit
def silence(samples, threshold, silenced):
    i = cuda.grid(1)
    if i < samples.size:
        if samples[i] < threshold:
            silenced[i] = 0
        else:
            silenced[i] = samples[i]


@cuda.jit
def normalise(grey, normalised):
    i = cuda.grid(1)
    if i < grey.size:
        normalised[i] = grey[i] / 255


@cuda.jit
def measure(x, y, lengths):
    i = cuda.grid(1)
    if i < x.size:
        lengths[i] = math.hypot(x[i], y[i])


@cuda.jit
def find_norm(x, row_length, norms):
    row = cuda.grid(1)
    if row < norms.size:
        total = numba.float32(0)
        for column in range(row_length):
            number = x[row * row_length + column]
            total += number * number
        norms[row] = math.sqrt(total)


@cuda.jit
def throw(states, points, hits):
    i = cuda.grid(1)
    if i < states.size:
        inside = 0
        for _ in range(points):
            x = xoroshiro128p_uniform_float32(states, i)
            y = xoroshiro128p_uniform_float32(states, i)
            if x * x + y * y < 1.0:
                inside += 1
        cuda.atomic.add(hits, 0, inside)


@cuda.jit
def weigh(value, weight, weighed):
    i = cuda.grid(1)
    if i < value.size:
        weighed[i] = value[i] * weight[i]


@cuda.jit
def activate(value, activation):
    i = cuda.grid(1)
    if i < value.size:
        v = value[i]
        activation[i] = (math.exp(v) - math.exp(-v)) / (math.exp(v) + math.exp(-v))


@cuda.jit
def spin(rounds, out):
    state = out[0] | 1
    for _ in range(rounds):
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
    out[0] = state


@functools.cache
def universal(signature, function):
    """Compiled when first wanted: a second or so."""
    return numba.vectorize([signature], target="cuda")(function)


def density_of(x, mean, sigma):
    return math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


def length_of(x, y):
    return math.hypot(x, y)


def silenced(sample, threshold):
    return 0 if sample < threshold else sample


def normalised(grey):
    return grey / 255


def weighed(value, weight):
    return value * weight


def activated(v):
    return (math.exp(v) - math.exp(-v)) / (math.exp(v) + math.exp(-v))


def version():
    cuda.current_context()
    return f"Numba {numba.__version__}"


def repeated(row, times):
    block = cuda.to_device(row)
    if times == 1:
        return block
    whole = cuda.device_array(row.size * times, dtype=row.dtype)
    for i in range(times):
        whole[i * row.size : (i + 1) * row.size].copy_to_device(block)
    return whole


def ways(task, inputs, shape, bins):
    n = shape[0]
    blocks = (n + THREADS - 1) // THREADS

    row = rows_of(inputs)

    def made(dtype, size=n):
        return cuda.device_array(size, dtype=dtype)

    if task == "histogram":
        counts = made(numpy.int32, bins)

        def histogram(i):
            clear[(bins + THREADS - 1) // THREADS, THREADS](counts)
            count[blocks, THREADS](row(i), -4.0, 4.0, counts)
            return counts

        return [("atomics in global memory", histogram)]
    if task == "gaussian":
        densities = made(numpy.float32)

        def gaussian(i):
            density[blocks, THREADS](row(i), 0.0, 1.0, densities)
            return densities

        def gaussian_universal(i):
            function = universal("float32(float32, float32, float32)", density_of)
            return function(row(i), numpy.float32(0), numpy.float32(1))

        return [("one kernel", gaussian), ("universal function", gaussian_universal)]
    if task == "hypot":
        lengths = made(numpy.float32)

        def hypot(i):
            measure[blocks, THREADS](row(i, 0), row(i, 1), lengths)
            return lengths

        def hypot_universal(i):
            return universal("float32(float32, float32)", length_of)(row(i, 0), row(i, 1))

        return [("one kernel", hypot), ("universal function", hypot_universal)]
    if task == "row_norms":
        norms = made(numpy.float32, n // ROW_LENGTH)

        def row_norms(i):
            find_norm[(norms.size + THREADS - 1) // THREADS, THREADS](row(i), ROW_LENGTH, norms)
            return norms

        return [("one thread a row", row_norms)]
    if task == "pi":
        # Threads that fill a large GPU. Their states are made once, and not timed.
        threads = min(n, MOST_STATES)
        states, hits = create_xoroshiro128p_states(threads, seed=1), made(numpy.int32, 1)

        def pi(i):
            clear[1, 1](hits)
            throw[threads // THREADS, THREADS](states, n // threads, hits)
            return hits

        return [("a generator for each thread", pi)]
    if task == "zero_suppression":
        kept = made(numpy.int16)

        def zero_suppression(i):
            silence[blocks, THREADS](row(i), 15, kept)
            return kept

        def zero_suppression_universal(i):
            return universal("int16(int16, int16)", silenced)(row(i), numpy.int16(15))

        return [("one kernel", zero_suppression), ("universal function", zero_suppression_universal)]
    if task == "hidden_layer":
        first, second, activation = (made(numpy.float32) for _ in range(3))

        def hidden_layer(i):
            normalise[blocks, THREADS](row(i, 0), first)
            weigh[blocks, THREADS](first, row(i, 1), second)
            activate[blocks, THREADS](second, activation)
            return activation

        def hidden_layer_universal(i):
            values = universal("float32(float32)", normalised)(row(i, 0))
            values = universal("float32(float32, float32)", weighed)(values, row(i, 1))
            return universal("float32(float32)", activated)(values)

        return [("three kernels", hidden_layer), ("three universal functions", hidden_layer_universal)]
    return []


waiting = None


def wait_on_device(ns):
    """Keeps the device busy while the host queues the work; goes without where the compiler refuses."""
    global waiting
    try:
        if waiting is None:
            waiting = cuda.to_device(numpy.ones(1, dtype=numpy.int64))
        if waiting is not False:
            spin[1, 1](int(ns / 10), waiting)  # a round takes some ten nanoseconds
    except Exception as error:
        print(f"nothing to wait with: {error}")
        waiting = False


def elapsed(work, repeats, cover_ns):
    """GPU nanoseconds of all repeats, and the host's for queueing them; cover_ns: see worker.py's Sampler."""
    first, last = cuda.event(timing=True), cuda.event(timing=True)
    if cover_ns > 0:
        wait_on_device(cover_ns)
    return queued_between(first, last, work, repeats, cuda.event_elapsed_time)


def synchronise():
    cuda.synchronize()


def on_host(array):
    return array.copy_to_host()


def release():
    cuda.synchronize()
