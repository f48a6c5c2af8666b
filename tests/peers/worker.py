#!/usr/bin/env python3
"""One peer in a process of its own: reads a request a line from stdin, answers a line on stdout, both JSON.

    worker.py cupy|torch|numba|numpy

First line out: {"ready": "CuPy 14.2.0"} or {"error": …}. A request:
    {"task": "gaussian", "shape": [N], "bins": B, "samples": K, "copies": C, "input": "x.npy" or null, "lengths": [n],
     "arrays": [N], "answer": "y" or null}
The input holds arrays of these lengths one behind another, each of which is repeated until it is as long as "arrays" says;
C copies of them take turns, so that a cache cannot hold them. A task without input is given none. "shape" is [N],
[rows, columns] or [m, n, k].
The answer: {"ways": [{"way": …, "repeats": R, "samples_ns": […], "single_ns": […], "answer": "y.0.npy" or null, "error": null or …}]}.
"""

import importlib
import json
import math
import os
import sys
import time

PAIR_NS = 1e6  # what a pair of events spans at least, as in the app
SETTLING_S, LONGEST_WAKE_S = 0.4, 2.0
LONGEST_BURST_S, FEWEST_SAMPLES = 1.0, 3


def repeats_for(ns):
    return int(min(2000, max(1, math.ceil(PAIR_NS / max(ns, 100)))))


class Sampler:
    """Times one way on an awake device, the samples right after one another, as the app times a kernel.

    In a row: short work is repeated between two events. Before each pair the device gets something to wait with, so that
    the host has queued the work when it begins: what is timed is the device, not Python.

    Single: one call between two events on an idle device, as it is usually measured. What the host still has to do for the
    call after the first event is in it."""

    def __init__(self, peer, work):
        self.peer, self.work, self.host_ns_a_call = peer, work, 0

    def time(self, repeats):
        cover_ns = min(2e7, 1.5 * self.host_ns_a_call * repeats + 1e5)
        ns, host_ns = self.peer.elapsed(self.work, repeats, cover_ns)
        self.host_ns_a_call = host_ns / repeats
        return ns / repeats

    def samples(self, wanted):
        """Calls in a row, single calls, and the repeats of the first."""
        self.work(0)
        self.peer.synchronise()
        if wanted == 0:
            return [], [], 1
        self.time(1)
        repeats = repeats_for(self.time(1))
        if self.peer.IS_GPU:
            repeats = self.wake(repeats)
        in_a_row = self.burst(wanted, lambda: self.time(repeats))
        return in_a_row, self.burst(wanted, self.time_single), repeats

    def time_single(self):
        self.peer.synchronise()
        return self.peer.elapsed(self.work, 1, 0)[0]

    def burst(self, wanted, take):
        samples, start = [], time.monotonic()
        while len(samples) < wanted and (
            len(samples) < FEWEST_SAMPLES or time.monotonic() - start < LONGEST_BURST_S
        ):
            samples.append(take())
        return samples

    def wake(self, repeats):
        start = best_at = time.monotonic()
        best = math.inf
        while time.monotonic() - best_at < SETTLING_S and time.monotonic() - start < LONGEST_WAKE_S:
            ns = self.time(repeats)
            if ns < 0.98 * best:
                best_at = time.monotonic()
            best = min(best, ns)
            repeats = max(repeats, repeats_for(best))
        return repeats


def parts_of(request):
    """(numbers, how often to repeat them) of each array."""
    import numpy

    numbers = numpy.load(request["input"]).reshape(-1)
    at = 0
    for length, wanted in zip(request["lengths"], request["arrays"]):
        if wanted % length:
            raise ValueError(f"{wanted} elements are no multiple of the {length} in {request['input']}")
        yield numbers[at : at + length], wanted // length
        at += length


def answer_request(peer, request):
    import numpy

    parts = list(parts_of(request)) if request["input"] else []
    inputs = [[peer.repeated(*part) for part in parts] for _ in range(max(1, request["copies"]))]
    ways = []
    for number, (name, function) in enumerate(peer.ways(request["task"], inputs, request["shape"], request["bins"])):
        result = {"way": name, "repeats": 1, "samples_ns": [], "single_ns": [], "answer": None, "error": None}
        try:
            timed = Sampler(peer, function).samples(request["samples"])
            result["samples_ns"], result["single_ns"], result["repeats"] = timed
            if request["answer"]:
                result["answer"] = f"{request['answer']}.{number}.npy"
                numpy.save(result["answer"], peer.on_host(function(0)))
        except Exception as error:  # one way that fails leaves the others
            result["error"] = f"{type(error).__name__}: {error}"
        ways.append(result)
    return {"ways": ways}


def main():
    # Libraries print where they like: answers go to the stdout of the start, everything else to stderr.
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
