"""What is compared: tasks, the app's variants that may be the best, and the ratios to reach."""

import dataclasses

ROW_LENGTH = 256  # numbers in a row, of whose rows the norms are found; plain_loops.cpp has it too


@dataclasses.dataclass(frozen=True)
class Task:
    id: str  # row of the table, word for --tasks (the part before the bins, too)
    lesson: str
    program_task: str  # for cub_peers, plain_loops and worker.py
    flags: tuple = ()
    bins: int = 0
    sizes: tuple = (28,)  # log2 of the elements, on a GPU
    # (variant, workgroup size, workgroup count or 0 for auto); the first one where there is no time to try
    candidates: tuple = ()
    cpu_candidates: tuple = ()
    tolerance: tuple = (0.0, 0.0)  # absolute, relative: of a peer's answer to the app's
    timing: str = "kernel_ns"  # what of the app's run is compared; of all of it, its peers are timed with their copies
    makes_points: bool = False  # it has no input, and its rate is that of the points it makes; else that of its bytes


def sum_of(kind):
    return Task(
        f"sum_{kind}",
        "reduction",
        f"sum_{kind}",
        ("--element-type", kind),
        sizes=(20, 24, 28),
        candidates=(
            ("single_pass", 1024, 264),
            ("single_pass", 512, 128),
            ("single_pass", 512, 264),
            ("single_pass", 256, 0),
            ("grid_stride", 128, 0),
            ("grid_stride", 512, 0),
            ("subgroup", 256, 0),
        ),
        cpu_candidates=(("subgroup", 128, 0), ("grid_stride", 128, 0)),
        tolerance=(0.0, 0.0) if kind == "u32" else (0.0, 1e-3),
    )


def histogram_of(bins):
    return Task(
        f"histogram_{bins}",
        "histogram",
        "histogram",
        ("--bins", str(bins)),
        bins=bins,
        candidates=(
            ("atomic_shared", 1024, 0),
            ("atomic_shared", 1024, 264),
            ("atomic_shared", 768, 264),
            ("atomic_shared", 512, 264),
            ("atomic_shared", 512, 528),
            ("subgroup_replicas", 1024, 0),
        ),
        cpu_candidates=(("atomic_shared", 256, 0),),
    )


TASKS = (
    sum_of("u32"),
    sum_of("f32"),
    histogram_of(10),
    histogram_of(256),
    histogram_of(1024),
    Task(
        "gaussian",
        "gaussian",
        "gaussian",
        candidates=(("vec4", 256, 0), ("vec4", 128, 0)),
        cpu_candidates=(("vec4", 256, 0),),
        tolerance=(1e-7, 1e-5),
    ),
    Task(
        "hypot",
        "grid_stride",
        "hypot",
        candidates=(("vec4", 256, 0), ("vec4", 128, 0)),
        cpu_candidates=(("vec4", 256, 0),),
        tolerance=(1e-7, 1e-5),
    ),
    # Each has points of its own. Of 2^20, two counts differ by less than 5 standard deviations: 5 sqrt(2 n p (1 - p)).
    Task(
        "pi",
        "monte_carlo_pi",
        "pi",
        sizes=(24, 28),
        candidates=(
            ("philox", 256, 0),
            ("philox", 128, 0),
            ("philox", 512, 0),
            ("philox", 1024, 0),
            ("philox", 256, 1056),
            ("philox", 256, 2112),
            ("philox", 256, 8448),
        ),
        cpu_candidates=(("philox", 256, 0),),
        tolerance=(2973.0, 0.0),
        makes_points=True,
    ),
    Task(
        "transfers",
        "transfers",
        "transfers",
        ("--memory", "pinned"),
        candidates=(("add", 256, 0),),
        cpu_candidates=(("add", 256, 0),),
        timing="wall_ns",
    ),
    Task(
        "row_norms",
        "coalescing",
        "row_norms",
        ("--row-length", str(ROW_LENGTH)),
        candidates=(
            ("row_per_subgroup", 256, 0),
            ("row_per_subgroup", 512, 0),
            ("row_per_subgroup", 1024, 0),
            ("row_per_subgroup", 256, 1056),
            ("row_per_subgroup", 256, 131072),
        ),
        cpu_candidates=(("row_per_subgroup", 256, 0),),
        tolerance=(0.0, 1e-4),
    ),
    Task(
        "zero_suppression",
        "zero_suppression",
        "zero_suppression",
        candidates=(("packed", 256, 0), ("packed", 512, 0), ("packed", 128, 0)),
        cpu_candidates=(("packed", 256, 0),),
    ),
    Task(
        "hidden_layer",
        "hidden_layer",
        "hidden_layer",
        candidates=(("fused", 256, 0), ("fused", 128, 0)),
        cpu_candidates=(("fused", 256, 0),),
        tolerance=(1e-6, 1e-4),
    ),
)

# (task, log2 of the elements, peer, way or "" for any): the app's rate over the peer's, at least
TARGETS = {
    ("histogram_10", 28, "cub", ""): 1.6,
    ("histogram_256", 28, "cub", ""): 1.1,
    ("histogram_1024", 28, "cub", ""): 10,
    ("transfers", 28, "cupy", "pinned"): 0.8,
    ("transfers", 28, "torch", "pinned"): 0.8,
    ("row_norms", 28, "torch", "copy_"): 1.0,
    ("row_norms", 28, "cub", "cudaMemcpy"): 1.0,
    ("gaussian", 28, "cupy", "fused"): 2.5,
    ("zero_suppression", 28, "cupy", ""): 4.9,
    ("hidden_layer", 28, "cupy", "fused"): 1.75,
    ("pi", 28, "cupy", ""): 1.0,
    ("pi", 28, "numba", ""): 1.0,
    ("gaussian", 28, "numba", ""): 3.9,
    ("zero_suppression", 28, "numba", ""): 5.2,
    ("hidden_layer", 28, "numba", ""): 4.4,
}
for _kind in ("u32", "f32"):
    for _log2, _ratio in ((20, 1.0), (24, 1.0), (28, 0.99)):
        TARGETS[(f"sum_{_kind}", _log2, "cub", "")] = _ratio
COPY_TARGET = 0.98  # of a device copy, every other task at 2^28
COPY_FROM_LOG2 = 28


def target(task, log2, peer, way):
    if way in ("cudaMemcpy", "copy_"):
        return TARGETS.get((task, log2, peer, way), COPY_TARGET)
    return TARGETS.get((task, log2, peer, way), TARGETS.get((task, log2, peer, "")))


def chosen(words):
    """The tasks that a list such as "sum,histogram_10" names; all for an empty one."""
    if not words:
        return list(TASKS)
    found = [task for task in TASKS if any(task.id == w or task.id.startswith(w + "_") for w in words)]
    unknown = [w for w in words if not any(task.id == w or task.id.startswith(w + "_") for task in TASKS)]
    if unknown:
        raise SystemExit(f"--tasks: there is no {', '.join(unknown)}. There are: {', '.join(t.id for t in TASKS)}.")
    return found
