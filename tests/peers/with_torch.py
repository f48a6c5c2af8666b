"""The lessons' tasks with PyTorch in eager mode. worker.py describes the interface."""

import math
import sys

import numpy
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from tasks import CHAIN_LENGTH, FILTER, ROW_LENGTH, make_array_selector, time_queued_calls

IS_GPU = True
torch.backends.cuda.matmul.allow_tf32 = False  # products in f32, as in the app
torch.backends.cudnn.allow_tf32 = False
torch.set_float32_matmul_precision("highest")


def version():
    torch.zeros(1, device="cuda").sum().item()
    return f"PyTorch {torch.__version__}"


def repeat_array(array, times):
    # PyTorch has little arithmetic for u32, but sums modulo 2^32 are equal in i32.
    block = torch.from_numpy(array.view(numpy.int32) if array.dtype == numpy.uint32 else array).cuda()
    return block.repeat(times) if times > 1 else block


def density(x):
    return torch.exp(-0.5 * ((x - 0.0) / 1.0) ** 2) / (1.0 * math.sqrt(2 * math.pi))


def chain(x):
    for i in range(CHAIN_LENGTH):
        x = (torch.exp, lambda y: y + 1, torch.log)[i % 3](x)
    return x


def compile_chain():
    """Returns chain() compiled by torch.compile, or None if the compiler does not work on this machine."""
    try:
        compiled = torch.compile(chain)
        compiled(torch.zeros(1000, device="cuda"))
        return compiled
    except Exception as error:  # pylint: disable=broad-except
        print(f"torch.compile does not work: {str(error).splitlines()[0]}", file=sys.stderr)
        return None


def implementations(task, inputs, shape, bins):
    array = make_array_selector(inputs)
    by_task = {
        "sum_u32": [("sum", lambda i: torch.sum(array(i), dtype=torch.int32))],
        "sum_f32": [("sum", lambda i: torch.sum(array(i)))],
        "scan_u32": [("cumsum", lambda i: torch.cumsum(array(i), 0, dtype=torch.int32))],
        "transpose": [("contiguous", lambda i: array(i).view(shape).t().contiguous())],
        "histogram": [("histc", lambda i: torch.histc(array(i), bins=bins, min=-4, max=4))],
        "gaussian": [("eager", lambda i: density(array(i)))],
        "hypot": [("hypot", lambda i: torch.hypot(array(i, 0), array(i, 1)))],
        "row_norms": [("vector_norm", lambda i: torch.linalg.vector_norm(array(i).view(-1, ROW_LENGTH), dim=1))],
        "softmax": [("softmax", lambda i: torch.softmax(array(i).view(shape), dim=1))],
        "row_norm": [("vector_norm", lambda i: torch.linalg.vector_norm(array(i).view(shape), dim=1))],
        "hidden_layer": [("eager", lambda i: torch.tanh(array(i, 0) / 255 * array(i, 1)))],
    }
    if task == "transfers":
        device_arrays, host_arrays = inputs[0], [tensor.cpu().pin_memory() for tensor in (*inputs[0], array(0))]
        total = torch.empty_like(device_arrays[0])

        def copy_add_copy(_):
            for number in (0, 1):
                device_arrays[number].copy_(host_arrays[number], non_blocking=True)
            torch.add(*device_arrays, out=total)
            return host_arrays[2].copy_(total)

        return [("pinned", copy_add_copy)]
    if task == "filter":
        weights = torch.tensor(FILTER, device="cuda")

        def convolve(i):
            padded = torch.nn.functional.pad(array(i).view(1, 1, *shape), (2, 2, 2, 2), mode="replicate")
            rows = torch.nn.functional.conv2d(padded, weights.view(1, 1, 1, 5))
            return torch.nn.functional.conv2d(rows, weights.view(1, 1, 5, 1))

        return [("conv2d twice", convolve)]
    if task == "attention":
        heads, words = shape
        kernels = (("MATH, no TF32", SDPBackend.MATH), ("EFFICIENT_ATTENTION", SDPBackend.EFFICIENT_ATTENTION))

        def attend(i, backend):
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(
                    *(array(i, number).view(1, heads, words, -1) for number in range(3)))

        return [(name, lambda i, backend=backend: attend(i, backend)) for name, backend in kernels]
    if task == "matmul_f16":
        m, n, k = shape
        return [("matmul", lambda i: array(i, 0).view(m, k) @ array(i, 1).view(k, n))]
    if task == "matmul":
        m, n, k = shape
        return [("matmul, no TF32", lambda i: array(i, 0).view(m, k) @ array(i, 1).view(k, n))]
    if task == "chain":
        compiled = compile_chain()
        compiled_entry = [("torch.compile", lambda i: compiled(array(i)))] if compiled else []
        return [("eager", lambda i: chain(array(i))), *compiled_entry]
    if task == "pi":
        def pi(i):
            x, y = (torch.rand(shape[0], device="cuda") for _ in range(2))
            return (x * x + y * y < 1).sum()

        return [("random arrays, then a sum", pi)]
    if task == "zero_suppression":
        zero = torch.zeros((), dtype=torch.int16, device="cuda")
        return [("where", lambda i: torch.where(array(i) < 15, zero, array(i)))]
    if task == "copy":
        target = torch.empty_like(array(0))
        return [("copy_", lambda i: target.copy_(array(i)))]
    return by_task.get(task, [])


def time_calls(work, repeats, cover_ns):
    """Returns the GPU time of all repeats and the host's time to queue them, in ns. worker.Sampler sets cover_ns."""
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    if cover_ns > 0:
        torch.cuda._sleep(int(2 * cover_ns))
    return time_queued_calls(first, last, work, repeats, torch.cuda.Event.elapsed_time)


def synchronise():
    torch.cuda.synchronize()


def to_host(tensor):
    array = numpy.atleast_1d(tensor.cpu().numpy())
    return array.view(numpy.uint32) if array.dtype == numpy.int32 else array


def release():
    torch.cuda.empty_cache()
