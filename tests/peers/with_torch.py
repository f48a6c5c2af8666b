"""PyTorch on the lessons' tasks, eager. See worker.py for what a peer's module offers."""

import math
import sys

import numpy
import torch

from tasks import CHAIN_LENGTH, ROW_LENGTH, queued_between, rows_of

IS_GPU = True
torch.backends.cuda.matmul.allow_tf32 = False  # products in f32, as the app's
torch.set_float32_matmul_precision("highest")


def version():
    torch.zeros(1, device="cuda").sum().item()
    return f"PyTorch {torch.__version__}"


def repeated(row, times):
    # PyTorch has little arithmetic for u32; sums modulo 2^32 are the same in i32.
    block = torch.from_numpy(row.view(numpy.int32) if row.dtype == numpy.uint32 else row).cuda()
    return block.repeat(times) if times > 1 else block


def density(x):
    return torch.exp(-0.5 * ((x - 0.0) / 1.0) ** 2) / (1.0 * math.sqrt(2 * math.pi))


def chain(x):
    for i in range(CHAIN_LENGTH):
        x = (torch.exp, lambda y: y + 1, torch.log)[i % 3](x)
    return x


def compiled_chain():
    """Compiled by PyTorch's own compiler; None where that has not what it needs."""
    try:
        compiled = torch.compile(chain)
        compiled(torch.zeros(1000, device="cuda"))
        return compiled
    except Exception as error:  # pylint: disable=broad-except
        print(f"torch.compile is not there: {str(error).splitlines()[0]}", file=sys.stderr)
        return None


def ways(task, inputs, shape, bins):
    row = rows_of(inputs)
    ways_of = {
        "sum_u32": [("sum", lambda i: torch.sum(row(i), dtype=torch.int32))],
        "sum_f32": [("sum", lambda i: torch.sum(row(i)))],
        "histogram": [("histc", lambda i: torch.histc(row(i), bins=bins, min=-4, max=4))],
        "gaussian": [("eager", lambda i: density(row(i)))],
        "hypot": [("hypot", lambda i: torch.hypot(row(i, 0), row(i, 1)))],
        "row_norms": [("vector_norm", lambda i: torch.linalg.vector_norm(row(i).view(-1, ROW_LENGTH), dim=1))],
        "softmax": [("softmax", lambda i: torch.softmax(row(i).view(shape), dim=1))],
        "row_norm": [("vector_norm", lambda i: torch.linalg.vector_norm(row(i).view(shape), dim=1))],
        "hidden_layer": [("eager", lambda i: torch.tanh(row(i, 0) / 255 * row(i, 1)))],
    }
    if task == "transfers":
        above, below = inputs[0], [one.cpu().pin_memory() for one in (*inputs[0], row(0))]
        total = torch.empty_like(above[0])

        def there_and_back(_):
            for number in (0, 1):
                above[number].copy_(below[number], non_blocking=True)
            torch.add(*above, out=total)
            return below[2].copy_(total)

        return [("pinned", there_and_back)]
    if task == "matmul":
        m, n, k = shape
        return [("matmul, no TF32", lambda i: row(i, 0).view(m, k) @ row(i, 1).view(k, n))]
    if task == "chain":
        compiled = compiled_chain()
        compiled_way = [("torch.compile", lambda i: compiled(row(i)))] if compiled else []
        return [("eager", lambda i: chain(row(i))), *compiled_way]
    if task == "pi":
        def pi(i):
            x, y = (torch.rand(shape[0], device="cuda") for _ in range(2))
            return (x * x + y * y < 1).sum()

        return [("random arrays, then a sum", pi)]
    if task == "zero_suppression":
        zero = torch.zeros((), dtype=torch.int16, device="cuda")
        return [("where", lambda i: torch.where(row(i) < 15, zero, row(i)))]
    if task == "copy":
        target = torch.empty_like(row(0))
        return [("copy_", lambda i: target.copy_(row(i)))]
    return ways_of.get(task, [])


def elapsed(work, repeats, cover_ns):
    """GPU nanoseconds of all repeats, and the host's for queueing them; cover_ns: see worker.py's Sampler."""
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    if cover_ns > 0:
        torch.cuda._sleep(int(2 * cover_ns))
    return queued_between(first, last, work, repeats, torch.cuda.Event.elapsed_time)


def synchronise():
    torch.cuda.synchronize()


def on_host(tensor):
    array = numpy.atleast_1d(tensor.cpu().numpy())
    return array.view(numpy.uint32) if array.dtype == numpy.int32 else array


def release():
    torch.cuda.empty_cache()
