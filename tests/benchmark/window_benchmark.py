#!/usr/bin/env python3
"""How long the window takes: to its first frame, and for its own work a frame while a slider is dragged.

    tests/benchmark/window_benchmark.py [--hang] [build/release/bin/gridstride]

Opens the window at 1600x1000 on a screen of its own, drags the workgroup-size slider for ten seconds while the lab runs
live, and prints percentiles of the frame log. With --hang a kernel that does not end is in the lab all that time. Nothing
is asserted: the numbers are this machine's, and mean something when it does nothing else.
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
arguments.add_argument("program", nargs="?", default="build/release/bin/gridstride")
arguments = arguments.parse_args()
os.environ["GRIDSTRIDE"] = str(pathlib.Path(arguments.program).resolve())
from program import GRIDSTRIDE, Display  # noqa: E402
from window_survival_test import HUGE  # noqa: E402


def percentile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


def play(folder, display, steps, *arguments):
    (folder / "script.json").write_text(json.dumps(steps))
    environment = dict(os.environ, DISPLAY=display.name, XDG_CONFIG_HOME=str(folder / "config"))
    started = time.monotonic()
    subprocess.run([GRIDSTRIDE, "reduction", "--ui-script", "script.json", *arguments], env=environment, cwd=folder, check=True)
    return time.monotonic() - started


def print_percentiles(log, from_frame, what):
    with open(log, newline="") as file:
        rows = list(csv.DictReader(file))[from_frame:]
    own = [float(row["build_ms"]) + float(row["record_ms"]) for row in rows]
    wall = [float(row["wall_ms"]) for row in rows]
    print(f"{len(rows)} frames at 1600x1000 {what}")
    print("                         median     p95     p99     max")
    for name, values in (("build and record, ms", own), ("whole frame, ms", wall)):
        print(f"{name:24}" + "".join(f"{percentile(values, q):8.2f}" for q in (0.5, 0.95, 0.99, 1)))


def frames_before(folder, display, steps):
    """How many frames these steps draw: those of a script that begins with them are not of the part that follows."""
    play(folder, display, steps, "--frame-log", "before.csv")
    with open(folder / "before.csv") as file:
        return sum(1 for _ in file) - 1


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gridstride-benchmark-"))
    display = Display()
    try:
        play(folder, display, [])  # caches are warm from here on
        starts = [play(folder, display, []) for _ in range(5)]
        print(f"start, first frame and end: median {percentile(starts, 0.5) * 1e3:.0f} ms of {len(starts)} starts")
        def drags(widget):
            return [{"drag": widget, "from": i % 2, "to": 1 - i % 2, "seconds": 1} for i in range(10)]

        if not arguments.hang:
            start = [{"wait": "idle"}, {"click": "bench.run"}, {"wait": "idle"}]
            play(folder, display, start + drags("bench.workgroup_size"), "--frame-log", "frames.csv")
            print_percentiles(folder / "frames.csv", 0, "while a slider is dragged for ten seconds and every change runs")
            return
        start = [{"wait": "idle"}] + HUGE + [{"click": "stage.result"}]
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
