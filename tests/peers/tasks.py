"""The tasks, their sizes, the candidates for the app's best setting, and the target ratios."""

import dataclasses
import time

CHAIN_LENGTH = 8  # consecutive operations on each number
FILTER = (1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16)  # of rows and of columns, in the task filter
ROW_LENGTH = 256  # numbers per row in the task row_norms; equals row_length in plain_loops.cpp
MAX_SAVED_ELEMENTS = 1 << 24  # elements of an input that the app saves; larger inputs repeat it
LARGE_ELEMENTS = 1 << 25  # the app takes fewer samples from this number of elements on


def make_array_selector(inputs):
    """Returns a function that gives an input array of the i-th call. Calls rotate through the copies of the input."""
    return lambda i, number=0: inputs[i % len(inputs)][number]


def time_queued_calls(first, last, work, repeats, elapsed_ms):
    """Returns the GPU time of all repeats between two events, and the host's time for queueing them, in nanoseconds."""
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
    """The size of a task, for the app and for its peers. make_line(), make_rows() and make_product() create it."""

    name: str  # in tables
    shape: tuple  # (elements,), (rows, columns) or (m, n, k): for the peers
    flags: tuple  # for the app
    arrays: tuple = ()  # elements of each input; () if the lesson determines the number of inputs
    log2: int = None  # log2 of the elements, if that names the size
    weight: float = 2  # relative share of the remaining time
    saved_size: "Size" = None  # the size whose input is saved and repeated; None: this size
    tuning_size: "Size" = None  # the size at which the app's settings are compared; None: this size

    @property
    def word(self):
        """The name for compiled peers, and for --sizes if there is no log2."""
        return "x".join(map(str, self.shape))

    @property
    def elements(self):
        return sum(self.arrays) or self.shape[0]


def make_line(log2):
    at_most = lambda limit: make_line(limit) if log2 > limit else None  # noqa: E731
    return Size(f"2^{log2}", (1 << log2,), ("--elements", str(1 << log2)), log2=log2, weight=1 if log2 < 26 else 2,
                saved_size=at_most(24), tuning_size=at_most(27))


