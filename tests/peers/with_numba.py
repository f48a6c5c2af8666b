"""The lessons' tasks with Numba-CUDA, as in the notebooks of a course: kernels with one thread per element and Python
numbers as parameters, and universal functions (@vectorize), which allocate an array for each result. worker.py
describes the interface."""

import functools
import math

import numpy

# Numba uses names that NumPy 2 has removed.
for old, new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(numpy, old) and hasattr(numpy, new):
        setattr(numpy, old, getattr(numpy, new))

import numba  # noqa: E402
from numba import cuda  # noqa: E402
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32  # noqa: E402

from tasks import ROW_LENGTH, make_array_selector, time_queued_calls  # noqa: E402

IS_GPU = True
THREADS = 256
MAX_STATES = 1 << 18


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
def silence(samples, threshold, output):
    i = cuda.grid(1)
    if i < samples.size:
        if samples[i] < threshold:
            output[i] = 0
        else:
            output[i] = samples[i]


@cuda.jit
def normalise(grey, output):
    i = cuda.grid(1)
    if i < grey.size:
        output[i] = grey[i] / 255


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
def count_hits(states, points, hits):
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
def weigh(value, weight, output):
    i = cuda.grid(1)
    if i < value.size:
        output[i] = value[i] * weight[i]


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
def compile_universal(signature, function):
    """Compiles the function at its first use, which takes about a second."""
    return numba.vectorize([signature], target="cuda")(function)


def density_scalar(x, mean, sigma):
    return math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


def length_scalar(x, y):
    return math.hypot(x, y)


def silence_scalar(sample, threshold):
    return 0 if sample < threshold else sample


def normalise_scalar(grey):
    return grey / 255


def weigh_scalar(value, weight):
    return value * weight


def activate_scalar(v):
    return (math.exp(v) - math.exp(-v)) / (math.exp(v) + math.exp(-v))


def version():
    cuda.current_context()
    return f"Numba {numba.__version__}"


def repeat_array(array, times):
    block = cuda.to_device(array)
    if times == 1:
        return block
    repeated = cuda.device_array(array.size * times, dtype=array.dtype)
    for i in range(times):
        repeated[i * array.size : (i + 1) * array.size].copy_to_device(block)
    return repeated


def implementations(task, inputs, shape, bins):
    n = shape[0]
    blocks = (n + THREADS - 1) // THREADS

    array = make_array_selector(inputs)

    def make_array(dtype, size=n):
        return cuda.device_array(size, dtype=dtype)

    if task == "histogram":
        counts = make_array(numpy.int32, bins)

        def histogram(i):
            clear[(bins + THREADS - 1) // THREADS, THREADS](counts)
            count[blocks, THREADS](array(i), -4.0, 4.0, counts)
            return counts

        return [("atomics in global memory", histogram)]
    if task == "gaussian":
        densities = make_array(numpy.float32)

        def gaussian(i):
            density[blocks, THREADS](array(i), 0.0, 1.0, densities)
            return densities

        def gaussian_universal(i):
            function = compile_universal("float32(float32, float32, float32)", density_scalar)
            return function(array(i), numpy.float32(0), numpy.float32(1))

        return [("one kernel", gaussian), ("universal function", gaussian_universal)]
    if task == "hypot":
        lengths = make_array(numpy.float32)

        def hypot(i):
            measure[blocks, THREADS](array(i, 0), array(i, 1), lengths)
            return lengths

        def hypot_universal(i):
            return compile_universal("float32(float32, float32)", length_scalar)(array(i, 0), array(i, 1))

        return [("one kernel", hypot), ("universal function", hypot_universal)]
    if task == "row_norms":
        norms = make_array(numpy.float32, n // ROW_LENGTH)

        def row_norms(i):
            find_norm[(norms.size + THREADS - 1) // THREADS, THREADS](array(i), ROW_LENGTH, norms)
            return norms

        return [("one thread a row", row_norms)]
    if task == "pi":
        # These threads fill a large GPU. Their states are created once and not timed.
        threads = min(n, MAX_STATES)
        states, hits = create_xoroshiro128p_states(threads, seed=1), make_array(numpy.int32, 1)

        def pi(i):
            clear[1, 1](hits)
            count_hits[threads // THREADS, THREADS](states, n // threads, hits)
            return hits

        return [("a generator for each thread", pi)]
    if task == "zero_suppression":
        output = make_array(numpy.int16)

        def zero_suppression(i):
            silence[blocks, THREADS](array(i), 15, output)
            return output

        def zero_suppression_universal(i):
            return compile_universal("int16(int16, int16)", silence_scalar)(array(i), numpy.int16(15))

        return [("one kernel", zero_suppression), ("universal function", zero_suppression_universal)]
    if task == "hidden_layer":
        first, second, activation = (make_array(numpy.float32) for _ in range(3))

        def hidden_layer(i):
            normalise[blocks, THREADS](array(i, 0), first)
            weigh[blocks, THREADS](first, array(i, 1), second)
            activate[blocks, THREADS](second, activation)
            return activation

        def hidden_layer_universal(i):
            values = compile_universal("float32(float32)", normalise_scalar)(array(i, 0))
            values = compile_universal("float32(float32, float32)", weigh_scalar)(values, array(i, 1))
            return compile_universal("float32(float32)", activate_scalar)(values)

        return [("three kernels", hidden_layer), ("three universal functions", hidden_layer_universal)]
    return []


spin_buffer = None


def wait_on_device(ns):
    """Keeps the device busy while the host queues the work. Returns at once if the waiting kernel does not compile."""
    global spin_buffer
    try:
        if spin_buffer is None:
            spin_buffer = cuda.to_device(numpy.ones(1, dtype=numpy.int64))
        if spin_buffer is not False:
            spin[1, 1](int(ns / 10), spin_buffer)  # a round takes about ten nanoseconds
    except Exception as error:
        print(f"the waiting kernel does not work: {error}")
        spin_buffer = False


def time_calls(work, repeats, cover_ns):
    """Returns the GPU time of all repeats and the host's time to queue them, in ns. worker.Sampler sets cover_ns."""
    first, last = cuda.event(timing=True), cuda.event(timing=True)
    if cover_ns > 0:
        wait_on_device(cover_ns)
    return time_queued_calls(first, last, work, repeats, cuda.event_elapsed_time)


def synchronise():
    cuda.synchronize()


def to_host(array):
    return array.copy_to_host()


def release():
    cuda.synchronize()
