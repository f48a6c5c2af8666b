#!/usr/bin/env python3
"""One peer in a separate process. It reads one JSON request per line from stdin and writes one JSON answer per
line to stdout.

    worker.py cupy|torch|numba|numpy

Its first line is {"ready": "CuPy 14.2.0"} or {"error": …}. A request:
    {"task": "gaussian", "shape": [N], "bins": B, "samples": K, "copies": C, "input": "x.npy" or null, "lengths": [n],
     "arrays": [N], "answer": "y" or null}
The input file holds arrays of these lengths one after another. Each is repeated to the length in "arrays". Calls rotate
through C copies of them, so that a cache cannot hold them. Some tasks have no input. "shape" is [N], [rows, columns] or
[m, n, k]. The answer has one entry per implementation of the task:
    {"ways": [{"way": …, "repeats": R, "samples_ns": […], "single_ns": […], "answer": "y.0.npy" or null,
               "error": null or …}]}

A peer's module with_*.py has IS_GPU, version(), repeat_array(), implementations() (which returns pairs of a name and a
function of the call's number), time_calls(), synchronise(), to_host() and release().
"""

import importlib
import json
import math
import os
import sys
import time

PAIR_NS = 1e6  # the minimum time between a pair of events, as in the app
SETTLING_S, MAX_WARM_UP_S = 0.4, 2.0
MAX_BURST_S, MIN_SAMPLES = 1.0, 3


def repeats_for(ns):
    return int(min(2000, max(1, math.ceil(PAIR_NS / max(ns, 100)))))


class Sampler:
    """Times one implementation without pauses after a warm-up, as the app times a kernel.

    Calls in a row: short work is repeated between two events. Before each pair the device runs a waiting kernel while
    the host queues the work, so that the events time the device and not Python.

    Single calls: one call between two events on an idle device. The time includes what the host does after the first
    event."""

    def __init__(self, peer, work):
        self.peer, self.work, self.host_ns_per_call = peer, work, 0

    def time(self, repeats):
        cover_ns = min(2e7, 1.5 * self.host_ns_per_call * repeats + 1e5)
        ns, host_ns = self.peer.time_calls(self.work, repeats, cover_ns)
        self.host_ns_per_call = host_ns / repeats
        return ns / repeats

    def samples(self, sample_count):
        """Returns the times of calls in a row, those of single calls, and the repeats of calls in a row."""
        self.work(0)
        self.peer.synchronise()
        if sample_count == 0:
            return [], [], 1
        self.time(1)
        repeats = repeats_for(self.time(1))
        if self.peer.IS_GPU:
            repeats = self.warm_up(repeats)
        in_a_row = self.burst(sample_count, lambda: self.time(repeats))
        return in_a_row, self.burst(sample_count, self.time_single), repeats

    def time_single(self):
        self.peer.synchronise()
        return self.peer.time_calls(self.work, 1, 0)[0]

    def burst(self, sample_count, measure):
        samples, start = [], time.monotonic()
        while len(samples) < sample_count and (
            len(samples) < MIN_SAMPLES or time.monotonic() - start < MAX_BURST_S
        ):
            samples.append(measure())
        return samples

    def warm_up(self, repeats):
        start = last_improvement = time.monotonic()
        best = math.inf
        while time.monotonic() - last_improvement < SETTLING_S and time.monotonic() - start < MAX_WARM_UP_S:
            ns = self.time(repeats)
            if ns < 0.98 * best:
                last_improvement = time.monotonic()
            best = min(best, ns)
            repeats = max(repeats, repeats_for(best))
        return repeats


def split_input(request):
    """Yields the numbers of each array and how often to repeat them."""
    import numpy

    numbers = numpy.load(request["input"]).reshape(-1)
    at = 0
    for length, repeated_length in zip(request["lengths"], request["arrays"]):
        if repeated_length % length:
            raise ValueError(f"{repeated_length} elements are no multiple of the {length} in {request['input']}")
        yield numbers[at : at + length], repeated_length // length
        at += length


def answer_request(peer, request):
    import numpy

    parts = list(split_input(request)) if request["input"] else []
    inputs = [[peer.repeat_array(*part) for part in parts] for _ in range(max(1, request["copies"]))]
    results = []
    implementations = peer.implementations(request["task"], inputs, request["shape"], request["bins"])
    for number, (name, function) in enumerate(implementations):
        result = {"way": name, "repeats": 1, "samples_ns": [], "single_ns": [], "answer": None, "error": None}
        try:
            samples = Sampler(peer, function).samples(request["samples"])
            result["samples_ns"], result["single_ns"], result["repeats"] = samples
            if request["answer"]:
                result["answer"] = f"{request['answer']}.{number}.npy"
                numpy.save(result["answer"], peer.to_host(function(0)))
        except Exception as error:  # the other implementations are still measured
            result["error"] = f"{type(error).__name__}: {error}"
        results.append(result)
    return {"ways": results}


def main():
    # Libraries may print to stdout, so answers use the original stdout, and everything else goes to stderr.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    try:
        peer = importlib.import_module("with_" + sys.argv[1])
        print(json.dumps({"ready": peer.version()}), file=answers)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), file=answers)
        return 1
    for line in sys.stdin:
        try:
            answer = answer_request(peer, json.loads(line))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        try:
            peer.release()
        except Exception as error:
            print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        print(json.dumps(answer), file=answers)
    return 0


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.exit(main())