def make_rows(count, columns):
    flags = ("--rows", str(count), "--columns", str(columns))
    fewer = max(1, MAX_SAVED_ELEMENTS // columns)
    saved_size = make_rows(fewer, columns) if count > fewer and count % fewer == 0 else None
    return Size(f"{count}x{columns}", (count, columns), flags, (count * columns,), saved_size=saved_size)


def make_product(m, n, k, names=("--m", "--n", "--k")):
    flags = tuple(word for name, extent in zip(names, (m, n, k)) for word in (name, str(extent)))

    def at_most(limit):
        divides = all(extent % min(extent, limit) == 0 for extent in (m, n, k))
        smaller = [min(extent, limit) for extent in (m, n, k)]
        return make_product(*smaller, names) if divides and smaller != [m, n, k] else None

    # The app checks its answer on the CPU, which takes long for large products.
    return Size(f"{m}x{n}x{k}", (m, n, k), flags, (m * k, k * n), weight=1 + m * n * k / 2**37,
                saved_size=at_most(1024), tuning_size=at_most(4096))


def make_half_product(m, n, k):
    return make_product(m, n, k, ("--rows", "--columns", "--k"))


def make_heads(heads, words, columns=64):
    """Returns the size of attention: heads with as many queries as keys."""
    flags = ("--heads", str(heads), "--queries", str(words), "--keys", str(words), "--d", str(columns))
    return Size(f"{heads}x{words}", (heads, words), flags, (heads * words * columns,) * 3,
                weight=1 + heads * words**2 / 2**26)


SIZE_MAKERS = {1: make_line, 2: make_rows, 3: make_product}


def make_setting(variant, size, count=0):
    """Returns a setting in one dimension: invocations per workgroup, and workgroups (0: auto)."""
    return (variant, "--workgroup-size", str(size)) + (("--workgroup-count", str(count)) if count else ())


@dataclasses.dataclass(frozen=True)
class Task:
    id: str  # the row of the table and a word for --tasks, which also accepts the part before the bins
    lesson: str
    program_task: str  # for cub_peers, plain_loops and worker.py
    flags: tuple = ()
    bins: int = 0
    sizes: tuple = (make_line(28),)  # default sizes on a GPU
    cpu_sizes: tuple = (make_line(22),)
    check_size: Size = make_line(20)  # the size at which answers are compared
    # The app's settings (variant and flags); the first one is the default.
    candidates: tuple = ()
    cpu_candidates: tuple = ()
    tolerance: tuple = (0.0, 0.0)  # absolute and relative tolerance of a peer's answer
    timing: str = "kernel_ns"  # the time of the app that is compared; with "wall_ns" peers time their copies as well
    rate_unit: str = "bytes"  # the unit of the rate: "bytes", "operations", or "points" (which have no input)
    min_copy_elements: int = 1 << 28  # a device copy is timed as well from this number of elements on; None: never
    excluded_peers: tuple = ("cublas",)  # peers without this task; other peers may lack it as well
    make_size: object = None  # of the extents of a size; None: by their number, see SIZE_MAKERS

    def parse_size(self, word):
        """Parses 28 (log2 of the elements), 8192x8192 or 250x130x70. Returns None if the task has another kind."""
        numbers = [int(part) for part in word.split("x")]
        if len(numbers) != len(self.sizes[0].shape):
            return None
        return (self.make_size or SIZE_MAKERS[len(numbers)])(*numbers)


def make_sum_task(kind):
    return Task(
        f"sum_{kind}",
        "reduction",
        f"sum_{kind}",
        ("--element-type", kind),
        sizes=(make_line(20), make_line(24), make_line(28)),
        candidates=(make_setting("single_pass", 1024, 264), make_setting("single_pass", 512, 128),
                    make_setting("single_pass", 512, 264), make_setting("single_pass", 256),
                    make_setting("grid_stride", 128), make_setting("grid_stride", 512), make_setting("subgroup", 256)),
        cpu_candidates=(make_setting("subgroup", 128), make_setting("grid_stride", 128)),
        tolerance=(0.0, 0.0) if kind == "u32" else (0.0, 1e-3),
    )


def make_histogram_task(bins):
    return Task(
        f"histogram_{bins}",
        "histogram",
        "histogram",
        ("--bins", str(bins)),
        bins=bins,
        candidates=(make_setting("atomic_shared", 1024), make_setting("atomic_shared", 1024, 264),
                    make_setting("atomic_shared", 768, 264), make_setting("atomic_shared", 512, 264),
                    make_setting("atomic_shared", 512, 528), make_setting("subgroup_replicas", 1024)),
        cpu_candidates=(make_setting("atomic_shared", 256),),
    )


def make_tile_setting(variant, workgroup, results, depth):
    """Returns a setting of the matrix product: results per invocation, and the extent of a tile along k."""
    return (variant, "--workgroup", workgroup, "--results", results, "--depth", str(depth))


def make_row_task(name, variant, tolerance, others=()):
    return Task(name, "softmax", name, sizes=(make_rows(65536, 1024), make_rows(8192, 8192), make_rows(256, 262144)),
                cpu_sizes=(make_rows(4096, 1024),), check_size=make_rows(300, 1000),
                candidates=(*((variant, "--workgroup", f"{size}x1") for size in (256, 512, 1024, 128)), *others),
                cpu_candidates=((variant, "--workgroup", "128x1"),), tolerance=tolerance, min_copy_elements=0,
                excluded_peers=("cublas", "numba"))


def make_picture_task(name, lesson, variant, flags, tolerance=(0.0, 0.0)):
    return Task(name, lesson, name, sizes=(make_rows(1024, 1024), make_rows(8192, 8192), make_rows(16384, 16384)),
                cpu_sizes=(make_rows(1024, 1024),), check_size=make_rows(300, 1000),
                candidates=tuple((variant, *each) for each in flags), cpu_candidates=((variant, *flags[0]),),
                tolerance=tolerance, min_copy_elements=0, excluded_peers=("cublas", "numba"))


def make_chain_task(name, variant):
    """Returns a task of eight consecutive operations on each number: exp, + 1 and log, repeatedly."""
    return Task(name, "tensor_graph", "chain",
                ("--graph", "chain", "--operations", str(CHAIN_LENGTH), "--numbers", "uniform"),
                sizes=(make_rows(8192, 8192),), cpu_sizes=(make_rows(1024, 1024),), check_size=make_rows(300, 1000),
                candidates=tuple((variant, "--workgroup", f"{size}x1") for size in (256, 128, 512, 1024)),
                cpu_candidates=((variant, "--workgroup", "256x1"),), tolerance=(1e-5, 1e-4), min_copy_elements=0,
                excluded_peers=("cublas", "numba"))


TASKS = (
    make_sum_task("u32"),
    make_sum_task("f32"),
    make_histogram_task(10),
    make_histogram_task(256),
    make_histogram_task(1024),
    Task("gaussian", "gaussian", "gaussian", candidates=(make_setting("vec4", 256), make_setting("vec4", 128)),
         cpu_candidates=(make_setting("vec4", 256),), tolerance=(1e-7, 1e-5)),
    Task("hypot", "grid_stride", "hypot", candidates=(make_setting("vec4", 256), make_setting("vec4", 128)),
         cpu_candidates=(make_setting("vec4", 256),), tolerance=(1e-7, 1e-5)),
    # Each peer has its own points. The tolerance at 2^20 points is 5 standard deviations: 5 sqrt(2 n p (1 - p)).
    Task(
        "pi",
        "monte_carlo_pi",
        "pi",
        sizes=(make_line(24), make_line(28)),
        candidates=(make_setting("philox", 256), make_setting("philox", 128), make_setting("philox", 512),
                    make_setting("philox", 1024), make_setting("philox", 256, 1056), make_setting("philox", 256, 2112),
                    make_setting("philox", 256, 8448)),
        cpu_candidates=(make_setting("philox", 256),),
        tolerance=(2973.0, 0.0),
        rate_unit="points",
        min_copy_elements=None,
    ),
    Task("transfers", "transfers", "transfers", ("--memory", "pinned"), candidates=(make_setting("add", 256),),
         cpu_candidates=(make_setting("add", 256),), timing="wall_ns", min_copy_elements=None),
    Task(
        "row_norms",
        "coalescing",
        "row_norms",
        ("--row-length", str(ROW_LENGTH)),
        candidates=(make_setting("row_per_subgroup", 256), make_setting("row_per_subgroup", 512),
                    make_setting("row_per_subgroup", 1024), make_setting("row_per_subgroup", 256, 1056),
                    make_setting("row_per_subgroup", 256, 131072)),
        cpu_candidates=(make_setting("row_per_subgroup", 256),),
        tolerance=(0.0, 1e-4),
    ),
    Task("zero_suppression", "zero_suppression", "zero_suppression",
         candidates=(make_setting("packed", 256), make_setting("packed", 512), make_setting("packed", 128)),
         cpu_candidates=(make_setting("packed", 256),)),
    Task("compaction", "zero_suppression", "compaction", sizes=(make_line(20), make_line(24), make_line(28)),
         candidates=tuple(make_setting("compact_registers", size) for size in (256, 128, 512, 1024)),
         cpu_candidates=(make_setting("compact_registers", 256),), excluded_peers=("cublas", "cupy", "torch", "numba")),
    Task("hidden_layer", "hidden_layer", "hidden_layer",
         candidates=(make_setting("fused", 256), make_setting("fused", 128)),
         cpu_candidates=(make_setting("fused", 256),), tolerance=(1e-6, 1e-4)),
    # Its input consists of sixteenths, whose products and sums are exact.
    Task(
        "matmul",
        "matmul",
        "matmul",
        sizes=tuple(make_product(n, n, n) for n in (1024, 2048, 4096, 8192)),
        cpu_sizes=(make_product(512, 512, 512),),
        check_size=make_product(250, 130, 70),
        candidates=(("prefetch", "--workgroup", "16x16"), ("prefetch", "--workgroup", "16x8"),
                    make_tile_setting("prefetch", "16x8", "8x16", 8), make_tile_setting("prefetch", "16x16", "8x8", 16),
                    make_tile_setting("prefetch", "16x16", "8x8", 8), make_tile_setting("prefetch", "16x8", "8x8", 8),
                    make_tile_setting("prefetch", "16x8", "8x8", 16), make_tile_setting("prefetch", "8x8", "8x8", 16),
                    make_tile_setting("prefetch", "16x16", "4x8", 16)),
        cpu_candidates=(("prefetch", "--workgroup", "8x8"), ("register_tile", "--workgroup", "8x8")),
        tolerance=(1e-4, 1e-5),
        rate_unit="operations",
        min_copy_elements=None,
        excluded_peers=("cub", "numba"),
    ),
    # The app pads its matrices, so extents are multiples of 128. PyTorch rounds its results to f16.
    Task("matmul_f16", "tensor_cores", "matmul_f16",
         sizes=tuple(make_half_product(n, n, n) for n in (1024, 2048, 4096, 8192)),
         cpu_sizes=(make_half_product(256, 256, 256),), check_size=make_half_product(256, 128, 128),
         candidates=(("prefetched",), ("more_fragments",), ("prefetched", "--width", "64")), cpu_candidates=(("prefetched",),),
         tolerance=(0.0, 2e-3), rate_unit="operations", min_copy_elements=None,
         excluded_peers=("cub", "cupy", "numba", "numpy", "plain_loops"), make_size=make_half_product),
    Task("scan", "scan", "scan_u32", sizes=(make_line(20), make_line(24), make_line(28)),
         candidates=(make_setting("look_back", 1024), make_setting("look_back", 512), make_setting("look_back", 256)),
         cpu_candidates=(make_setting("look_back", 256),), min_copy_elements=0, excluded_peers=("cublas", "numba")),
    make_picture_task("filter", "stencil", "sliding", (("--strip", "6"), ("--strip", "11")),
                      tolerance=(1e-4, 1e-5)),
    make_picture_task("transpose", "banks", "registers", (("--order", "y_first"), ("--order", "x_first"))),
    Task("attention", "attention", "attention", sizes=tuple(make_heads(heads, n) for heads in (1, 32) for n in (1024, 4096, 16384)),
         cpu_sizes=(make_heads(2, 512),), check_size=make_heads(3, 300),
         candidates=(("tiled", "--tile", "128"), ("split", "--tile", "128", "--parts", "4"), ("split", "--tile", "64", "--parts", "8"),
                     ("split", "--tile", "128", "--parts", "2")),
         cpu_candidates=(("tiled", "--tile", "32"),), tolerance=(1e-5, 1e-4), rate_unit="operations",
         min_copy_elements=None, excluded_peers=("cub", "cublas", "cupy", "numba"), make_size=make_heads),
    make_row_task("softmax", "one_pass", tolerance=(1e-8, 1e-4), others=(("several_workgroups", "--workgroup", "256x1"),)),
    make_row_task("row_norm", "row_norm", tolerance=(0.0, 1e-4)),
    make_chain_task("chain", "fused"),
    make_chain_task("chain_eager", "eager"),  # one launch per operation, to compare with the fused variant
)

# (task, size, peer, way or "" for any): the minimum ratio of the app's rate to the peer's
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
# The rate counts each byte read and written once.
for _size, _ratio in (("65536x1024", 0.95), ("8192x8192", 0.85), ("256x262144", 0.75)):
    for _peer, _way in (("torch", "copy_"), ("cub", "cudaMemcpy")):
        TARGETS[("softmax", _size, _peer, _way)] = _ratio
        TARGETS[("row_norm", _size, _peer, _way)] = 1.0
for _peer, _way in (("torch", "copy_"), ("cub", "cudaMemcpy")):
    TARGETS[("chain", "8192x8192", _peer, _way)] = 0.97
for _size, _ratio in (("2^20", 0.6), ("2^24", 0.9), ("2^28", 0.95)):
    TARGETS[("scan", _size, "cub", "cub::DeviceScan::InclusiveSum")] = _ratio
for _peer, _way in (("torch", "copy_"), ("cub", "cudaMemcpy")):
    TARGETS[("filter", "16384x16384", _peer, _way)] = 0.9
    for _size in ("8192x8192", "16384x16384"):
        TARGETS[("transpose", _size, _peer, _way)] = 0.95
for _size, _ratio in (("2^20", 0.77), ("2^24", 1.0), ("2^28", 1.0)):
    TARGETS[("compaction", _size, "cub", "")] = _ratio
for _heads in (1, 32):
    for _n in (1024, 4096, 16384):
        TARGETS[("attention", f"{_heads}x{_n}", "torch", "MATH, no TF32")] = 1.8
        TARGETS[("attention", f"{_heads}x{_n}", "torch", "EFFICIENT_ATTENTION")] = 0.95
COPY_TARGET = 0.98  # ratio to a device copy for every other task in one dimension


def target(task, size, peer, implementation):
    ratio = TARGETS.get((task, size, peer, ""))
    if implementation in ("cudaMemcpy", "copy_") and size.startswith("2^"):
        ratio = COPY_TARGET
    return TARGETS.get((task, size, peer, implementation), ratio)


def select_tasks(words):
    """Returns the tasks that a list such as "sum,histogram_10" names; all tasks for an empty list."""
    if not words:
        return list(TASKS)
    selected = [task for task in TASKS if any(task.id == w or task.id.startswith(w + "_") for w in words)]
    unknown = [w for w in words if not any(task.id == w or task.id.startswith(w + "_") for task in TASKS)]
    if unknown:
        raise SystemExit(f"--tasks: there is no {', '.join(unknown)}. There are: {', '.join(t.id for t in TASKS)}.")
    return selected
