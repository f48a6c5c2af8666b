#!/usr/bin/env python3
"""Compares the app with CUB, CuPy, PyTorch and Numba-CUDA, or without a GPU with NumPy and a plain C++ loop.

    tests/peers/peers.py --app build/release/bin/gridstride --output out/peers.json
    tests/peers/peers.py --tasks sum,histogram --peers cub,cupy --sizes 24,28
    tests/peers/peers.py --tasks matmul,softmax,row_norm --budget 480
    tests/peers/peers.py --parts agreement,reruns --bare build/release/bin/bare_vulkan

All programs use the same bytes: the app's input. Above 2^24 elements (factors of 1024 x 1024) a smaller input is
repeated; for pi each program makes its own points. A rate is an amount per median GPU time. The amount is the fewest
bytes that the task must move (the app's bytes_moved), the points or the arithmetic operations. CUDA events or Vulkan
timestamps measure the time; app and peers take turns (A B A B). There are two kinds of times: calls in a row, which
include only GPU work, and single calls on an idle device, which are what a program with one call gets. Caches: "warm"
repeats over the same buffers, so data that fits the last-level cache stays there; "cold" rotates through copies that
exceed it. Results are saved as they arrive, so the table is valid if the script is stopped or out of time.
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

from agreement import measure_agreement, measure_reruns
from answers import Inputs, compare
from app import App, AppError, median_ns
from peer_process import CompiledPeer, PeerError, PythonPeer, cublas_flags, wait_for_all
from results import Results
from tasks import LARGE_ELEMENTS, make_setting, select_tasks, target

GPU_PEERS, CPU_PEERS = ("cub", "cublas", "cupy", "torch", "numba"), ("numpy", "plain_loops")
NVCC = ("nvcc", "/usr/local/cuda/bin/nvcc")
COLD_BYTES = 1 << 28  # the total size of an input's copies with --cache cold; exceeds every last-level cache


def log(text):
    print(text, file=sys.stderr, flush=True)


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    split_list = lambda text: [word for word in text.split(",") if word]  # noqa: E731
    parser.add_argument("--app", default="build/release/bin/gridstride", help="the app, as a command line")
    parser.add_argument("--bare", default="", help="the program bare_vulkan; default: beside the app")
    parser.add_argument("--kernels", default="", help="folder of the .spv files; default: share/ beside the app's bin/")
    parser.add_argument("--app-library-path", default="", help="LD_LIBRARY_PATH for the app and bare_vulkan alone")
    parser.add_argument("--device", default="", help="the app's device, an index or a part of its name")
    parser.add_argument("--mode", choices=("auto", "gpu", "cpu"), default="auto", help="auto: as the app's device is")
    parser.add_argument("--parts", type=split_list, default=["peers"], help="peers, agreement, reruns; default: peers")
    parser.add_argument("--tasks", type=split_list, default=[], help="such as sum,histogram_10; default: all")
    parser.add_argument("--peers", type=split_list, default=[],
                        help="cub,cublas,cupy,torch,numba or numpy,plain_loops; default: all")
    parser.add_argument("--sizes", type=split_list, default=[],
                        help="log2 of the elements (28), rows x columns (8192x8192), m x n x k (2048x2048x2048); "
                             "default: the sizes of each task, smaller ones without a GPU")
    parser.add_argument("--samples", type=int, default=30, help="samples of a peer per round")
    parser.add_argument("--app-samples", type=int, default=0,
                        help="samples of the app per round; 0: 30, or 15 from 2^25 elements on (slow CPU baselines)")
    parser.add_argument("--rounds", type=int, default=2, help="how often app and peers take turns")
    parser.add_argument("--cache", choices=("warm", "cold"), default="warm",
                        help="cold: also passes --cache cold to the app")
    parser.add_argument("--no-tune", action="store_true",
                        help="use the first of the app's settings without trying others")
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
    select_tasks(options.tasks)  # reports unknown tasks before the peers are compiled
    for word in options.sizes:
        if not re.fullmatch(r"\d+(x\d+){0,2}", word):
            parser.error(f"--sizes: {word} is not a size. Examples: 28, 8192x8192, 2048x2048x2048.")
    for option in options.choose:
        if "=" not in option:
            parser.error(f"--choose: {option} names no variant. Example: gaussian=vec4:512.")
    options.deadline = time.monotonic() + options.budget
    return options


def size_columns(task, size):
    """Returns the columns that identify the task and the size of a row."""
    return {"task": task.id, "log2_elements": size.log2, "shape": None if size.log2 else size.name}


class Session:
    def __init__(self, options, app, is_cpu, folder, results):
        self.options, self.app, self.is_cpu, self.results = options, app, is_cpu, results
        self.inputs = Inputs(app, folder, is_cpu)
        self.answer_results = {}  # (task, peer, way) -> the result of comparing answers
        self.fastest_settings = {}  # (task, size) -> the fastest of the app's settings
        all_peers = CPU_PEERS if is_cpu else GPU_PEERS
        tasks = select_tasks(options.tasks)
        peer_names = [name for name in options.peers or all_peers
                      if any(name not in task.excluded_peers for task in tasks)]
        self.peers = [self.start_peer(name, folder) for name in peer_names]

    def start_peer(self, name, folder):
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
        return self.options.app_samples or (30 if size.elements < LARGE_ELEMENTS else 15)

    def find_given_setting(self, task, size):
        """Returns the setting from --choose, or None. One for this size takes precedence over one for the whole task."""
        settings = dict(option.split("=", 1) for option in self.options.choose)
        for name in (f"{task.id}@{size.log2 or size.word}", task.id):
            if setting := settings.get(name):
                variant, *more = setting.split(":")
                launch = [int(word or 0) for word in more if "=" not in word]
                flags = [part for word in more if "=" in word for part in ("--" + word).split("=", 1)]
                base_setting = make_setting(variant, *(launch or [256])) if size.log2 else (variant,)
                return (*base_setting, *flags)
        return None

    def choose_setting(self, task, size, share):
        """Returns the app's setting for this task: the one from --choose, or the fastest of the candidates."""
        candidates = task.cpu_candidates if self.is_cpu else task.candidates
        setting = self.find_given_setting(task, size)
        if setting or self.options.no_tune or len(candidates) == 1:
            return setting or candidates[0]
        tuning_size = size.tuning_size or size
        key = task.id, tuning_size.name
        if key not in self.fastest_settings:
            self.fastest_settings[key] = self.find_fastest(task, tuning_size, candidates, share)
        return self.fastest_settings[key]

    def find_fastest(self, task, size, candidates, share):
        start, best, best_ns = time.monotonic(), candidates[0], float("inf")
        for candidate in candidates:
            if time.monotonic() - start > 0.3 * share:
                log(f"    no time to try more settings; the fastest so far is {best}")
                break
            try:
                report = self.app.run(task, candidate, size, 3, timeout=share)
                ns = median_ns(report, task.timing)
            except AppError as error:
                log(f"    {candidate}: {error}")
                continue
            if ns < best_ns:
                best, best_ns = candidate, ns
        return best

    def request(self, task, size, samples, answer=None):
        input_data = self.inputs.save_input(task, size)
        return self.request_for(task.program_task, task.bins, size.shape, input_data, samples, answer)

    def request_for(self, name, bins, shape, input_data, samples, answer=None):
        path, lengths, arrays, total_bytes = input_data or (None, (), (), 0)
        cold = self.options.cache == "cold" and path
        return {
            "task": name,
            "shape": shape,
            "bins": bins,
            "samples": samples,
            "copies": -(-COLD_BYTES // total_bytes) + 1 if cold else 1,
            "input": str(path) if path else None,
            "lengths": lengths,
            "arrays": arrays,
            "answer": answer,
        }

    def check_answers(self, task, peer):
        """Compares the answer of each implementation at a small size with the app's."""
        expected = self.inputs.get_answer(task)
        where = str(self.inputs.folder / f"{task.id}.{peer.name}")
        for result in peer.measure(self.request(task, task.check_size, 0, answer=where)):
            answer_result = result["error"] or compare(task, result["answer"], expected)
            self.answer_results[task.id, peer.name, result["way"]] = answer_result

    def compare_one(self, task, size, share):
        log(f"{task.id} {size.name} (up to {share:.0f} s)")
        start = time.monotonic()
        setting = self.choose_setting(task, size, share)
        app_times, report, peer_times, errors = {"row": [], "single": []}, None, {}, {}
        peers = [peer for peer in self.peers if peer.name not in task.excluded_peers]
        for peer in peers:
            try:
                if not any(key[:2] == (task.id, peer.name) for key in self.answer_results):
                    self.check_answers(task, peer)
            except PeerError as error:
                errors[peer.name] = str(error)
        for number in range(self.options.rounds):
            spent = time.monotonic() - start
            if number > 0 and spent * (1 + 0.8 / number) > share:
                log("    no time for another round")
                break
            report = single = self.app.run(task, setting, size, self.app_samples(size), timeout=self.seconds_left())
            # Work of at least a millisecond is not repeated within a sample, so its calls in a row are single calls.
            if task.timing != "kernel_ns" or report["timings"]["kernel_repeats"] > 1:
                single = self.app.run(task, setting, size, self.app_samples(size), "--unbatched", timeout=self.seconds_left())
            for calls, timed_report in (("row", report), ("single", single)):
                app_times[calls].append(median_ns(timed_report, task.timing))
            for peer in peers:
                if peer.name not in errors:
                    self.measure_peer(task, size, peer, peer_times, errors)
        self.add_rows(task, size, setting, report, app_times, peer_times, errors)

    def measure_peer(self, task, size, peer, peer_times, errors):
        requests = [(False, self.request(task, size, self.options.samples))]
        has_copy = task.min_copy_elements is not None and size.elements >= task.min_copy_elements
        if has_copy and not self.is_cpu and peer.name in ("cub", "torch"):
            # The copy uses an array of f32 for all tasks.
            input_data = self.inputs.save_copy_input(size)
            requests.append((True, self.request_for("copy", 0, (size.elements,), input_data, self.options.samples)))
        for is_copy, request in requests:
            try:
                for result in peer.measure(request, timeout=min(60, self.seconds_left())):
                    times = peer_times.setdefault((peer.name, result["way"]),
                                                  {"row": [], "single": [], "error": None, "copy": is_copy})
                    times["error"] = times["error"] or result["error"]
                    for calls, samples in (("row", result["samples_ns"]), ("single", result["single_ns"])):
                        if samples:
                            times[calls].append(statistics.median(samples))
            except PeerError as error:
                errors[peer.name] = str(error)

    def add_rows(self, task, size, setting, report, app_times, peer_times, errors):
        launch = report["launch"]
        fraction = report["fraction_of_copy_ceiling"] if task.timing == "kernel_ns" else None
        report_ns = median_ns(report, task.timing)
        columns = {
            **size_columns(task, size),
            "bins": task.bins or None,
            "app_variant": report["variant"],
            "app_flags": " ".join(setting[1:]),
            "app_workgroup_size": launch["workgroup_size"],
            "app_workgroup_count": launch["workgroup_count"],
            "app_cache": report.get("cache"),
            "cache": self.options.cache,
        }
        unit = task.rate_unit
        amount = {"bytes": report["bytes_moved"], "points": size.elements, "operations": report["operations"]}[unit]
        for calls, rounds in app_times.items():
            ns = statistics.median(rounds)
            columns |= {
                f"app_{calls}_ns": ns,
                f"app_{calls}_rounds_ns": rounds,
                f"app_{calls}_{unit}_per_second": amount / ns * 1e9,
            }
        has_ceiling = fraction and unit == "bytes"
        columns["app_of_copy_ceiling"] = fraction * report_ns / columns["app_row_ns"] if has_ceiling else None
        for (peer, implementation), times in peer_times.items():
            row = dict(columns, peer=peer, way=implementation, rounds=len(times["row"]), error=times["error"])
            row["target"] = None if self.is_cpu else target(task.id, size.name, peer, implementation)
            answer_result = self.answer_results.get((task.id, peer, implementation), "not checked")
            row["answer"] = "" if times["copy"] else answer_result
            for calls in app_times:
                self.add_ratio(row, calls, times, unit, 8 * size.elements if times["copy"] else amount)
            self.results.add(**row)
            log(f"    {peer} {implementation}: app/peer {row.get('row_ratio') or float('nan'):.3f}, "
                f"single {row.get('single_ratio') or float('nan'):.3f} {row.get('error') or ''}")
        for peer, error in errors.items():
            self.results.add(**columns, peer=peer, error=error)
        if not peer_times and not errors:
            self.results.add(**columns)

    def add_ratio(self, row, calls, times, unit, amount):
        """Adds the ratio of the app's rate to the peer's, for calls in a row or single calls."""
        if not times[calls]:
            return
        ns = statistics.median(times[calls])
        row[f"peer_{calls}_ns"] = ns
        row[f"peer_{calls}_rounds_ns"] = times[calls]
        row[f"peer_{calls}_{unit}_per_second"] = amount / ns * 1e9
        row[f"{calls}_ratio"] = row[f"app_{calls}_{unit}_per_second"] / row[f"peer_{calls}_{unit}_per_second"]
        if row["target"]:  # a wrong answer never meets the target
            row[f"{calls}_met"] = row[f"{calls}_ratio"] >= row["target"] and not row["answer"].startswith("WRONG")

    def compare_all(self):
        wait_for_all(self.peers, log)
        cells = []
        for task in select_tasks(self.options.tasks):
            default = task.cpu_sizes if self.is_cpu else task.sizes
            sizes = [size for size in map(task.parse_size, self.options.sizes) if size]
            cells += [(task, size) for size in (sizes if self.options.sizes else default)]
            if self.options.sizes and not sizes:
                example = task.sizes[0].log2 or task.sizes[0].word
                log(f"{task.id}: --sizes has no size of its kind, such as {example}")
        if not self.is_cpu and self.options.sizes and not self.options.tasks:
            cells = [(task, size) for task, size in cells if size in task.sizes]
        for i, (task, size) in enumerate(cells):
            seconds_left = self.seconds_left()
            if seconds_left < 10:
                self.results.add(**size_columns(task, size),
                                 error="not measured: the time budget is used up (--budget)")
                continue
            # Large sizes take longer, so they get a larger share of the remaining time.
            share = seconds_left * size.weight / sum(other.weight for _, other in cells[i:])
            try:
                self.compare_one(task, size, share)
            except (AppError, OSError, ValueError, KeyError) as error:
                log(f"    {error}")
                self.results.add(**size_columns(task, size), error=f"app: {error}")

    def close(self):
        for peer in self.peers:
            peer.close()


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    app = App(options.app, options.device, options.app_library_path, options.cache)
    try:
        device = app.read_device()
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
                results.about["peers"] = {peer.name: peer.failure or peer.description for peer in session.peers}
            if "agreement" in options.parts:
                measure_agreement(app, options, is_cpu, pathlib.Path(folder), results)
            if "reruns" in options.parts:
                measure_reruns(app, options, is_cpu, results)
        except KeyboardInterrupt:
            log("stopped")
        finally:
            if session:
                session.close()
            results.save()
            if results.rows:
                print(f"{device['name']}, {device['driver']}; caches {options.cache}; app/peer: above 1 the app is faster")
                print(results.text())


if __name__ == "__main__":
    main()
