#!/usr/bin/env python3
"""How long a start takes, and how much memory the window and the lab have when every lesson has been opened.

    tests/benchmark/start_benchmark.py [build/release/bin/gridstride [other/bin/gridstride]]

A cold start has an empty cache, of the program and of its driver; warm ones follow it. What the system has read from the disk
stays. The first result is that of F5 in the first frame. Memory is the proportional set size of both processes, with the first
step of each lesson shown and run.
Nothing is asserted: the numbers are this machine's, and those of one program mean something beside the other's.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "end_to_end"))
programs = [str(pathlib.Path(path).resolve()) for path in sys.argv[1:] or ["build/release/bin/gridstride"]]
os.environ["GRIDSTRIDE"] = programs[0]
from program import Display  # noqa: E402

PATIENCE = 600


class Window:
    """The window, playing a script that ends with result.json. Its settings and caches are in the folder."""

    def __init__(self, program, folder, display, steps, seconds_to_stay=0):
        self.folder = folder
        for name in ("frames.csv", "result.json"):
            (folder / name).unlink(missing_ok=True)
        script = [{"patience": PATIENCE}, *steps, {"map": "result.json"}, {"wait": seconds_to_stay}]
        (folder / "script.json").write_text(json.dumps(script))
        environment = dict(os.environ, DISPLAY=display.name, HOME=str(folder), XDG_CACHE_HOME=str(folder / "cache"),
                           XDG_CONFIG_HOME=str(folder / "config"), XDG_STATE_HOME=str(folder / "state"))
        self.started = time.monotonic()
        self.process = subprocess.Popen([program, "reduction", "--ui-script", "script.json", "--frame-log", "frames.csv"],
                                        env=environment, cwd=folder)

    def seconds_until(self, name, lines=1):
        """Until the file has so many lines."""
        file = self.folder / name
        while not (file.exists() and file.read_bytes().count(b"\n") >= lines):
            if self.process.poll() is not None:
                sys.exit(f"the window ended with exit code {self.process.returncode}")
            time.sleep(0.001)
        return time.monotonic() - self.started

    def memory(self):
        """In MB, of the window and of the lab."""
        pids = [self.process.pid]
        for pid in pids:
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                pids += map(int, (task / "children").read_text().split())

        def size(pid):
            rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
            return int(rollup.split("\nPss:")[1].split()[0]) * 1024 / 1e6
        return size(pids[0]), sum(map(size, pids[1:]))


def measure_memory(program, folder, display):
    """Opens and runs each lesson, and skips the questions that would have to be answered before, here and in later starts."""
    listed = subprocess.run([program, "list", "--json"], check=True, capture_output=True).stdout
    ids = [lesson["id"] for lesson in json.loads(listed)["lessons"]]
    opened = {id: [{"wait": "idle"}, {"click": "top.course"}, {"click": f"course.card.{id}"}, {"wait": "idle"}] for id in ids}
    look = Window(program, folder, display, [step for id in ids for step in opened[id] + [{"map": f"{id}.json"}]])
    look.process.wait()
    steps = [{"samples": 1}]
    for id in ids:
        asks = "strip.skip" in (folder / f"{id}.json").read_text()
        steps += opened[id] + [{"click": "strip.skip"}] * asks + [{"key": "F5"}, {"wait": "idle"}]
    window = Window(program, folder, display, steps, seconds_to_stay=20)
    window.seconds_until("result.json")
    for when, seconds in (("at once", 0), ("15 s later", 15)):
        time.sleep(seconds)
        app, lab = window.memory()
        print(f"  {len(ids)} lessons opened and run, {when}: {app + lab:.0f} MB, {app:.0f} of the window, {lab:.0f} of the lab", flush=True)
    window.process.wait()


def main():
    display = Display("1366x768")
    try:
        for program in programs:
            print(program)
            folder = pathlib.Path(tempfile.mkdtemp(prefix="gridstride-benchmark-"))
            measure_memory(program, folder, display)
            times = []
            # Without a number of samples, the first is shown before the ceilings of a new device are measured, for seconds.
            for start in range(7):
                if start == 0:
                    shutil.rmtree(folder / "cache")
                window = Window(program, folder, display, [{"key": "F5"}, {"expect": {"status": "ok"}}])
                times.append((window.seconds_until("frames.csv", 2), window.seconds_until("result.json")))
                window.process.wait()
            for what, some in (("cold", times[:1]), ("warm", times[1:])):
                first, result = (statistics.median(values) for values in zip(*some))
                print(f"  {what} start: first frame after {first:.2f} s, first result after {result:.2f} s", flush=True)
            shutil.rmtree(folder)
    finally:
        display.close()


if __name__ == "__main__":
    main()
