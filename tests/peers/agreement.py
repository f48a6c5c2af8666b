"""Checks the app's times: compares them with those of a program without a harness that runs the same SPIR-V, measures
the cost of the app's harness, compares timestamps with the wall clock, and compares the medians of five reruns."""

import json
import math
import pathlib
import shutil
import statistics
import struct
import subprocess
import time

import numpy

from app import AppError, kernel_ns
from tasks import Task, make_line, make_setting

GPU_ROUNDS = 9
CPU_ROUNDS = 21  # other programs disturb a CPU
LAB_NICENESS = 10  # the niceness of the app's lab process: src/client/worker.cpp
MAX_KERNEL_DIFFERENCE, MAX_HARNESS_COST, MAX_CLOCK_DIFFERENCE, MAX_RERUN_SPREAD = 0.03, 0.03, 0.02, 0.02
LONG_KERNEL_NS = 20e6


def float_word(number):
    return str(struct.unpack("<I", struct.pack("<f", number))[0])


# task, setting, file in kernels/, inputs, bytes per element, constants from id 3, push constants after the launch's
KERNELS = (
    (Task("gaussian", "gaussian", ""), make_setting("vec4", 256), "gaussian/vec4", 1, 4, "-",
     ",".join((float_word(0.0), float_word(1.0), float_word(0.3989422804014327)))),
    (Task("zero_suppression", "zero_suppression", ""), make_setting("packed", 256), "zero_suppression/packed", 1, 2,
     "0", "15"),
    (Task("hidden_layer", "hidden_layer", ""), make_setting("fused", 256), "hidden_layer/fused", 2, 4, "0",
     float_word(1.0)),
)


def find_file(path_option, default_path):
    path = pathlib.Path(path_option) if path_option else default_path
    if not path.exists():
        raise AppError(f"{path} does not exist")
    return path


def time_bare(app, bare, spirv, report, kernel, log2, samples, folder):
    task, _, _, inputs, element_bytes, constants, push = kernel
    if report["launch"]["slices"] != 1:
        raise AppError(f"{task.id}: the app cut the launch into slices, which the bare program does not")
    # A wrapper of the app, such as chrt or taskset, also applies to the bare program.
    launch = report["launch"]
    arguments = [*app.command[:-1], "nice", "-n", LAB_NICENESS, bare, spirv, 1 << log2, launch["workgroup_size"],
                 launch["workgroup_count"], inputs, element_bytes, samples, report["device"]["name"],
                 folder / "agreement.raw", constants, push]
    completed = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=120,
                               env=app.environment)
    if completed.returncode != 0:
        raise AppError(f"bare_vulkan ended with {completed.returncode}: {completed.stderr.strip()[-300:]}")
    return json.loads(completed.stdout)


def compare_kernel(app, bare, kernels, kernel, log2, samples, is_cpu, folder):
    task, candidate, name = kernel[:3]
    spirv = find_file("", kernels / f"{name}.spv")
    input_path = folder / "agreement.npy"
    app.run(task, candidate, make_line(log2), 1, "--save-input", input_path)
    numpy.load(input_path).tofile(input_path.with_suffix(".raw"))
    rounds = []
    for _ in range(CPU_ROUNDS if is_cpu else GPU_ROUNDS):
        report = app.run(task, candidate, make_line(log2), samples)
        bare_times = time_bare(app, bare, spirv, report, kernel, log2, samples, folder)
        # On a software driver the app times a long kernel within the pass. It is compared with the bare program's pass.
        timings = report["timings"]
        in_pass = timings["kernel_ns"]["samples"] == timings["pass_kernel_ns"]["samples"]
        rounds.append({
            "app_kernel": kernel_ns(report),
            "bare_kernel": statistics.median(bare_times["pass_kernel_ns" if in_pass else "burst_kernel_ns"]),
            "app_wall": statistics.median(timings["wall_ns"]["samples"]),
            "bare_wall": statistics.median(bare_times["pass_wall_ns"]),
            "burst_kernel": statistics.median(bare_times["burst_kernel_ns"]),
            "burst_wall": statistics.median(bare_times["burst_wall_ns"]),
        })

    def ratio(one, other):
        """The median of the rounds' ratios. The two times of a round are adjacent, so other load affects both."""
        return statistics.median(r[one] / r[other] for r in rounds)

    def interval(one, other):
        """The 95 % confidence interval of that median, from order statistics (binomial, p = 1/2)."""
        ratios = sorted(r[one] / r[other] for r in rounds)
        first = max(0, math.floor((len(ratios) - 1.96 * math.sqrt(len(ratios))) / 2))
        return ratios[first], ratios[-1 - first]

    def best_ratio(one, other):
        """The ratio of the minimum times, which other load on the machine disturbs least."""
        return min(r[one] for r in rounds) / min(r[other] for r in rounds)

    kernel_ratio, wall_ratio = ratio("app_kernel", "bare_kernel"), ratio("app_wall", "bare_wall")
    clock_ratio = ratio("burst_wall", "burst_kernel")
    is_long = statistics.median(r["burst_kernel"] for r in rounds) > LONG_KERNEL_NS
    return {
        "kernel": name, "log2_elements": log2, "rounds": rounds,
        "kernel_ratio": kernel_ratio, "kernel_agrees": abs(kernel_ratio - 1) <= MAX_KERNEL_DIFFERENCE,
        "wall_ratio": wall_ratio, "harness_within": wall_ratio <= 1 + MAX_HARNESS_COST if is_cpu else None,
        "kernel_interval": interval("app_kernel", "bare_kernel"), "wall_interval": interval("app_wall", "bare_wall"),
        "kernel_best_ratio": best_ratio("app_kernel", "bare_kernel"), "wall_best_ratio": best_ratio("app_wall", "bare_wall"),
        "clock_ratio": clock_ratio, "clocks_agree": abs(clock_ratio - 1) <= MAX_CLOCK_DIFFERENCE if is_long else None,
    }


