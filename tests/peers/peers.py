#!/usr/bin/env python3
"""The app beside CUB, CuPy, PyTorch and Numba-CUDA; without a GPU beside NumPy and a plain C++ loop.

    tests/peers/peers.py --app build/release/bin/gridstride --output out/peers.json
    tests/peers/peers.py --tasks sum,histogram --peers cub,cupy --sizes 24,28
    tests/peers/peers.py --parts agreement,reruns --bare build/release/bin/bare_vulkan

All work on the same bytes: the app's input, up to 2^24 elements as it is, above that the 2^24 repeated; for pi each makes
its own points. A rate is the fewest bytes that the task must move (the app's bytes_moved), or the points, over the median time
of the GPU's work, by CUDA events and by Vulkan timestamps, app and peers in turn (A B A B). Each is timed twice: calls in a row, which is the GPU's work alone, and
single calls on an idle device, which is what a program that makes one gets. Caches: "warm" repeats over the same buffers, so what fits the last-level
cache comes from it; "cold" goes round copies that exceed it. Results are written as they come; stopped or out of time, the
table holds what there is.
"""

import argparse
import pathlib
import platform
import signal
import statistics
import sys
import tempfile
import time

from agreement import agreement, reruns
from answers import Inputs, compare
from app import App, AppError, median_ns
from peer_process import CompiledPeer, PeerError, PythonPeer, wait_for_all
from results import Results
from tasks import COPY_FROM_LOG2, chosen, target

GPU_PEERS, CPU_PEERS = ("cub", "cupy", "torch", "numba"), ("numpy", "plain_loops")
TUNE_LOG2 = 27  # the app's settings are tried at no more elements than that
COLD_BYTES = 1 << 28  # copies of an input together, when caches are to be cold: well over any last-level cache


def say(text):
    print(text, file=sys.stderr, flush=True)


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words = lambda text: [word for word in text.split(",") if word]  # noqa: E731
    parser.add_argument("--app", default="build/release/bin/gridstride", help="the app, as a command line")
    parser.add_argument("--bare", default="", help="the program bare_vulkan; without it, beside the app")
    parser.add_argument("--kernels", default="", help="folder of the .spv files; without it, share/ beside the app's bin/")
    parser.add_argument("--app-library-path", default="", help="LD_LIBRARY_PATH for the app and bare_vulkan alone")
    parser.add_argument("--device", default="", help="the app's device, an index or a part of its name")
    parser.add_argument("--mode", choices=("auto", "gpu", "cpu"), default="auto", help="auto: as the app's device is")
    parser.add_argument("--parts", type=words, default=["peers"], help="peers, agreement, reruns; default: peers")
    parser.add_argument("--tasks", type=words, default=[], help="such as sum,histogram_10; default: all")
    parser.add_argument("--peers", type=words, default=[], help="cub,cupy,torch,numba or numpy,plain_loops; default: all")
    parser.add_argument("--sizes", type=lambda text: [int(w) for w in words(text)], default=[],
                        help="log2 of the elements; default: as each task has them, 22 without a GPU")
    parser.add_argument("--samples", type=int, default=30, help="of a peer, a round")
    parser.add_argument("--app-samples", type=int, default=0,
                        help="of the app, a round; 0: 30, and 3 from 2^25 on, where its CPU baselines take seconds")
    parser.add_argument("--rounds", type=int, default=2, help="how often app and peers take turns")
    parser.add_argument("--cache", choices=("warm", "cold"), default="warm", help="cold: the app gets --cache cold")
    parser.add_argument("--no-tune", action="store_true", help="take the first of the app's settings, try no others")
    parser.add_argument("--choose", action="append", default=[], metavar="TASK[@LOG2]=VARIANT[:SIZE[:COUNT]]",
                        help="the app's setting for a task; may be given several times")
    parser.add_argument("--arch", default="native", help="nvcc's -arch")
    parser.add_argument("--python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--budget", type=float, default=440, help="seconds for everything")
    parser.add_argument("--output", default="", help="results as JSON; a .csv is written beside it")
    options = parser.parse_args()
    for part in options.parts:
        if part not in ("peers", "agreement", "reruns"):
            parser.error(f"--parts: there is no {part}. There are: peers, agreement, reruns.")
    chosen(options.tasks)  # complains now, not after everything is compiled
    options.deadline = time.monotonic() + options.budget
    return options


