#!/usr/bin/env python3
"""How long the window takes: to its first frame, and for its own work a frame while a slider is dragged.

    tests/benchmark/window_benchmark.py [--hang] [build/release/bin/gridstride]
    tests/benchmark/window_benchmark.py --lessons SECONDS [build/release/bin/gridstride [other/bin/gridstride]]
    tests/benchmark/window_benchmark.py --inside [build/release/bin/gridstride [other/bin/gridstride]]
    tests/benchmark/window_benchmark.py --long-line [build/release/bin/gridstride [other/bin/gridstride]]

Opens the window at 1600x1000 on a screen of its own, drags the workgroup-size slider for ten seconds while the lab runs
live, and prints percentiles of the frame log. With --hang a kernel that does not end is in the lab all that time. With
--lessons each lesson in turn is dragged for so many seconds at 1366x768, over a million elements and back, by one program
and then by the other, whose percentiles are set against each other. With --inside it is the trace of 64 Ki accesses by
workgroups of 1024 that is gone through, step by step and with the mouse on its lanes. With --long-line a kernel with a line
of nearly 4 MB is typed into. Nothing is asserted: the numbers are this machine's, and mean something when it does nothing
else, or the same beside both programs. A frame's own work, building and recording it, is what it has of the processor.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "end_to_end"))
arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
arguments.add_argument("--hang", action="store_true", help="with a kernel in the lab that does not end")
arguments.add_argument("--lessons", type=float, metavar="SECONDS", help="drag in each lesson for so long")
arguments.add_argument("--inside", action="store_true", help="go through a trace of 64 Ki accesses")
arguments.add_argument("--long-line", action="store_true", help="type into a kernel with a line of nearly 4 MB")
arguments.add_argument("programs", nargs="*", default=["build/release/bin/gridstride"])
arguments = arguments.parse_args()
os.environ["GRIDSTRIDE"] = str(pathlib.Path(arguments.programs[0]).resolve())
from program import GRIDSTRIDE, Display, at_the_bench  # noqa: E402
from window_survival_test import HUGE  # noqa: E402


def percentile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


def play(folder, display, steps, *arguments, lesson="reduction", program=GRIDSTRIDE):
    (folder / "script.json").write_text(json.dumps(steps))
    environment = dict(os.environ, DISPLAY=display.name, XDG_CONFIG_HOME=str(folder / "config"))
    started = time.monotonic()
    subprocess.run([program, lesson, "--ui-script", "script.json", *arguments], env=environment, cwd=folder, check=True)
    return time.monotonic() - started


def passed_to_the_bench(folder, display, lesson="reduction", program=GRIDSTRIDE):
    """The steps to the bench that every later start takes: the first passes the question over. Caches are warm from here on."""
    play(folder, display, at_the_bench(folder / "config", lesson), lesson=lesson, program=program)
    return at_the_bench(folder / "config", lesson)


def frames_in(log, from_frame=0):
    with open(log, newline="") as file:
        return list(csv.DictReader(file))[from_frame:]


def own_work(rows):
    """Of the processor: others that want it too are not in it."""
    return [float(row["processor_ms"]) for row in rows]


def print_percentiles(log, from_frame, what):
    rows = frames_in(log, from_frame)
    own = own_work(rows)
    wall = [float(row["wall_ms"]) for row in rows]
    print(f"{len(rows)} frames at 1600x1000 {what}")
    print("                         median     p95     p99     max")
    for name, values in (("own work, ms", own), ("whole frame, ms", wall)):
        print(f"{name:24}" + "".join(f"{percentile(values, q):8.2f}" for q in (0.5, 0.95, 0.99, 1)))


def frames_before(folder, display, steps, program=GRIDSTRIDE):
    """How many frames these steps draw: those of a script that begins with them are not of the part that follows."""
    play(folder, display, steps, "--frame-log", "before.csv", program=program)
    with open(folder / "before.csv") as file:
        return sum(1 for _ in file) - 1


def drags(widget):
    """To and fro for ten seconds."""
    return [{"drag": widget, "from": i % 2, "to": 1 - i % 2, "seconds": 1} for i in range(10)]


def drag_in_lessons(folder, display, seconds, programs):
    """Controls that change what the pictures show and what they are of, and the size of the arrays."""
    lessons = {"reduction": [], "zero_suppression": ["bench.threshold"], "gaussian": ["bench.sigma"], "histogram": ["bench.bins"],
               "hidden_layer": ["bench.gain"]}
    own = {program: [] for program in programs}
    print("own work of a frame, ms  frames  median     p95     p99     max")
    for lesson, controls in lessons.items():
        widgets = ["bench.workgroup_size", *controls, "bench.elements"]
        drags, left = [], seconds
        while left > 0:
            i = len(drags)
            ends = (0.5, 0.65) if widgets[i % len(widgets)] == "bench.elements" else (0, 1)
            drags.append({"drag": widgets[i % len(widgets)], "from": ends[i % 2], "to": ends[1 - i % 2], "seconds": 2})
            left -= 2
        start = passed_to_the_bench(folder, display, lesson)
        start += [{"set": "bench.elements", "value": "1000000"}, {"wait": "idle"}]
        for program in programs:
            play(folder, display, start + drags, "--size", "1366x768", "--frame-log", "frames.csv", lesson=lesson, program=program)
            work = own_work(frames_in(folder / "frames.csv"))
            own[program] += work
            print_row(lesson, work, program)
    for program in programs:
        print_row("all", own[program], program)
    print_ratios(own)


def type_into_long_line(folder, display, programs):
    """A character at a time at both ends of the line. The kernel does not compile, so that nothing else happens."""
    kernel = folder / "long.comp"
    kernel.write_text("#error\n// " + "lane " * 780_000 + "\n")
    keys = [{"type": "x"}, {"key": "Left"}, {"key": "Right"}] * 30
    steps = [{"wait": "idle"}, {"click": "stage.kernel"}, {"click": "kernel.open"}, {"set": "kernel.path", "value": str(kernel)},
             {"click": "kernel.accept"}, {"wait": "idle"}, {"click": "kernel.text"}, {"key": "Ctrl+Home"}, {"key": "Down"}]
    own = {}
    print("own work of a frame, ms  frames  median     p95     p99     max")
    for program in programs:
        before = frames_before(folder, display, steps, program)
        play(folder, display, steps + keys + [{"key": "End"}] + keys, "--frame-log", "frames.csv", program=program)
        own[program] = own_work(frames_in(folder / "frames.csv", before))
        print_row("a line of 3.9 MB", own[program], program)
    print_ratios(own)


def go_through_trace(folder, display, programs):
    start = passed_to_the_bench(folder, display)
    start += [{"set": "bench.elements", "value": "4096"}, {"set": "bench.workgroup_size", "value": "1024"}, {"wait": "idle"},
              {"click": "stage.inside"}, {"click": "inside.record"}, {"wait": "idle"},
              {"expect": {"recording": "done", "values": {"elements": "4096", "workgroup_size": "1024"}}}]
    print("own work of a frame, ms  frames  median     p95     p99     max")
    for what, widget in (("step by step", "inside.seek"), ("with the mouse on lanes", "inside.lanes")):
        own = {}
        for program in programs:
            before = frames_before(folder, display, start, program)
            play(folder, display, start + drags(widget), "--frame-log", "frames.csv", program=program)
            own[program] = own_work(frames_in(folder / "frames.csv", before))
            print_row(what, own[program], program)
        print_ratios(own)


def print_ratios(own):
    if len(own) == 2:
        first, second = own.values()
        print("the other's over the first's" + "".join(
            f"  p{100 * q:.0f} {percentile(second, q) / percentile(first, q):.2f}" for q in (0.5, 0.95, 0.99)))


def print_row(name, values, program):
    numbers = "".join(f"{percentile(values, q):8.2f}" for q in (0.5, 0.95, 0.99, 1))
    print(f"{name:24}{len(values):7}{numbers}  {program}", flush=True)


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gridstride-benchmark-"))
    display = Display()
    try:
        programs = [pathlib.Path(p).resolve() for p in arguments.programs]
        if arguments.lessons or arguments.long_line or arguments.inside:
            if arguments.lessons:
                drag_in_lessons(folder, display, arguments.lessons, programs)
            if arguments.long_line:
                type_into_long_line(folder, display, programs)
            if arguments.inside:
                go_through_trace(folder, display, programs)
            return
        start = passed_to_the_bench(folder, display)
        starts = [play(folder, display, []) for _ in range(5)]
        print(f"start, first frame and end: median {percentile(starts, 0.5) * 1e3:.0f} ms of {len(starts)} starts")
        if not arguments.hang:
            play(folder, display, start + drags("bench.workgroup_size"), "--frame-log", "frames.csv")
            print_percentiles(folder / "frames.csv", 0, "while a slider is dragged for ten seconds and every change runs")
            return
        start += HUGE + [{"click": "stage.picture"}]
        end = [{"expect": {"in_flight": True}}, {"key": "Escape"}, {"wait": "idle"}]
        skip = frames_before(folder, display, start)
        for widget, what in (
            ("stage.launch", "with one hang in flight, the mouse moving for ten seconds"),
            # The lab is ended and started again all the while, and makes and uploads 64 Mi numbers each time.
            ("bench.seed", "while a slider is dragged for ten seconds and every change hangs anew"),
        ):
            play(folder, display, start + drags(widget) + end, "--frame-log", "frames.csv")
            print_percentiles(folder / "frames.csv", skip, what)
    finally:
        display.close()


if __name__ == "__main__":
    main()