def check_mark(passed):
    return {True: " ✓", False: " ✗", None: ""}[passed]


def format_ratio(row, name):
    low, high = row[f"{name}_interval"]
    return f"{row[f'{name}_ratio']:8.4f} ({low:.3f} – {high:.3f})"


def require_time_left(options):
    if options.deadline - time.monotonic() < 20:
        raise AppError("not measured: the time budget is used up (--budget)")


def measure_agreement(app, options, is_cpu, folder, results):
    program = pathlib.Path(shutil.which(app.command[-1]) or app.command[-1]).resolve()
    rows = []
    print("Ratios are medians of the rounds with their 95 % intervals.")
    print("kernel                   elements    app/bare kernel             app/bare wall               wall/timestamps of the kernel")
    sizes = [int(word) for word in options.sizes if word.isdigit()] or ([22] if is_cpu else [24])
    for kernel in KERNELS:
        for log2 in sizes:
            try:
                require_time_left(options)
                bare = find_file(options.bare, program.parent / "bare_vulkan")
                kernels = find_file(options.kernels, program.parent.parent / "share/gridstride/kernels")
                row = compare_kernel(app, bare, kernels, kernel, log2, 15 if log2 < 25 else 5, is_cpu, folder)
            except (AppError, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
                row = {"kernel": kernel[2], "log2_elements": log2, "error": str(error)}
                print(f"{kernel[2]:24} {'2^' + str(log2):>8}  {error}")
            else:
                print(f"{row['kernel']:24} {'2^' + str(log2):>8}"
                      f"  {format_ratio(row, 'kernel')}{check_mark(row['kernel_agrees']):2}"
                      f"  {format_ratio(row, 'wall')}{check_mark(row['harness_within']):2}"
                      f"  {row['clock_ratio']:.4f}{check_mark(row['clocks_agree'])}", flush=True)
            rows.append(row)
            results.add_part("timing_agreement", rows)


RERUN_TASKS = (
    (Task("sum_f32", "reduction", "", ("--element-type", "f32")), make_setting("grid_stride", 128)),
    (Task("gaussian", "gaussian", ""), make_setting("vec4", 256)),
    (Task("histogram_256", "histogram", "", ("--bins", "256")), make_setting("atomic_shared", 256)),
)


def measure_reruns(app, options, is_cpu, results):
    rows = []
    log2 = 22 if is_cpu else 24
    for task, candidate in RERUN_TASKS:
        try:
            require_time_left(options)
            medians = [kernel_ns(app.run(task, candidate, make_line(log2), 20)) for _ in range(5)]
        except (AppError, ValueError, KeyError) as error:
            print(f"five reruns of {task.id} 2^{log2}: {error}")
            continue
        median = statistics.median(medians)
        spread = max(abs(m - median) for m in medians) / median
        within = spread <= MAX_RERUN_SPREAD
        rows.append(
            {"task": task.id, "log2_elements": log2, "medians_ns": medians, "spread": spread, "within": within}
        )
        summary = f"medians within {100 * spread:.2f} % of their median{check_mark(within)}"
        print(f"five reruns of {task.id} 2^{log2}: {summary}", flush=True)
        results.add_part("reruns", rows)