class Session:
    def __init__(self, options, app, is_cpu, folder, results):
        self.options, self.app, self.is_cpu, self.results = options, app, is_cpu, results
        self.inputs = Inputs(app, folder, is_cpu)
        self.checked = {}  # (task, peer, way) -> what the comparison of answers says
        known = CPU_PEERS if is_cpu else GPU_PEERS
        wanted = options.peers or known
        self.peers = [self.start(name, folder) for name in wanted]

    def start(self, name, folder):
        if name == "cub":
            flags = ["-O3", "-std=c++17", f"-arch={self.options.arch}"]
            return CompiledPeer(name, "cub_peers.cu", ("nvcc", "/usr/local/cuda/bin/nvcc"), flags, folder)
        if name == "plain_loops":
            return CompiledPeer(name, "plain_loops.cpp", ("c++", "g++"), ["-O3", "-march=native", "-std=c++17"], folder)
        if name in ("cupy", "torch", "numba", "numpy"):
            return PythonPeer(name, self.options.python)
        raise SystemExit(f"--peers: there is no {name}. There are: {', '.join(GPU_PEERS + CPU_PEERS)}.")

    def seconds_left(self):
        return self.options.deadline - time.monotonic()

    def app_samples(self, log2):
        return self.options.app_samples or (30 if log2 < 25 else 15)

    def choice(self, task, log2, share):
        """The app's setting for this task: the given one, or the fastest of the candidates."""
        for given in self.options.choose:
            name, _, setting = given.partition("=")
            if name in (task.id, f"{task.id}@{log2}"):
                variant, size, count = (setting.split(":") + ["", ""])[:3]
                return (variant, int(size or 256), int(count or 0))
        candidates = task.cpu_candidates if self.is_cpu else task.candidates
        if self.options.no_tune or len(candidates) == 1:
            return candidates[0]
        start, best, best_ns = time.monotonic(), candidates[0], float("inf")
        for candidate in candidates:
            if time.monotonic() - start > 0.3 * share:
                say(f"    no time to try more settings of the app after {best}")
                break
            try:
                report = self.app.run(task, candidate, min(log2, TUNE_LOG2), 3, timeout=share)
                ns = median_ns(report, task.timing)
            except AppError as error:
                say(f"    {candidate}: {error}")
                continue
            if ns < best_ns:
                best, best_ns = candidate, ns
        return best

    def request(self, task, log2, samples, program_task=None, answer=None):
        path, bytes_an_element = self.inputs.block(task, log2)
        copies = 1
        if self.options.cache == "cold" and path:
            copies = max(1, -(-COLD_BYTES // (bytes_an_element << log2)) + 1)
        return {
            "task": program_task or task.program_task,
            "elements": 1 << log2,
            "bins": task.bins,
            "samples": samples,
            "copies": copies,
            "input": str(path) if path else None,
            "answer": answer,
        }

    def check_answers(self, task, peer):
        """Each way's answer on 2^20 elements against the app's."""
        expected = self.inputs.answer(task)
        where = str(self.inputs.folder / f"{task.id}.{peer.name}")
        for way in peer.measure(self.request(task, self.inputs.CHECK_LOG2, 0, answer=where)):
            said = way["error"] or compare(task, way["answer"], expected)
            self.checked[task.id, peer.name, way["way"]] = said

    def compare_one(self, task, log2, share):
        say(f"{task.id} 2^{log2} (up to {share:.0f} s)")
        start = time.monotonic()
        candidate = self.choice(task, log2, share)
        app, report, ways, troubles = {"row": [], "single": []}, None, {}, {}
        for peer in self.peers:
            try:
                if not any(key[:2] == (task.id, peer.name) for key in self.checked):
                    self.check_answers(task, peer)
            except PeerError as error:
                troubles[peer.name] = str(error)
        for number in range(self.options.rounds):
            spent = time.monotonic() - start
            if number > 0 and spent * (1 + 0.8 / number) > share:
                say("    no time for another round")
                break
            report = self.app.run(task, candidate, log2, self.app_samples(log2), timeout=self.seconds_left())
            app["row"].append(median_ns(report, task.timing))
            single = self.app.run(task, candidate, log2, self.app_samples(log2), "--unbatched", timeout=self.seconds_left())
            app["single"].append(median_ns(single, task.timing))
            for peer in self.peers:
                if peer.name not in troubles:
                    self.measure_peer(task, log2, peer, ways, troubles)
        self.add_rows(task, log2, report, app, ways, troubles)

    def measure_peer(self, task, log2, peer, ways, troubles):
        kinds = [None]
        of_memory = task.timing == "kernel_ns" and not task.makes_points
        if of_memory and not self.is_cpu and log2 >= COPY_FROM_LOG2 and peer.name in ("cub", "torch"):
            kinds.append("copy")
        for kind in kinds:
            try:
                # The copy's array is one of f32, whatever the task's elements are.
                request = self.request(task, log2, self.options.samples, kind)
                if kind == "copy":
                    request["input"] = str(self.inputs.copy_block())
                for way in peer.measure(request, timeout=min(60, self.seconds_left())):
                    known = ways.setdefault((peer.name, way["way"]), {"row": [], "single": [], "error": None, "copy": kind == "copy"})
                    known["error"] = known["error"] or way["error"]
                    for calls, samples in (("row", way["samples_ns"]), ("single", way["single_ns"])):
                        if samples:
                            known[calls].append(statistics.median(samples))
            except PeerError as error:
                troubles[peer.name] = str(error)

    def add_rows(self, task, log2, report, app, ways, troubles):
        launch = report["launch"]
        fraction = report["fraction_of_copy_ceiling"] if task.timing == "kernel_ns" else None
        own_ns = median_ns(report, task.timing)
        facts = {
            "task": task.id,
            "log2_elements": log2,
            "bins": task.bins or None,
            "app_variant": report["variant"],
            "app_workgroup_size": launch["workgroup_size"],
            "app_workgroup_count": launch["workgroup_count"],
            "app_cache": report.get("cache"),
            "cache": self.options.cache,
        }
        what, amount = ("points", 1 << log2) if task.makes_points else ("bytes", report["bytes_moved"])
        for calls, rounds in app.items():
            ns = statistics.median(rounds)
            facts |= {
                f"app_{calls}_ns": ns,
                f"app_{calls}_rounds_ns": rounds,
                f"app_{calls}_{what}_per_second": amount / ns * 1e9,
            }
        of_bytes = fraction and not task.makes_points
        facts["app_of_copy_ceiling"] = fraction * own_ns / facts["app_row_ns"] if of_bytes else None
        for (peer, way), known in ways.items():
            row = dict(facts, peer=peer, way=way, rounds=len(known["row"]), error=known["error"])
            row["target"] = None if self.is_cpu else target(task.id, log2, peer, way)
            row["answer"] = "" if known["copy"] else self.checked.get((task.id, peer, way), "not checked")
            for calls in app:
                self.add_ratio(row, calls, known, what, (8 << log2) if known["copy"] else amount)
            self.results.add(**row)
            say(f"    {peer} {way}: app/peer {row.get('row_ratio') or float('nan'):.3f}, "
                f"single {row.get('single_ratio') or float('nan'):.3f} {row.get('error') or ''}")
        for peer, trouble in troubles.items():
            self.results.add(**facts, peer=peer, error=trouble)
        if not ways and not troubles:
            self.results.add(**facts)

    def add_ratio(self, row, calls, known, what, amount):
        """Of the rates, app over peer, of calls in a row or of single ones."""
        if not known[calls]:
            return
        ns = statistics.median(known[calls])
        row[f"peer_{calls}_ns"] = ns
        row[f"peer_{calls}_rounds_ns"] = known[calls]
        row[f"peer_{calls}_{what}_per_second"] = amount / ns * 1e9
        row[f"{calls}_ratio"] = row[f"app_{calls}_{what}_per_second"] / row[f"peer_{calls}_{what}_per_second"]
        if row["target"]:  # a wrong answer is no work to compare with
            row[f"{calls}_met"] = row[f"{calls}_ratio"] >= row["target"] and not row["answer"].startswith("WRONG")

    def compare_all(self):
        wait_for_all(self.peers, say)
        cells = []
        for task in chosen(self.options.tasks):
            default = (22,) if self.is_cpu else task.sizes
            cells += [(task, size) for size in (self.options.sizes or default)]
        if not self.is_cpu and self.options.sizes and not self.options.tasks:
            cells = [(task, size) for task, size in cells if size in task.sizes]
        # The large ones take longer, so they get more of what is left.
        weight = lambda log2: 1 if log2 < 26 else 2  # noqa: E731
        for i, (task, log2) in enumerate(cells):
            left = self.seconds_left()
            if left < 10:
                self.results.add(task=task.id, log2_elements=log2, error="not measured: the time is spent (--budget)")
                continue
            share = left * weight(log2) / sum(weight(other) for _, other in cells[i:])
            try:
                self.compare_one(task, log2, share)
            except (AppError, OSError, ValueError, KeyError) as error:
                say(f"    {error}")
                self.results.add(task=task.id, log2_elements=log2, error=f"app: {error}")

    def close(self):
        for peer in self.peers:
            peer.close()


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    app = App(options.app, options.device, options.app_library_path, options.cache)
    try:
        device = app.device_facts()
    except AppError as error:
        raise SystemExit(f"peers.py: {error}") from None
    is_cpu = device["is_cpu"] if options.mode == "auto" else options.mode == "cpu"
    results = Results(
        options.output,
        {"device": device, "host": platform.platform(), "cache": options.cache, "mode": "cpu" if is_cpu else "gpu"},
    )
    with tempfile.TemporaryDirectory(prefix="gridstride-peers-") as folder:
        session = None
        try:
            if "peers" in options.parts:
                session = Session(options, app, is_cpu, pathlib.Path(folder), results)
                results.about["peers"] = {peer.name: None for peer in session.peers}
                session.compare_all()
                results.about["peers"] = {peer.name: peer.trouble or peer.described for peer in session.peers}
            if "agreement" in options.parts:
                agreement(app, options, is_cpu, pathlib.Path(folder), results)
            if "reruns" in options.parts:
                reruns(app, options, is_cpu, results)
        except KeyboardInterrupt:
            say("stopped")
        finally:
            if session:
                session.close()
            results.save()
            if results.rows:
                print(f"{device['name']}, {device['driver']}; caches {options.cache}; app/peer: above 1 the app is faster")
                print(results.text())


if __name__ == "__main__":
    main()
