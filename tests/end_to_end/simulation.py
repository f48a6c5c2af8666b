"""The records and findings expected of a kernel: a simulation of its access pattern, written independently of the program.

A pattern is a Python generator that yields the steps of one invocation in program order: load(), store(), atomic(), barrier().
`yield` returns the value that was read. Races are found by comparing every pair of accesses; speed does not matter here."""

import collections
import dataclasses
import itertools
import math
import re

TYPES = {"uint": 4, "int": 4, "float": 4, "uvec2": 8, "uvec4": 16, "vec2": 8, "vec4": 16, "uint64_t": 8, "double": 8,
         "uint16_t": 2, "Pair": 8}
ARRAY = re.compile(r"^(shared|   ) (" + "|".join(TYPES) + r") (\w+)((?:\[\d*\])+);", re.MULTILINE)


@dataclasses.dataclass
class Variable:
    name: str
    shared: bool
    element: int  # bytes
    lengths: tuple  # of each dimension; 0: unsized


@dataclasses.dataclass
class Step:
    """An access or barrier that a pattern yields."""

    kind: str
    mark: str
    variable: str = ""
    index: object = 0
    value: object = None
    update: object = None  # of an atomic: a function from the old value to the new one
    bytes: int = 0  # 0: the size of an element
    offset_in_element: int = 0  # bytes from the start of the element
    subgroup_only: bool = False
    orders_buffers: bool = False
    iterations: tuple = ()  # the current iteration of each loop around a barrier
    scope: int = 3  # of an atomic: 0 invocation, 1 subgroup, 2 workgroup, 3 device


def load(mark, variable, index=0, **more):
    return Step("load", mark, variable, index, **more)


def store(mark, variable, index, value, **more):
    return Step("store", mark, variable, index, value, **more)


def atomic(mark, variable, index, update, **more):
    return Step("atomic", mark, variable, index, update=update, **more)


def barrier(mark, **more):
    return Step("barrier", mark, **more)


def subgroup_barrier(mark):
    return Step("barrier", mark, subgroup_only=True)


@dataclasses.dataclass
class Record:
    workgroup: int
    invocation: int
    sequence: int
    epoch: int
    subgroup_epoch: int
    buffer_epoch: int  # barriers that order storage buffers too
    kind: str
    line: int
    variable: str
    offset: int
    bytes: int
    value: object
    out_of_bounds: bool
    shared: bool
    subgroup: int = 0
    lane: int = 0
    scope: int = 3

    def key(self):
        return self.workgroup, self.invocation


class Invocation:
    """The invocation that runs; its attributes are named like the variables of the kernel."""

    def __init__(self, invocation, workgroup, size, groups, width, count):
        self.i, self.group, self.size, self.groups, self.width, self.count = invocation, workgroup, size, groups, width, count
        self.all = workgroup * size + invocation  # gl_GlobalInvocationID.x


