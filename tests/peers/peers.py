#!/usr/bin/env python3
"""The app beside CUB, CuPy, PyTorch and Numba-CUDA; without a GPU beside NumPy and a plain C++ loop.

    tests/peers/peers.py --app build/release/bin/gridstride --output out/peers.json
    tests/peers/peers.py --tasks sum,histogram --peers cub,cupy --sizes 24,28
    tests/peers/peers.py --tasks matmul,softmax,row_norm --budget 480
    tests/peers/peers.py --parts agreement,reruns --bare build/release/bin/bare_vulkan

All work on the same bytes: the app's input, up to 2^24 elements (factors of 1024 x 1024) as it is, above that these
repeated; for pi each makes its own points. A rate is the fewest bytes that the task must move (the app's bytes_moved), the
points or the arithmetic operations, over the median time of the GPU's work, by CUDA events and by Vulkan timestamps, app and
peers in turn (A B A B). Each is timed twice: calls in a row, which is the GPU's work alone, and single calls on an idle
device, which is what a program that makes one gets. Caches: "warm" repeats over the same buffers, so what fits the last-level
cache comes from it; "cold" goes round copies that exceed it. Results are written as they come; stopped or out of time, the
table holds what there is.
"""

import argparse
import pathlib
import platform
import re
import signal
import statistics
import sys
import tempfile
import time

from agreement import agreement, reruns
from answers import Inputs, compare
from app import App, AppError, median_ns
from peer_process import CompiledPeer, PeerError, PythonPeer, cublas_flags, wait_for_all
from results import Results
from tasks import LARGE, chosen, in_groups, target

GPU_PEERS, CPU_PEERS = ("cub", "cublas", "cupy", "torch", "numba"), ("numpy", "plain_loops")
NVCC = ("nvcc", "/usr/local/cuda/bin/nvcc")
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
    parser.add_argument("--peers", type=words, default=[], help="cub,cublas,cupy,torch,numba or numpy,plain_loops; default: all")
    parser.add_argument("--sizes", type=words, default=[],
                        help="log2 of the elements (28), rows x columns (8192x8192), m x n x k (2048x2048x2048); "
                             "default: as each task has them, small ones without a GPU")
    parser.add_argument("--samples", type=int, default=30, help="of a peer, a round")
    parser.add_argument("--app-samples", type=int, default=0,
                        help="of the app, a round; 0: 30, and 3 from 2^25 on, where its CPU baselines take seconds")
    parser.add_argument("--rounds", type=int, default=2, help="how often app and peers take turns")
    parser.add_argument("--cache", choices=("warm", "cold"), default="warm", help="cold: the app gets --cache cold")
    parser.add_argument("--no-tune", action="store_true", help="take the first of the app's settings, try no others")
    parser.add_argument("--choose", action="append", default=[], metavar="TASK[@SIZE]=VARIANT[:GROUP[:COUNT]][:FLAG=VALUE…]",
                        help="the app's setting for a task, such as sum_f32@24=single_pass:512 or "
                             "matmul@4096x4096x4096=prefetch:workgroup=16x8:results=8x16; may be given several times")
    parser.add_argument("--arch", default="native", help="nvcc's -arch")
    parser.add_argument("--python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--budget", type=float, default=440, help="seconds for everything")
    parser.add_argument("--output", default="", help="results as JSON; a .csv is written beside it")
    options = parser.parse_args()
    for part in options.parts:
        if part not in ("peers", "agreement", "reruns"):
            parser.error(f"--parts: there is no {part}. There are: peers, agreement, reruns.")
    chosen(options.tasks)  # complains now, not after everything is compiled
    for word in options.sizes:
        if not re.fullmatch(r"\d+(x\d+){0,2}", word):
            parser.error(f"--sizes: {word} is none. Such are: 28, 8192x8192, 2048x2048x2048.")
    options.deadline = time.monotonic() + options.budget
    return options


def names_of(task, size):
    """The columns that say what a row is of."""
    return {"task": task.id, "log2_elements": size.log2, "shape": None if size.log2 else size.name}


