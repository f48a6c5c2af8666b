"""What a recording of a kernel must hold and show: a plain simulation of its access pattern, written apart from the program.

A pattern is a Python generator that yields what one invocation does, in program order: load(), store(), atomic(), barrier().
`yield` gives back the value that was read. Races are found by looking at every pair; nothing here is meant to be fast."""

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
    lengths: tuple  # of each dimension; 0: no length of its own


@dataclasses.dataclass
class Step:
    """One access or barrier as a pattern yields it."""

    kind: str
    mark: str
    variable: str = ""
    index: object = 0
    value: object = None
    update: object = None  # of an atomic: what it leaves, from what was there
    bytes: int = 0  # 0: an element
    within: int = 0  # bytes from the start of the element
    of_subgroup: bool = False
    orders_buffers: bool = False
    turns: tuple = ()  # of the loops around a barrier
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
    return Step("barrier", mark, of_subgroup=True)


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
    outside: bool
    shared: bool
    subgroup: int = 0
    lane: int = 0
    scope: int = 3

    def key(self):
        return self.workgroup, self.invocation


class Me:
    """Who runs: as the kernel's own names are."""

    def __init__(self, invocation, workgroup, size, groups, width, count):
        self.i, self.group, self.size, self.groups, self.width, self.count = invocation, workgroup, size, groups, width, count
        self.all = workgroup * size + invocation  # gl_GlobalInvocationID.x