class Simulation:
    def __init__(self, kernel, width):
        """width: the subgroup size of the device."""
        self.kernel, self.width = kernel, width
        self.variables = {}
        for where, kind, name, lengths in ARRAY.findall(kernel.source):
            self.variables[name] = Variable(name, where == "shared", TYPES[kind],
                                            tuple(int(n or 0) for n in re.findall(r"\[(\d*)\]", lengths)))
        self.lines = {}
        for number, line in enumerate(kernel.source.splitlines(), 1):
            for mark in re.findall(r"//@(\w+)", line):
                self.lines[mark] = number
        self.bound_bytes = {"numbers": -(-kernel.elements * 4 // 16) * 16, "partial_sums": -(-kernel.groups * 4 // 16) * 16}
        self.memory = {}
        self.records = []
        self.sequences = collections.defaultdict(list)  # of barrier lines, by invocation
        for group in range(kernel.groups):
            self.run_workgroup(group)
        self.records.sort(key=lambda r: (r.workgroup, r.invocation, r.sequence))

    # Execution.

    def run_workgroup(self, group):
        kernel = self.kernel
        active = {}
        for i in range(kernel.size):
            inv = Invocation(i, group, kernel.size, kernel.groups, self.width, kernel.elements)
            active[i] = (kernel.run(inv), {"sequence": 0, "epoch": 0, "subgroup": 0, "buffer": 0})
        while active:  # each runs to its next barrier
            for i in list(active):
                steps, counters = active[i]
                value = None
                while True:
                    try:
                        step = steps.send(value)
                    except StopIteration:
                        del active[i]
                        break
                    value = self.execute(step, group, i, counters)
                    if step.kind == "barrier":
                        break

    def execute(self, step, group, i, counters):
        position = {"workgroup": group, "invocation": i, "sequence": counters["sequence"], "epoch": counters["epoch"],
                    "subgroup_epoch": counters["subgroup"], "buffer_epoch": counters["buffer"], "kind": step.kind,
                    "line": self.lines[step.mark], "subgroup": i // self.width, "lane": i % self.width}
        counters["sequence"] += 1
        if step.kind == "barrier":
            self.records.append(Record(**position, variable="", offset=0, bytes=0, value=None, out_of_bounds=False, shared=False))
            if not step.subgroup_only:
                self.sequences[group, i].append((position["line"], step.iterations))
            counters["epoch"] += not step.subgroup_only
            counters["subgroup"] += 1
            counters["buffer"] += step.orders_buffers
            return None
        variable = self.variables[step.variable]
        flat, out_of_bounds = self.flat_index(variable, step.index)
        offset = flat * variable.element + step.offset_in_element
        size = step.bytes or variable.element
        if not variable.shared:
            out_of_bounds = out_of_bounds or offset < 0 or offset + size > self.bound_bytes.get(variable.name, self.bound_bytes["numbers"])
        cell = (group if variable.shared else -1, step.variable, offset)
        before = self.memory.get(cell)
        if before is None and step.variable == "numbers" and not out_of_bounds and variable.element == 4:
            before = flat + 1  # the lesson's default input
        value = {"load": before, "store": step.value, "atomic": before}[step.kind]
        if step.kind == "store" and not out_of_bounds:
            self.memory[cell] = step.value
        if step.kind == "atomic" and not out_of_bounds and before is not None:
            self.memory[cell] = step.update(before)
        self.records.append(Record(**position, variable=step.variable, offset=offset % 2**32, bytes=size, value=value,
                                   out_of_bounds=out_of_bounds, shared=variable.shared, scope=step.scope))
        return before

    @staticmethod
    def flat_index(variable, index):
        """The flat index of the element, and whether an index is out of bounds."""
        if not isinstance(index, tuple):
            length = math.prod(variable.lengths)
            return index, bool(length) and not 0 <= index < length
        lengths = variable.lengths
        out_of_bounds = any(length and not 0 <= i < length for i, length in zip(index, lengths))
        flat = 0
        for i, length in zip(index, lengths):
            flat = flat * length + i
        return flat, out_of_bounds

    # Findings.

    def accesses(self):
        return [record for record in self.records if record.kind != "barrier"]

    def count_races(self):
        """The number of racing pairs of records for each pair of lines. A problem: nothing orders the two. A warning: only a
        barrier without a memory barrier for buffers is between them."""
        cells = collections.defaultdict(list)
        for record in self.accesses():
            if record.out_of_bounds:
                continue
            for byte in range(record.offset, record.offset + record.bytes):
                cells[record.workgroup if record.shared else -1, record.variable, byte].append(record)
        counts, seen = {"problem": collections.Counter(), "warning": collections.Counter()}, set()
        for accesses in cells.values():
            for a, b in itertools.combinations(accesses, 2):
                status = self.race_status(a, b)
                if status and (id(a), id(b)) not in seen:
                    seen.add((id(a), id(b)))
                    counts[status][tuple(sorted((a.line, b.line)))] += 1
        return counts

    def count_race_locations(self):
        """The number of locations at which each pair of lines races: cells of 4 bytes between two barriers of a workgroup, and
        cells that two workgroups access. None where other access sizes or subgroup barriers leave a location undefined."""
        simple = all(r.bytes == 4 for r in self.accesses()) and not any(r.subgroup_epoch != r.epoch for r in self.records)
        cells = collections.defaultdict(list)
        for r in self.accesses():
            if not r.out_of_bounds:
                cells[r.workgroup if r.shared else -1, r.variable, r.offset].append(r)
        locations = collections.defaultdict(set)
        for cell, accesses in cells.items():
            for a, b in itertools.combinations(accesses, 2):
                if self.race_status(a, b) == "problem":
                    inside = a.workgroup == b.workgroup
                    locations[tuple(sorted((a.line, b.line)))].add((cell, (a.workgroup, a.epoch) if inside else None))
        return {pair: len(cells) if simple else None for pair, cells in locations.items()}

    @staticmethod
    def race_status(a, b):
        if a.key() == b.key() or a.kind == b.kind == "load":
            return None
        common_scope = 3 if a.workgroup != b.workgroup else 2 if a.subgroup != b.subgroup else 1
        if a.kind == b.kind == "atomic" and min(a.scope, b.scope) >= common_scope:
            return None
        if a.workgroup != b.workgroup:
            return "problem"
        if a.epoch == b.epoch and not (a.subgroup == b.subgroup and a.subgroup_epoch != b.subgroup_epoch):
            return "problem"
        if not a.shared and a.buffer_epoch == b.buffer_epoch and a.epoch != b.epoch:
            return "warning"
        return None

    def count_out_of_bounds(self):
        return collections.Counter(record.line for record in self.accesses() if record.out_of_bounds)

    def has_divergent_barrier(self):
        return any(len({tuple(self.sequences[group, i]) for i in range(self.kernel.size)}) > 1
                   for group in range(self.kernel.groups))

    def group_requests(self):
        """Memory requests by line and kind: the accesses that the lanes of a subgroup make together."""
        executions, requests = collections.Counter(), collections.defaultdict(list)
        for r in self.accesses():
            key = (r.key(), r.line, r.kind, r.subgroup_epoch)
            requests[(r.line, r.kind), r.workgroup, r.subgroup, r.subgroup_epoch, executions[key]].append(r)
            executions[key] += 1
        by_site = collections.defaultdict(list)
        for (site, *_), request in requests.items():
            by_site[site].append(request)
        return by_site

    def max_atomic_queue_lengths(self):
        queues = collections.Counter()
        for r in self.accesses():
            if r.kind == "atomic":
                queues[(r.line, r.kind), r.workgroup if r.shared else -1, r.variable, r.offset] += 1
        longest = collections.Counter()
        for (site, *_), count in queues.items():
            longest[site] = max(longest[site], count)
        return longest

    def buffer_accesses(self, buffer):
        """The accesses to a buffer. Kernels name the buffer of the first binding differently."""
        return [r for r in self.accesses() if not r.shared and (r.variable == "partial_sums") == (buffer == "partial_sums")]

    def count_element_accesses(self, buffer):
        """The number of loads, stores and atomics of each element of 4 bytes."""
        last = self.kernel.groups if buffer == "partial_sums" else self.kernel.elements
        times = {kind: collections.Counter() for kind in ("load", "store", "atomic")}
        for r in self.buffer_accesses(buffer):
            if not r.out_of_bounds:
                for element in range(r.offset // 4, (r.offset + r.bytes + 3) // 4):
                    if element < last:
                        times[r.kind][element] += 1
        return times

    def count_buffer_out_of_bounds(self, buffer):
        return sum(r.out_of_bounds for r in self.buffer_accesses(buffer))


def count_sectors(request):
    return len({byte // 32 for r in request for byte in (r.offset, r.offset + r.bytes - 1)})


def bank_passes(request, banks, width):
    """The passes that serve a request to shared memory: accesses of up to 4 bytes are served for all lanes at once, of 8 bytes
    for two halves of the lanes, of 16 bytes for four quarters."""
    size = max(r.bytes for r in request)
    parts = {8: 2, 16: 4}.get(size, 1)
    total = 0
    for part in range(parts):
        words = collections.defaultdict(set)
        for r in request:
            if r.lane * parts // width == part:
                for word in range(r.offset // 4, (r.offset + r.bytes + 3) // 4):
                    words[word % banks].add(word)
        total += max(map(len, words.values()), default=0)
    return total
