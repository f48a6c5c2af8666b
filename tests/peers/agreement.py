"""Whether the app's times are right: the same SPIR-V timed by the app and by a program with no harness around it; the
harness's own cost; timestamps against the wall clock; and whether five reruns say the same."""

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
from tasks import Task, in_groups, line

GPU_ROUNDS = 9
CPU_ROUNDS = 21  # a processor has others' work to do
LAB_NICENESS = 10  # the app measures in a process that leaves drawing its turn: src/client/worker.cpp
AGREE, HARNESS, CLOCKS, RERUNS = 0.03, 0.03, 0.02, 0.02
LONG_KERNEL_NS = 20e6


def word(number):
    return str(struct.unpack("<I", struct.pack("<f", number))[0])


# task, kernel below kernels/, inputs, bytes an element, constants from id 3, push constants behind the launch's
KERNELS = (
    (Task("gaussian", "gaussian", ""), in_groups("vec4", 256), "gaussian/vec4", 1, 4, "-",
     ",".join((word(0.0), word(1.0), word(0.3989422804014327)))),
    (Task("zero_suppression", "zero_suppression", ""), in_groups("packed", 256), "zero_suppression/packed", 1, 2, "0", "15"),
    (Task("hidden_layer", "hidden_layer", ""), in_groups("fused", 256), "hidden_layer/fused", 2, 4, "0", word(1.0)),
)


def find(given, beside):
    path = pathlib.Path(given) if given else beside
    if not path.exists():
        raise AppError(f"{path} is not there")
    return path