class Simulation:
    def __init__(self, kernel, width):
        """width: lanes of a subgroup on the device in hand."""
        self.kernel, self.width = kernel, width
        self.variables = {}
        for where, kind, name, lengths in ARRAY.findall(kernel.source):
            self.variables[name] = Variable(name, where == "shared", TYPES[kind],
                                            tuple(int(n or 0) for n in re.findall(r"\[(\d*)\]", lengths)))
        self.lines = {}
        for number, line in enumerate(kernel.source.splitlines(), 1):
            for mark in re.findall(r"//@(\w+)", line):
                self.lines[mark] = number
        self.bound = {"numbers": -(-kernel.elements * 4 // 16) * 16, "partial_sums": -(-kernel.groups * 4 // 16) * 16}
        self.memory = {}
        self.records = []
        self.sequences = collections.defaultdict(list)  # of barrier lines, by invocation
        for group in range(kernel.groups):
            self.run_workgroup(group)
        self.records.sort(key=lambda r: (r.workgroup, r.invocation, r.sequence))

    # What happens.

    def run_workgroup(self, group):
        kernel = self.kernel
        running = {}
        for i in range(kernel.size):
            me = Me(i, group, kernel.size, kernel.groups, self.width, kernel.elements)
            running[i] = (kernel.run(me), {"sequence": 0, "epoch": 0, "subgroup": 0, "buffer": 0})
        while running:  # each goes on to its next barrier
            for i in list(running):
                steps, at = running[i]
                answer = None
                while True:
                    try:
                        step = steps.send(answer)
                    except StopIteration:
                        del running[i]
                        break
                    answer = self.take(step, group, i, at)
                    if step.kind == "barrier":
                        break

    def take(self, step, group, i, at):
        place = {"workgroup": group, "invocation": i, "sequence": at["sequence"], "epoch": at["epoch"],
                 "subgroup_epoch": at["subgroup"], "buffer_epoch": at["buffer"], "kind": step.kind,
                 "line": self.lines[step.mark], "subgroup": i // self.width, "lane": i % self.width}
        at["sequence"] += 1
        if step.kind == "barrier":
            self.records.append(Record(**place, variable="", offset=0, bytes=0, value=None, outside=False, shared=False))
            if not step.of_subgroup:
                self.sequences[group, i].append((place["line"], step.turns))
            at["epoch"] += not step.of_subgroup
            at["subgroup"] += 1
            at["buffer"] += step.orders_buffers
            return None
        variable = self.variables[step.variable]
        flat, outside = self.place(variable, step.index)
        offset = flat * variable.element + step.within
        size = step.bytes or variable.element
        if not variable.shared:
            outside = outside or offset < 0 or offset + size > self.bound.get(variable.name, self.bound["numbers"])
        cell = (group if variable.shared else -1, step.variable, offset)
        before = self.memory.get(cell)
        if before is None and step.variable == "numbers" and not outside and variable.element == 4:
            before = flat + 1  # the lesson's own input
        value = {"load": before, "store": step.value, "atomic": before}[step.kind]
        if step.kind == "store" and not outside:
            self.memory[cell] = step.value
        if step.kind == "atomic" and not outside and before is not None:
            self.memory[cell] = step.update(before)
        self.records.append(Record(**place, variable=step.variable, offset=offset % 2**32, bytes=size, value=value,
                                   outside=outside, shared=variable.shared, scope=step.scope))
        return before

    @staticmethod
    def place(variable, index):
        """The number of the element, and whether an index left its array."""
        if not isinstance(index, tuple):
            whole = math.prod(variable.lengths)
            return index, bool(whole) and not 0 <= index < whole
        lengths = variable.lengths
        outside = any(length and not 0 <= i < length for i, length in zip(index, lengths))
        flat = 0
        for i, length in zip(index, lengths):
            flat = flat * length + i
        return flat, outside

    # What that shows.

    def accesses(self):
        return [record for record in self.records if record.kind != "barrier"]

    def races(self):
        """Pairs of records by their pair of lines: those that nothing orders, and those that only a barrier without a memory
        barrier for buffers stands between."""
        cells = collections.defaultdict(list)
        for record in self.accesses():
            if record.outside:
                continue
            for byte in range(record.offset, record.offset + record.bytes):
                cells[record.workgroup if record.shared else -1, record.variable, byte].append(record)
        found, seen = {"problem": collections.Counter(), "warning": collections.Counter()}, set()
        for here in cells.values():
            for a, b in itertools.combinations(here, 2):
                status = self.race(a, b)
                if status and (id(a), id(b)) not in seen:
                    seen.add((id(a), id(b)))
                    found[status][tuple(sorted((a.line, b.line)))] += 1
        return found

    def places_of_races(self):
        """Of each pair of lines at how many places they race: cells of 4 bytes between two barriers of a workgroup, and cells
        that two workgroups come to. None where accesses of other sizes or subgroups' barriers leave it open what a place is."""
        simple = all(r.bytes == 4 for r in self.accesses()) and not any(r.subgroup_epoch != r.epoch for r in self.records)
        cells = collections.defaultdict(list)
        for r in self.accesses():
            if not r.outside:
                cells[r.workgroup if r.shared else -1, r.variable, r.offset].append(r)
        places = collections.defaultdict(set)
        for cell, here in cells.items():
            for a, b in itertools.combinations(here, 2):
                if self.race(a, b) == "problem":
                    inside = a.workgroup == b.workgroup
                    places[tuple(sorted((a.line, b.line)))].add((cell, (a.workgroup, a.epoch) if inside else None))
        return {pair: len(found) if simple else None for pair, found in places.items()}

    @staticmethod
    def race(a, b):
        if a.key() == b.key() or a.kind == b.kind == "load":
            return None
        both_in = 3 if a.workgroup != b.workgroup else 2 if a.subgroup != b.subgroup else 1
        if a.kind == b.kind == "atomic" and min(a.scope, b.scope) >= both_in:
            return None
        if a.workgroup != b.workgroup:
            return "problem"
        if a.epoch == b.epoch and not (a.subgroup == b.subgroup and a.subgroup_epoch != b.subgroup_epoch):
            return "problem"
        if not a.shared and a.buffer_epoch == b.buffer_epoch and a.epoch != b.epoch:
            return "warning"
        return None

    def outside(self):
        return collections.Counter(record.line for record in self.accesses() if record.outside)

    def barriers_diverge(self):
        return any(len({tuple(self.sequences[group, i]) for i in range(self.kernel.size)}) > 1
                   for group in range(self.kernel.groups))

    def requests(self):
        """By line and kind: what the lanes of a subgroup asked for together."""
        executions, requests = collections.Counter(), collections.defaultdict(list)
        for r in self.accesses():
            turn = (r.key(), r.line, r.kind, r.subgroup_epoch)
            requests[(r.line, r.kind), r.workgroup, r.subgroup, r.subgroup_epoch, executions[turn]].append(r)
            executions[turn] += 1
        by_site = collections.defaultdict(list)
        for (site, *_), request in requests.items():
            by_site[site].append(request)
        return by_site

    def longest_queues(self):
        queues = collections.Counter()
        for r in self.accesses():
            if r.kind == "atomic":
                queues[(r.line, r.kind), r.workgroup if r.shared else -1, r.variable, r.offset] += 1
        longest = collections.Counter()
        for (site, *_), count in queues.items():
            longest[site] = max(longest[site], count)
        return longest

    def of_buffer(self, buffer):
        """Whatever a kernel calls what is bound first."""
        return [r for r in self.accesses() if not r.shared and (r.variable == "partial_sums") == (buffer == "partial_sums")]

    def touched(self, buffer):
        """How often loads, stores and atomics came to each element of 4 bytes."""
        last = self.kernel.groups if buffer == "partial_sums" else self.kernel.elements
        times = {kind: collections.Counter() for kind in ("load", "store", "atomic")}
        for r in self.of_buffer(buffer):
            if not r.outside:
                for element in range(r.offset // 4, (r.offset + r.bytes + 3) // 4):
                    if element < last:
                        times[r.kind][element] += 1
        return times

    def outside_of(self, buffer):
        return sum(r.outside for r in self.of_buffer(buffer))


def sectors(request):
    return len({byte // 32 for r in request for byte in (r.offset, r.offset + r.bytes - 1)})


def turns(request, banks, width):
    """Accesses of 4 bytes and less at once, of 8 in two halves of the lanes, of 16 in four quarters."""
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
