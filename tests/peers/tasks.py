"""What is compared: tasks, their sizes, the app's settings that may be the best, and the ratios to reach."""

import dataclasses
import time

CHAIN_LENGTH = 8  # operations, one after another, on each number
ROW_LENGTH = 256  # numbers in a row, of whose rows the norms are found; plain_loops.cpp has it too
MOST_SAVED = 1 << 24  # elements of an input that the app writes; larger ones repeat it
LARGE = 1 << 25  # elements, from which on the app takes fewer samples


def rows_of(inputs):
    """What a way reads at its i-th call: copies of the input take turns, and an input may be several arrays."""
    return lambda i, number=0: inputs[i % len(inputs)][number]


def queued_between(first, last, work, repeats, elapsed_ms):
    """GPU nanoseconds of all repeats by two events, and the host's for queueing them."""
    first.record()
    start = time.perf_counter_ns()
    for i in range(repeats):
        work(i)
    host_ns = time.perf_counter_ns() - start
    last.record()
    last.synchronize()
    return 1e6 * elapsed_ms(first, last), host_ns


@dataclasses.dataclass(frozen=True)
class Size:
    """How much work: as the app is told, and as its peers are. Made by line(), rows() and product()."""

    name: str  # in tables
    shape: tuple  # (elements,), (rows, columns) or (m, n, k): for the peers
    flags: tuple  # for the app
    arrays: tuple = ()  # elements of each input; () where the lesson says how many inputs there are
    log2: int = None  # of the elements, where that is how the size is called
    weight: float = 2  # of the time that is left, against those of the others
    saved: "Size" = None  # whose input is saved and repeated; None: its own
    tuned: "Size" = None  # at which the app's settings are tried; None: itself

    @property
    def word(self):
        """For compiled peers, and for --sizes where there is no log2."""
        return "x".join(map(str, self.shape))

    @property
    def elements(self):
        return sum(self.arrays) or self.shape[0]


def line(log2):
    smaller = lambda most: line(most) if log2 > most else None  # noqa: E731
    return Size(f"2^{log2}", (1 << log2,), ("--elements", str(1 << log2)), log2=log2, weight=1 if log2 < 26 else 2,
                saved=smaller(24), tuned=smaller(27))


