#!/usr/bin/env python3
"""How long the window takes: to its first frame, and for its own work a frame while a slider is dragged.

    tests/benchmark/window_benchmark.py [build/release/bin/gridstride]

Opens the window at 1600x1000 on a screen of its own, drags the workgroup-size slider for ten seconds while the lab runs
live, and prints percentiles of the frame log. Nothing is asserted: the numbers are this machine's.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "end_to_end"))
os.environ["GRIDSTRIDE"] = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release/bin/gridstride").resolve())
from program import GRIDSTRIDE, Display  # noqa: E402


def percentile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


def play(folder, display, steps, *arguments):
    (folder / "script.json").write_text(json.dumps(steps))
    environment = dict(os.environ, DISPLAY=display.name, XDG_CONFIG_HOME=str(folder / "config"))
    started = time.monotonic()
    subprocess.run([GRIDSTRIDE, "reduction", "--ui-script", "script.json", *arguments], env=environment, cwd=folder, check=True)
    return time.monotonic() - started


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gridstride-benchmark-"))
    display = Display()
    try:
        play(folder, display, [])  # caches are warm from here on
        starts = [play(folder, display, []) for _ in range(5)]
        print(f"start, first frame and end: median {percentile(starts, 0.5) * 1e3:.0f} ms of {len(starts)} starts")
        steps = [{"wait": "idle"}, {"click": "bench.run"}, {"wait": "idle"}]
        steps += [{"drag": "bench.workgroup_size", "from": i % 2, "to": 1 - i % 2, "seconds": 1} for i in range(10)]
        play(folder, display, steps, "--frame-log", "frames.csv")
        rows = list(csv.DictReader(open(folder / "frames.csv", newline="")))
        own = [float(row["build_ms"]) + float(row["record_ms"]) for row in rows]
        wall = [float(row["wall_ms"]) for row in rows]
        print(f"{len(rows)} frames at 1600x1000 while a slider is dragged for ten seconds and every change runs")
        print("                         median     p95     p99     max")
        for name, values in (("build and record, ms", own), ("whole frame, ms", wall)):
            print(f"{name:24}" + "".join(f"{percentile(values, q):8.2f}" for q in (0.5, 0.95, 0.99, 1)))
    finally:
        display.close()


if __name__ == "__main__":
    main()