def run_bare(app, bare, spirv, report, kernel, log2, samples, folder):
    task, _, _, inputs, element_bytes, constants, push = kernel
    if report["launch"]["slices"] != 1:
        raise AppError(f"{task.id}: the app cut the launch into slices, which the bare program does not")
    # What the app is started under, such as chrt or taskset, holds for both.
    arguments = [*app.command[:-1], "nice", "-n", LAB_NICENESS, bare, spirv, 1 << log2, report["launch"]["workgroup_size"], report["launch"]["workgroup_count"], inputs,
                 element_bytes, samples, report["device"]["name"], folder / "agreement.raw", constants, push]
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=120, env=app.environment)
    if done.returncode != 0:
        raise AppError(f"bare_vulkan ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def compare_kernel(app, bare, kernels, kernel, log2, samples, is_cpu, folder):
    task, candidate, name = kernel[:3]
    spirv = find("", kernels / f"{name}.spv")
    saved = folder / "agreement.npy"
    app.run(task, candidate, line(log2), 1, "--save-input", saved)
    numpy.load(saved).tofile(saved.with_suffix(".raw"))
    rounds = []
    for _ in range(CPU_ROUNDS if is_cpu else GPU_ROUNDS):
        report = app.run(task, candidate, line(log2), samples)
        theirs = run_bare(app, bare, spirv, report, kernel, log2, samples, folder)
        # On a software driver the app times a long kernel in its place in the pass: that is compared with a pass.
        timings = report["timings"]
        in_pass = timings["kernel_ns"]["samples"] == timings["pass_kernel_ns"]["samples"]
        rounds.append({
            "app_kernel": kernel_ns(report),
            "bare_kernel": statistics.median(theirs["pass_kernel_ns" if in_pass else "burst_kernel_ns"]),
            "app_wall": statistics.median(timings["wall_ns"]["samples"]),
            "bare_wall": statistics.median(theirs["pass_wall_ns"]),
            "burst_kernel": statistics.median(theirs["burst_kernel_ns"]),
            "burst_wall": statistics.median(theirs["burst_wall_ns"]),
        })

    def ratio(one, other):
        """Of neighbours in time, so that what others do on the machine meets both; then the middle of the rounds."""
        return statistics.median(r[one] / r[other] for r in rounds)

    def interval(one, other):
        """The 95 % confidence interval of that middle, from order statistics (binomial, p = 1/2)."""
        ratios = sorted(r[one] / r[other] for r in rounds)
        first = max(0, math.floor((len(ratios) - 1.96 * math.sqrt(len(ratios))) / 2))
        return ratios[first], ratios[-1 - first]

    def best_ratio(one, other):
        """Of the least disturbed rounds: on a busy machine the others only add to them."""
        return min(r[one] for r in rounds) / min(r[other] for r in rounds)

    kernel_ratio, wall_ratio = ratio("app_kernel", "bare_kernel"), ratio("app_wall", "bare_wall")
    clock_ratio = ratio("burst_wall", "burst_kernel")
    long_enough = statistics.median(r["burst_kernel"] for r in rounds) > LONG_KERNEL_NS
    return {
        "kernel": name, "log2_elements": log2, "rounds": rounds,
        "kernel_ratio": kernel_ratio, "kernel_agrees": abs(kernel_ratio - 1) <= AGREE,
        "wall_ratio": wall_ratio, "harness_within": wall_ratio <= 1 + HARNESS if is_cpu else None,
        "kernel_interval": interval("app_kernel", "bare_kernel"), "wall_interval": interval("app_wall", "bare_wall"),
        "kernel_best_ratio": best_ratio("app_kernel", "bare_kernel"), "wall_best_ratio": best_ratio("app_wall", "bare_wall"),
        "clock_ratio": clock_ratio, "clocks_agree": abs(clock_ratio - 1) <= CLOCKS if long_enough else None,
    }


def mark(good):
    return {True: " ✓", False: " ✗", None: ""}[good]


def with_interval(row, what):
    low, high = row[f"{what}_interval"]
    return f"{row[f'{what}_ratio']:8.4f} ({low:.3f} – {high:.3f})"


def in_time(options):
    if options.deadline - time.monotonic() < 20:
        raise AppError("not measured: the time is spent (--budget)")


def agreement(app, options, is_cpu, folder, results):
    program = pathlib.Path(shutil.which(app.command[-1]) or app.command[-1]).resolve()
    rows = []
    print("Ratios: the middle of the rounds' and its 95 % interval.")
    print("kernel                   elements    app/bare kernel             app/bare wall               wall/timestamps of the kernel")
    sizes = [int(word) for word in options.sizes if word.isdigit()] or ([22] if is_cpu else [24])
    for kernel in KERNELS:
        for log2 in sizes:
            try:
                in_time(options)
                bare = find(options.bare, program.parent / "bare_vulkan")
                kernels = find(options.kernels, program.parent.parent / "share/gridstride/kernels")
                row = compare_kernel(app, bare, kernels, kernel, log2, 15 if log2 < 25 else 5, is_cpu, folder)
            except (AppError, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
                row = {"kernel": kernel[2], "log2_elements": log2, "error": str(error)}
                print(f"{kernel[2]:24} {'2^' + str(log2):>8}  {error}")
            else:
                print(f"{row['kernel']:24} {'2^' + str(log2):>8}"
                      f"  {with_interval(row, 'kernel')}{mark(row['kernel_agrees']):2}"
                      f"  {with_interval(row, 'wall')}{mark(row['harness_within']):2}"
                      f"  {row['clock_ratio']:.4f}{mark(row['clocks_agree'])}", flush=True)
            rows.append(row)
            results.add_part("timing_agreement", rows)


RERUN = (
    (Task("sum_f32", "reduction", "", ("--element-type", "f32")), in_groups("grid_stride", 128)),
    (Task("gaussian", "gaussian", ""), in_groups("vec4", 256)),
    (Task("histogram_256", "histogram", "", ("--bins", "256")), in_groups("atomic_shared", 256)),
)


def reruns(app, options, is_cpu, results):
    rows = []
    log2 = 22 if is_cpu else 24
    for task, candidate in RERUN:
        try:
            in_time(options)
            medians = [kernel_ns(app.run(task, candidate, line(log2), 20)) for _ in range(5)]
        except (AppError, ValueError, KeyError) as error:
            print(f"five reruns of {task.id} 2^{log2}: {error}")
            continue
        middle = statistics.median(medians)
        spread = max(abs(m - middle) for m in medians) / middle
        within = spread <= RERUNS
        rows.append(
            {"task": task.id, "log2_elements": log2, "medians_ns": medians, "spread": spread, "within": within}
        )
        said = f"medians within {100 * spread:.2f} % of their median{mark(within)}"
        print(f"five reruns of {task.id} 2^{log2}: {said}", flush=True)
        results.add_part("reruns", rows)