def rows(count, columns):
    flags = ("--rows", str(count), "--columns", str(columns))
    fewer = max(1, MOST_SAVED // columns)
    saved = rows(fewer, columns) if count > fewer and count % fewer == 0 else None
    return Size(f"{count}x{columns}", (count, columns), flags, (count * columns,), saved=saved)


def product(m, n, k):
    flags = ("--m", str(m), "--n", str(n), "--k", str(k))

    def at_most(most):
        fits = all(extent % min(extent, most) == 0 for extent in (m, n, k))
        smaller = [min(extent, most) for extent in (m, n, k)]
        return product(*smaller) if fits and smaller != [m, n, k] else None

    # The app has its answer checked on a processor, which takes a while.
    return Size(f"{m}x{n}x{k}", (m, n, k), flags, (m * k, k * n), weight=1 + m * n * k / 2**37, saved=at_most(1024),
                tuned=at_most(4096))


MADE_BY = {1: line, 2: rows, 3: product}


def in_groups(variant, size, count=0):
    """The app's setting in one dimension: invocations a workgroup, workgroups (0: auto)."""
    return (variant, "--workgroup-size", str(size)) + (("--workgroup-count", str(count)) if count else ())


@dataclasses.dataclass(frozen=True)
class Task:
    id: str  # row of the table, word for --tasks (the part before the bins, too)
    lesson: str
    program_task: str  # for cub_peers, plain_loops and worker.py
    flags: tuple = ()
    bins: int = 0
    sizes: tuple = (line(28),)  # on a GPU
    cpu_sizes: tuple = (line(22),)
    checked_at: Size = line(20)  # where answers are compared
    # The app's settings: a variant and flags; the first one where there is no time to try.
    candidates: tuple = ()
    cpu_candidates: tuple = ()
    tolerance: tuple = (0.0, 0.0)  # absolute, relative: of a peer's answer to the app's
    timing: str = "kernel_ns"  # what of the app's run is compared; of all of it, its peers are timed with their copies
    counts: str = "bytes"  # what the rate is of; or "points" that it makes, without any input; or "operations"
    copied_from: int = 1 << 28  # elements from which on a device copy of the same size is timed beside it; None: never
    without: tuple = ("cublas",)  # peers that have nothing of the kind; the others say so themselves, where they have not

    def size_of(self, word):
        """Such as 28 (log2 of the elements), 8192x8192 (rows x columns) or 250x130x70 (m x n x k); None for another task's."""
        numbers = [int(part) for part in word.split("x")]
        return MADE_BY[len(numbers)](*numbers) if len(numbers) == len(self.sizes[0].shape) else None


def sum_of(kind):
    return Task(
        f"sum_{kind}",
        "reduction",
        f"sum_{kind}",
        ("--element-type", kind),
        sizes=(line(20), line(24), line(28)),
        candidates=(in_groups("single_pass", 1024, 264), in_groups("single_pass", 512, 128),
                    in_groups("single_pass", 512, 264), in_groups("single_pass", 256), in_groups("grid_stride", 128),
                    in_groups("grid_stride", 512), in_groups("subgroup", 256)),
        cpu_candidates=(in_groups("subgroup", 128), in_groups("grid_stride", 128)),
        tolerance=(0.0, 0.0) if kind == "u32" else (0.0, 1e-3),
    )


def histogram_of(bins):
    return Task(
        f"histogram_{bins}",
        "histogram",
        "histogram",
        ("--bins", str(bins)),
        bins=bins,
        candidates=(in_groups("atomic_shared", 1024), in_groups("atomic_shared", 1024, 264),
                    in_groups("atomic_shared", 768, 264), in_groups("atomic_shared", 512, 264),
                    in_groups("atomic_shared", 512, 528), in_groups("subgroup_replicas", 1024)),
        cpu_candidates=(in_groups("atomic_shared", 256),),
    )


def in_tiles(variant, workgroup, results, depth):
    """A setting of the matrix product: results an invocation, and how much of k a tile holds."""
    return (variant, "--workgroup", workgroup, "--results", results, "--depth", str(depth))


def over_rows(name, variant, tolerance):
    return Task(name, "softmax", name, sizes=(rows(65536, 1024), rows(8192, 8192), rows(256, 262144)),
                cpu_sizes=(rows(4096, 1024),), checked_at=rows(300, 1000),
                candidates=tuple((variant, "--workgroup", f"{size}x1") for size in (256, 512, 1024, 128)),
                cpu_candidates=((variant, "--workgroup", "128x1"),), tolerance=tolerance, copied_from=0,
                without=("cublas", "numba"))


def chain_of(name, variant):
    """Eight operations on each number, one after another: exp, + 1 and log, again and again."""
    return Task(name, "tensor_graph", "chain",
                ("--graph", "chain", "--operations", str(CHAIN_LENGTH), "--numbers", "uniform"), sizes=(rows(8192, 8192),),
                cpu_sizes=(rows(1024, 1024),), checked_at=rows(300, 1000),
                candidates=tuple((variant, "--workgroup", f"{size}x1") for size in (256, 128, 512, 1024)),
                cpu_candidates=((variant, "--workgroup", "256x1"),), tolerance=(1e-5, 1e-4), copied_from=0,
                without=("cublas", "numba"))


TASKS = (
    sum_of("u32"),
    sum_of("f32"),
    histogram_of(10),
    histogram_of(256),
    histogram_of(1024),
    Task("gaussian", "gaussian", "gaussian", candidates=(in_groups("vec4", 256), in_groups("vec4", 128)),
         cpu_candidates=(in_groups("vec4", 256),), tolerance=(1e-7, 1e-5)),
    Task("hypot", "grid_stride", "hypot", candidates=(in_groups("vec4", 256), in_groups("vec4", 128)),
         cpu_candidates=(in_groups("vec4", 256),), tolerance=(1e-7, 1e-5)),
    # Each has points of its own. Of 2^20, two counts differ by less than 5 standard deviations: 5 sqrt(2 n p (1 - p)).
    Task(
        "pi",
        "monte_carlo_pi",
        "pi",
        sizes=(line(24), line(28)),
        candidates=(in_groups("philox", 256), in_groups("philox", 128), in_groups("philox", 512),
                    in_groups("philox", 1024), in_groups("philox", 256, 1056), in_groups("philox", 256, 2112),
                    in_groups("philox", 256, 8448)),
        cpu_candidates=(in_groups("philox", 256),),
        tolerance=(2973.0, 0.0),
        counts="points",
        copied_from=None,
    ),
    Task("transfers", "transfers", "transfers", ("--memory", "pinned"), candidates=(in_groups("add", 256),),
         cpu_candidates=(in_groups("add", 256),), timing="wall_ns", copied_from=None),
    Task(
        "row_norms",
        "coalescing",
        "row_norms",
        ("--row-length", str(ROW_LENGTH)),
        candidates=(in_groups("row_per_subgroup", 256), in_groups("row_per_subgroup", 512),
                    in_groups("row_per_subgroup", 1024), in_groups("row_per_subgroup", 256, 1056),
                    in_groups("row_per_subgroup", 256, 131072)),
        cpu_candidates=(in_groups("row_per_subgroup", 256),),
        tolerance=(0.0, 1e-4),
    ),
    Task("zero_suppression", "zero_suppression", "zero_suppression",
         candidates=(in_groups("packed", 256), in_groups("packed", 512), in_groups("packed", 128)),
         cpu_candidates=(in_groups("packed", 256),)),
    Task("hidden_layer", "hidden_layer", "hidden_layer", candidates=(in_groups("fused", 256), in_groups("fused", 128)),
         cpu_candidates=(in_groups("fused", 256),), tolerance=(1e-6, 1e-4)),
    # Its input is of sixteenths, whose products and sums are exact: what differs is wrong.
    Task(
        "matmul",
        "matmul",
        "matmul",
        sizes=tuple(product(n, n, n) for n in (1024, 2048, 4096, 8192)),
        cpu_sizes=(product(512, 512, 512),),
        checked_at=product(250, 130, 70),
        candidates=(("prefetch", "--workgroup", "16x16"), ("prefetch", "--workgroup", "16x8"),
                    in_tiles("prefetch", "16x8", "8x16", 8), in_tiles("prefetch", "16x16", "8x8", 16),
                    in_tiles("prefetch", "16x16", "8x8", 8), in_tiles("prefetch", "16x8", "8x8", 8),
                    in_tiles("prefetch", "16x8", "8x8", 16), in_tiles("prefetch", "8x8", "8x8", 16),
                    in_tiles("prefetch", "16x16", "4x8", 16)),
        cpu_candidates=(("prefetch", "--workgroup", "8x8"), ("register_tile", "--workgroup", "8x8")),
        tolerance=(1e-4, 1e-5),
        counts="operations",
        copied_from=None,
        without=("cub", "numba"),
    ),
    over_rows("softmax", "one_pass", tolerance=(1e-8, 1e-4)),
    over_rows("row_norm", "row_norm", tolerance=(0.0, 1e-4)),
    chain_of("chain", "fused"),
    chain_of("chain_eager", "eager"),  # what the fused one is compared with beside the peers: a launch an operation
)

# (task, size, peer, way or "" for any): the app's rate over the peer's, at least
TARGETS = {
    ("histogram_10", "2^28", "cub", ""): 1.6,
    ("histogram_256", "2^28", "cub", ""): 1.1,
    ("histogram_1024", "2^28", "cub", ""): 10,
    ("transfers", "2^28", "cupy", "pinned"): 0.8,
    ("transfers", "2^28", "torch", "pinned"): 0.8,
    ("row_norms", "2^28", "torch", "copy_"): 1.0,
    ("row_norms", "2^28", "cub", "cudaMemcpy"): 1.0,
    ("gaussian", "2^28", "cupy", "fused"): 2.5,
    ("zero_suppression", "2^28", "cupy", ""): 4.9,
    ("hidden_layer", "2^28", "cupy", "fused"): 1.75,
    ("pi", "2^28", "cupy", ""): 1.0,
    ("pi", "2^28", "numba", ""): 1.0,
    ("gaussian", "2^28", "numba", ""): 3.9,
    ("zero_suppression", "2^28", "numba", ""): 5.2,
    ("hidden_layer", "2^28", "numba", ""): 4.4,
}
for _kind in ("u32", "f32"):
    for _size, _ratio in (("2^20", 1.0), ("2^24", 1.0), ("2^28", 0.99)):
        TARGETS[(f"sum_{_kind}", _size, "cub", "")] = _ratio
for _n in (1024, 2048, 4096, 8192):
    TARGETS[("matmul", f"{_n}x{_n}x{_n}", "cublas", "")] = 0.9
# Of bytes that are read and written once. Rows that no workgroup can hold are read twice: 8 of 12 bytes.
for _size, _ratio in (("65536x1024", 0.95), ("8192x8192", 0.85), ("256x262144", 0.62)):
    for _peer, _way in (("torch", "copy_"), ("cub", "cudaMemcpy")):
        TARGETS[("softmax", _size, _peer, _way)] = _ratio
        TARGETS[("row_norm", _size, _peer, _way)] = 1.0
for _peer, _way in (("torch", "copy_"), ("cub", "cudaMemcpy")):
    TARGETS[("chain", "8192x8192", _peer, _way)] = 0.97
COPY_TARGET = 0.98  # of a device copy, every other task in one dimension


def target(task, size, peer, way):
    of_any_way = TARGETS.get((task, size, peer, ""))
    if way in ("cudaMemcpy", "copy_") and size.startswith("2^"):
        of_any_way = COPY_TARGET
    return TARGETS.get((task, size, peer, way), of_any_way)


def chosen(words):
    """The tasks that a list such as "sum,histogram_10" names; all for an empty one."""
    if not words:
        return list(TASKS)
    found = [task for task in TASKS if any(task.id == w or task.id.startswith(w + "_") for w in words)]
    unknown = [w for w in words if not any(task.id == w or task.id.startswith(w + "_") for task in TASKS)]
    if unknown:
        raise SystemExit(f"--tasks: there is no {', '.join(unknown)}. There are: {', '.join(t.id for t in TASKS)}.")
    return found