class Session:
    def __init__(self, options, app, is_cpu, folder, results):
        self.options, self.app, self.is_cpu, self.results = options, app, is_cpu, results
        self.inputs = Inputs(app, folder, is_cpu)
        self.checked = {}  # (task, peer, way) -> what the comparison of answers says
        self.tuned = {}  # (task, size) -> the fastest of the app's settings
        known = CPU_PEERS if is_cpu else GPU_PEERS
        tasks = chosen(options.tasks)
        wanted = [name for name in options.peers or known if any(name not in task.without for task in tasks)]
        self.peers = [self.start(name, folder) for name in wanted]

    def start(self, name, folder):
        flags = ["-O3", "-std=c++17", f"-arch={self.options.arch}"]
        if name == "cub":
            return CompiledPeer(name, "cub_peers.cu", NVCC, flags, folder)
        if name == "cublas":
            return CompiledPeer(name, "cublas_peers.cu", NVCC, [*flags, *cublas_flags(NVCC)], folder)
        if name == "plain_loops":
            return CompiledPeer(name, "plain_loops.cpp", ("c++", "g++"), ["-O3", "-march=native", "-std=c++17"], folder)
        if name in ("cupy", "torch", "numba", "numpy"):
            return PythonPeer(name, self.options.python)
        raise SystemExit(f"--peers: there is no {name}. There are: {', '.join(GPU_PEERS + CPU_PEERS)}.")

    def seconds_left(self):
        return self.options.deadline - time.monotonic()

    def app_samples(self, size):
        return self.options.app_samples or (30 if size.elements < LARGE else 15)

    def given_setting(self, task, size):
        """That of --choose, or None."""
        for given in self.options.choose:
            name, _, setting = given.partition("=")
            if name in (task.id, f"{task.id}@{size.log2 or size.word}"):
                variant, *more = setting.split(":")
                launch = [int(word or 0) for word in more if "=" not in word]
                flags = [part for word in more if "=" in word for part in ("--" + word).split("=", 1)]
                in_one_dimension = in_groups(variant, *(launch or [256])) if size.log2 else (variant,)
                return (*in_one_dimension, *flags)
        return None

    def choice(self, task, size, share):
        """The app's setting for this task: the given one, or the fastest of the candidates."""
        candidates = task.cpu_candidates if self.is_cpu else task.candidates
        given = self.given_setting(task, size)
        if given or self.options.no_tune or len(candidates) == 1:
            return given or candidates[0]
        at = size.tuned or size
        if (task.id, at.name) not in self.tuned:
            self.tuned[task.id, at.name] = self.fastest(task, at, candidates, share)
        return self.tuned[task.id, at.name]

    def fastest(self, task, size, candidates, share):
        start, best, best_ns = time.monotonic(), candidates[0], float("inf")
        for candidate in candidates:
            if time.monotonic() - start > 0.3 * share:
                say(f"    no time to try more settings of the app after {best}")
                break
            try:
                report = self.app.run(task, candidate, size, 3, timeout=share)
                ns = median_ns(report, task.timing)
            except AppError as error:
                say(f"    {candidate}: {error}")
                continue
            if ns < best_ns:
                best, best_ns = candidate, ns
        return best

    def request(self, task, size, samples, answer=None):
        return self.request_for(task.program_task, task.bins, size.shape, self.inputs.saved(task, size), samples, answer)

    def request_for(self, name, bins, shape, saved, samples, answer=None):
        path, lengths, arrays, bytes_together = saved or (None, (), (), 0)
        cold = self.options.cache == "cold" and path
        return {
            "task": name,
            "shape": shape,
            "bins": bins,
            "samples": samples,
            "copies": -(-COLD_BYTES // bytes_together) + 1 if cold else 1,
            "input": str(path) if path else None,
            "lengths": lengths,
            "arrays": arrays,
            "answer": answer,
        }

    def check_answers(self, task, peer):
        """Each way's answer at a small size against the app's."""
        expected = self.inputs.answer(task)
        where = str(self.inputs.folder / f"{task.id}.{peer.name}")
        for way in peer.measure(self.request(task, task.checked_at, 0, answer=where)):
            said = way["error"] or compare(task, way["answer"], expected)
            self.checked[task.id, peer.name, way["way"]] = said

    def compare_one(self, task, size, share):
        say(f"{task.id} {size.name} (up to {share:.0f} s)")
        start = time.monotonic()
        setting = self.choice(task, size, share)
        app, report, ways, troubles = {"row": [], "single": []}, None, {}, {}
        peers = [peer for peer in self.peers if peer.name not in task.without]
        for peer in peers:
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
            report = single = self.app.run(task, setting, size, self.app_samples(size), timeout=self.seconds_left())
            # Work that spans a millisecond is not repeated for a sample: that was a single call already.
            if task.timing != "kernel_ns" or report["timings"]["kernel_repeats"] > 1:
                single = self.app.run(task, setting, size, self.app_samples(size), "--unbatched", timeout=self.seconds_left())
            for calls, timed in (("row", report), ("single", single)):
                app[calls].append(median_ns(timed, task.timing))
            for peer in peers:
                if peer.name not in troubles:
                    self.measure_peer(task, size, peer, ways, troubles)
        self.add_rows(task, size, setting, report, app, ways, troubles)

    def measure_peer(self, task, size, peer, ways, troubles):
        requests = [(False, self.request(task, size, self.options.samples))]
        copied = task.copied_from is not None and size.elements >= task.copied_from
        if copied and not self.is_cpu and peer.name in ("cub", "torch"):
            # Its array is one of f32, whatever the task's elements are.
            saved = self.inputs.saved_to_copy(size)
            requests.append((True, self.request_for("copy", 0, (size.elements,), saved, self.options.samples)))
        for is_copy, request in requests:
            try:
                for way in peer.measure(request, timeout=min(60, self.seconds_left())):
                    known = ways.setdefault((peer.name, way["way"]), {"row": [], "single": [], "error": None, "copy": is_copy})
                    known["error"] = known["error"] or way["error"]
                    for calls, samples in (("row", way["samples_ns"]), ("single", way["single_ns"])):
                        if samples:
                            known[calls].append(statistics.median(samples))
            except PeerError as error:
                troubles[peer.name] = str(error)

    def add_rows(self, task, size, setting, report, app, ways, troubles):
        launch = report["launch"]
        fraction = report["fraction_of_copy_ceiling"] if task.timing == "kernel_ns" else None
        own_ns = median_ns(report, task.timing)
        facts = {
            **names_of(task, size),
            "bins": task.bins or None,
            "app_variant": report["variant"],
            "app_flags": " ".join(setting[1:]),
            "app_workgroup_size": launch["workgroup_size"],
            "app_workgroup_count": launch["workgroup_count"],
            "app_cache": report.get("cache"),
            "cache": self.options.cache,
        }
        what = task.counts
        amount = {"bytes": report["bytes_moved"], "points": size.elements, "operations": report["operations"]}[what]
        for calls, rounds in app.items():
            ns = statistics.median(rounds)
            facts |= {
                f"app_{calls}_ns": ns,
                f"app_{calls}_rounds_ns": rounds,
                f"app_{calls}_{what}_per_second": amount / ns * 1e9,
            }
        of_bytes = fraction and what == "bytes"
        facts["app_of_copy_ceiling"] = fraction * own_ns / facts["app_row_ns"] if of_bytes else None
        for (peer, way), known in ways.items():
            row = dict(facts, peer=peer, way=way, rounds=len(known["row"]), error=known["error"])
            row["target"] = None if self.is_cpu else target(task.id, size.name, peer, way)
            row["answer"] = "" if known["copy"] else self.checked.get((task.id, peer, way), "not checked")
            for calls in app:
                self.add_ratio(row, calls, known, what, 8 * size.elements if known["copy"] else amount)
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
            default = task.cpu_sizes if self.is_cpu else task.sizes
            sizes = [size for size in map(task.size_of, self.options.sizes) if size]
            cells += [(task, size) for size in (sizes if self.options.sizes else default)]
            if self.options.sizes and not sizes:
                say(f"{task.id}: none of --sizes is of its kind; it has such as {task.sizes[0].log2 or task.sizes[0].word}")
        if not self.is_cpu and self.options.sizes and not self.options.tasks:
            cells = [(task, size) for task, size in cells if size in task.sizes]
        for i, (task, size) in enumerate(cells):
            left = self.seconds_left()
            if left < 10:
                self.results.add(**names_of(task, size), error="not measured: the time is spent (--budget)")
                continue
            # The large ones take longer, so they get more of what is left.
            share = left * size.weight / sum(other.weight for _, other in cells[i:])
            try:
                self.compare_one(task, size, share)
            except (AppError, OSError, ValueError, KeyError) as error:
                say(f"    {error}")
                self.results.add(**names_of(task, size), error=f"app: {error}")

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
