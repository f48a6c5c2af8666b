"""A recording says what the invocations did: kernels with a known answer and random ones are held against a simulation
that was written apart, those that ship are right, and hostile ones are survived."""

import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import signal
import unittest

import survival_test
from kernel_case import TILE, Kernel
from known_kernels import KERNELS
from program import FULL, GRIDSTRIDE, PATIENCE, Case, kill_labs, lab_of, wait_until_busy
from simulation import Simulation, atomic, barrier, load, sectors, store, turns

SHADERS = pathlib.Path(GRIDSTRIDE).resolve().parent.parent / "share" / "gridstride" / "shaders"
COLUMNS = "workgroup,invocation,subgroup,lane,sequence,epoch,site,kind,file,line,variable,byte_offset,bytes,value".split(",")


class Inspecting(Case):
    @classmethod
    def setUpClass(cls):
        cls.device = None

    def inspect(self, *arguments, lesson="reduction", **options):
        if "--deadline" not in arguments:
            arguments += ("--deadline", 2 * PATIENCE)
        result = self.run_program("inspect", lesson, "--json", *arguments, **options)
        self.assertTrue(result.stdout, f"{result.returncode}: {result.stderr}")
        return json.loads(result.stdout), result

    def records(self, name="records.csv"):
        rows = self.rows(name)
        if rows:
            self.assertEqual(list(rows[0]), COLUMNS)
        return rows

    def inspect_kernel(self, kernel, *arguments):
        file = self.folder / f"{kernel.name}.comp"
        file.write_text(kernel.source)
        report, result = self.inspect("--kernel", file, *kernel.arguments(), "--trace", f"{kernel.name}.csv", *arguments)
        self.assertIsNone(report["reason"], result.stderr)
        self.assertEqual(report["lost"], 0)
        return report, self.records(f"{kernel.name}.csv")

    def limits(self):
        devices = json.loads(self.run_program("devices", "--json").stdout)["devices"]
        return devices[0]


def of_each(report, kind):
    """The findings of a kind that belong to a site, by line and kind of access."""
    sites = report["sites"]
    return {(sites[f["site"]]["line"], sites[f["site"]]["kind"]): f for f in report["findings"]
            if f["id"] == kind and f["site"] is not None}


class Held:
    """A report and its records against a simulation."""

    def __init__(self, case, kernel, report, rows):
        self.case, self.kernel, self.report, self.rows = case, kernel, report, rows
        self.simulation = Simulation(kernel, report["subgroup_size"])

    def equal(self, found, expected, what):
        self.case.assertEqual(found, expected, f"{self.kernel.name}: {what}")

    def check(self):
        self.check_what_is_wrong_by_hand()
        self.check_records()
        self.check_races()
        self.check_outside()
        self.check_coverage()
        if not self.simulation.outside():
            self.check_requests()

    def check_what_is_wrong_by_hand(self):
        """What a person says of the kernel, the simulation and the program agree on."""
        for status, wanted in (("problem", self.kernel.wrong), ("warning", self.kernel.warns)):
            said = {f["id"] for f in self.report["findings"] if f["status"] == status}
            self.equal(said & {"race", "outside", "divergent_barrier"}, wanted, status)
        races = self.simulation.races()
        simulated = {"race": races["problem"], "outside": self.simulation.outside(),
                     "divergent_barrier": self.simulation.barriers_diverge()}
        self.equal({name for name, found in simulated.items() if found}, self.kernel.wrong, "the simulation")
        self.equal(bool(races["warning"]), bool(self.kernel.warns), "the simulation's warning")

    def check_records(self):
        def number(row, name):
            return int(row[name])

        found = [(number(r, "workgroup"), number(r, "invocation"), number(r, "sequence"), number(r, "epoch"), r["kind"],
                  number(r, "line"), r["variable"].split(".")[0], number(r, "byte_offset"), number(r, "bytes")) for r in self.rows]
        expected = [(r.workgroup, r.invocation, r.sequence, r.epoch, r.kind, r.line, r.variable, r.offset, r.bytes)
                    for r in self.simulation.records]
        self.equal(len(found), len(expected), "records")
        for place, (one, other) in enumerate(zip(found, expected)):
            self.equal(one, other, f"record {place}")
        self.equal(self.report["records"], len(expected), "records")
        width = self.report["subgroup_size"]
        for row in self.rows:
            i = number(row, "invocation")
            self.equal((number(row, "subgroup"), number(row, "lane")), (i // width, i % width), "lanes")
        if self.kernel.values:
            for row, r in zip(self.rows, self.simulation.records):
                if r.value is not None:
                    self.equal(float(row["value"]), r.value, f"value at line {r.line} of {r.key()}")
        accesses = collections.Counter((r.line, r.kind) for r in self.simulation.records)
        self.equal({(s["line"], s["kind"]): s["accesses"] for s in self.report["sites"] if s["accesses"]}, dict(accesses), "sites")

    def check_races(self):
        sites = self.report["sites"]
        found = {"problem": {}, "warning": {}, "unknown": {}}
        for f in self.report["findings"]:
            if f["id"] == "race" and f["site"] is not None:
                pair = tuple(sorted(sites[f[s]]["line"] for s in ("site", "other_site")))
                found[f["status"]][pair] = max(f["count"], found[f["status"]].get(pair, 0))
                self.check_case(f)
        problems, warnings = map(set, self.simulation.races().values())
        warnings -= problems
        # Atomics and a memory barrier together may put in order what the simulation says nothing orders.
        is_decidable = not (self.kernel.has("atomic") and self.kernel.has("memoryBarrier"))
        if is_decidable:
            self.equal(found["unknown"], {}, "what cannot be decided")
        undecided = set(found["unknown"])
        self.equal(undecided - problems - warnings, set(), "what cannot be decided is a race at most")
        self.equal(set(found["problem"]), problems - undecided, "races")
        self.equal(set(found["warning"]), warnings - undecided, "races across barriers of other memory")
        for pair, places in self.simulation.places_of_races().items():
            if places is not None and is_decidable:
                self.equal(found["problem"][pair], places, f"places of the race of lines {pair}")

    def check_case(self, finding):
        """The first case of a race is one."""
        one, other = finding["first"], finding["other"]
        by_place = {(r.workgroup, r.invocation, r.sequence): r for r in self.simulation.records}
        a, b = (by_place[c["workgroup"], c["invocation"], c["sequence"]] for c in (one, other))
        self.equal(a.variable, b.variable, "the variable of a race")
        self.case.assertLess(max(a.offset, b.offset), min(a.offset + a.bytes, b.offset + b.bytes), self.kernel.name)
        simulated = Simulation.race(a, b)
        self.case.assertIn(finding["status"], (simulated, "unknown") if simulated else (), f"{self.kernel.name}: the first case")

    def check_outside(self):
        found = {line: f["count"] for (line, _), f in of_each(self.report, "outside").items()}
        self.equal(found, dict(self.simulation.outside()), "outside")

    def check_coverage(self):
        """In the program's own words, with the numbers of the simulation."""
        said = {f["sentence"].split(":")[0]: f for f in self.report["findings"] if f["id"] == "coverage"}
        for buffer, elements in (("numbers", self.kernel.elements), ("partial_sums", self.kernel.groups)):
            touched = self.simulation.touched(buffer)
            everyone = set().union(*touched.values())
            if buffer not in said:
                self.equal(everyone, set(), f"coverage of {buffer}")
                continue
            parts = []
            for kind, words in (("load", "read"), ("store", "written"), ("atomic", "changed by atomics")):
                times = touched[kind]
                if times:
                    twice = sum(count > 1 for count in times.values())
                    how = f", {spaced(twice)} of them more than once" if twice else " once"
                    parts.append(f"{spaced(len(times))} of {spaced(elements)} {words}{how}")
            written = {*touched["store"], *touched["atomic"]}
            if buffer == "partial_sums" and len(written) < elements:
                parts.append(f"{spaced(elements - len(written))} never written" if written else "no element was written")
            elif len(everyone) < elements:
                parts.append(f"{spaced(elements - len(everyone))} never accessed" if everyone else "no element was accessed")
            outside = self.simulation.outside_of(buffer)
            if outside:
                parts.append(f"{spaced(outside)} access{'es' if outside > 1 else ''} out of bounds")
            self.equal(said[buffer]["sentence"], f"{buffer}: {', '.join(parts)}.", "coverage")
            self.equal(said[buffer]["count"], len(everyone), "coverage")
            once = any(len(touched[kind]) == len(everyone) == elements and max(touched[kind].values()) == 1
                       and sum(map(len, touched.values())) == elements for kind in ("load", "store"))
            self.equal(said[buffer]["value"], float(once and not outside), f"each element of {buffer} once")

    def check_requests(self):
        width, banks = self.report["subgroup_size"], self.report["banks"]
        requests = self.simulation.requests()
        shared = {key: group[0][0].shared for key, group in requests.items()}

        def mean(measure, keys):
            return {key: sum(map(measure, requests[key])) / len(requests[key]) for key in keys}

        expected = {
            "activity": mean(len, requests),
            "sectors": mean(sectors, [key for key in requests if not shared[key]]),
            "banks": mean(lambda request: turns(request, banks, width),
                          [key for key in requests if banks and shared[key] and key[1] != "atomic"]),
            "atomics": self.simulation.longest_queues(),
        }
        for kind, values in expected.items():
            found = {key: f["value"] for key, f in of_each(self.report, kind).items()}
            self.equal(set(found), set(values), kind)
            for key, value in values.items():
                self.case.assertAlmostEqual(found[key], value, 9, f"{self.kernel.name}: {kind} of line {key}")


def spaced(number):
    """As the program writes counts: with thin spaces."""
    return f"{number:,}".replace(",", "\u2009")


def in_parallel(work, things):
    """Two at a time: each starts a program that mostly waits. Gives each thing with what came of it, to be asked for result()."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [(thing, pool.submit(work, thing)) for thing in things]
        concurrent.futures.wait([future for _, future in futures])
        return futures


class KnownKernels(Inspecting):
    def test_there_are_enough_of_them(self):
        names = {kernel.name for kernel in KERNELS}
        self.assertEqual(len(names), len(KERNELS))
        self.assertGreaterEqual(len(names), 60)

    def test_each_shows_what_the_simulation_says(self):
        limits = self.limits()
        kernels = [kernel for kernel in KERNELS if all(limits[need] for need in kernel.needs)]
        self.assertGreaterEqual(len(kernels), 60)
        kernels = kernels if FULL else kernels[::3]

        for kernel, recorded in in_parallel(self.inspect_kernel, kernels):
            with self.subTest(kernel.name):
                Held(self, kernel, *recorded.result()).check()


SCATTER = 2654435761  # Knuth's multiplicative hash: neighbours go far apart


class RandomPrograms(Inspecting):
    """Loads, stores, atomics and barriers at random indices, some of them in loops and for some of the invocations alone."""

    @staticmethod
    def program(seed):
        chance = random.Random(seed)
        tile = chance.choice((32, 64, 96))
        statements, mark = [], 0
        for _ in range(chance.randint(2, 6)):
            block = []
            for _ in range(chance.randint(1, 3)):
                kind = chance.choice(("load", "load", "store", "store", "atomic"))
                shared = chance.random() < 0.6
                a, b, c = chance.choice((0, 1, 1, 2, 3, 7)), chance.randrange(40), chance.choice((0, 0, 64))
                scattered = chance.random() < 0.5
                block.append((kind, f"m{mark}", shared, (a, b, c, scattered), chance.choice((None, None, (2, 0), (3, 1), (8, 5)))))
                mark += 1
            ends = chance.choice(("barrier", "barrier", "none", "both"))
            statements.append((chance.choice((1, 1, 2, 3)), block, ends, f"w{mark}"))
        body = []
        for times, block, ends, wait in statements:
            body.append(f"    for (uint turn = 0u; turn < {times}u; ++turn) {{")
            for kind, name, shared, (a, b, c, scattered), only in block:
                index = f"({a}u * i + {b}u + turn)" if shared else f"({a}u * i + {b}u + {c}u * group + turn)"
                if scattered:
                    index = f"({index} * {SCATTER}u >> 9u)"
                array = f"tile[{index} % {tile}u]" if shared else f"numbers[{index} % 512u]"
                text = {"load": f"x += {array};", "store": f"{array} = i;", "atomic": f"atomicAdd({array}, 1u);"}[kind]
                condition = f"if (i % {only[0]}u == {only[1]}u) " if only else ""
                body.append(f"        {condition}{text} //@{name}")
            if ends == "both":
                body.append("        memoryBarrierBuffer();")
            if ends != "none":
                body.append(f"        barrier(); //@{wait}")
            body.append("    }")

        def run(me):
            for times, block, ends, wait in statements:
                for turn in range(times):
                    for kind, name, shared, (a, b, c, scattered), only in block:
                        if only and me.i % only[0] != only[1]:
                            continue
                        index = a * me.i + b + turn + (0 if shared else c * me.group)
                        if scattered:
                            index = index * SCATTER % 2**32 >> 9
                        place = ("tile", index % tile) if shared else ("numbers", index % 512)
                        if kind == "load":
                            yield load(name, *place)
                        elif kind == "store":
                            yield store(name, *place, me.i)
                        else:
                            yield atomic(name, *place, lambda old: old + 1)
                    if ends != "none":
                        yield barrier(wait, orders_buffers=ends == "both")

        run.__name__ = f"random_{seed}"
        return Kernel(run, "\n".join(body), f"shared uint tile[{tile}];", size=chance.choice((16, 32, 48, 64)), elements=512)

    def test_records_races_and_coverage_are_those_of_a_plain_simulation(self):
        # Of the first 50 two do not race: 23 and 42.
        programs = [self.program(seed) for seed in (range(500) if FULL else range(23, 35))]

        raced = 0
        for kernel, recorded in in_parallel(self.inspect_kernel, programs):
            with self.subTest(kernel.name):
                held = Held(self, kernel, *recorded.result())
                held.check_records()
                held.check_races()
                held.check_coverage()
                held.check_requests()
                raced += bool(held.simulation.races()["problem"])
        self.assertGreater(raced, len(programs) // 10, "the programs are such that some race")
        self.assertLess(raced, len(programs))


class ShippedKernels(Inspecting):
    def test_no_tile_of_a_matrix_product_races_with_the_next(self):
        """One workgroup finds two tiles of the product, each from four of the factors."""
        for variant in ("tiled", "register_tile", "vec4", "warp_tile", "prefetch"):
            size = ("--m", 8, "--n", 16) if variant == "tiled" else ("--m", 32, "--n", 64)
            report, _ = self.inspect("--variant", variant, *size, "--k", 32, "--workgroup", "8x8", "--results", "4x4",
                                     "--depth", 8, "--grid", "1x1", lesson="matmul")
            self.assertEqual(report["lost"], 0, variant)
            found = {finding["id"]: finding["status"] for finding in report["findings"] if finding["status"] != "ok"}
            self.assertFalse({"race", "outside", "divergent_barrier"} & set(found), variant)

    def test_none_that_is_right_races_or_leaves_its_arrays(self):
        lessons = json.loads(self.run_program("list", "--json").stdout)["lessons"]
        racing = {("histogram", "race"),
                  *(("race_condition", variant) for variant in ("plain", "slow_motion", "coherent", "in_place"))}
        wrong = racing | {("thread_index", "swapped"), ("thread_index", "early")}
        seen = set()
        looked_at = {lesson["id"]: [variant["id"] for variant in lesson["variants"]] for lesson in lessons}
        if not FULL:
            # Of its programs, which are many launches each, two; of the lessons the wrong ones, and every third.
            looked_at["playground"] = ["chain", "errand"]
            lessons = [one for i, one in enumerate(lessons) if i % 3 == 0 or one["id"] in {lesson for lesson, _ in wrong}]
            looked_at = {one["id"]: looked_at[one["id"]] for one in lessons}

        def look_at(lesson):
            """Each launch of each variant."""
            reports, launch, left = [], 0, looked_at[lesson["id"]]
            while left:
                found, result = self.inspect("--variant", ",".join(left), "--launch", launch, lesson=lesson["id"])
                found = found if isinstance(found, list) else [found]
                reports += found
                launch += 1
                left = [report["variant"] for report in found if report["launch"]["of"] > launch]
            return reports

        for lesson, recorded in in_parallel(look_at, lessons):
            for report in recorded.result():
                name = (lesson["id"], report["variant"])
                with self.subTest(f"{name}, launch {report['launch']['number']}"):
                    seen.add(name)
                    self.assertIsNone(report["reason"])
                    self.assertGreater(report["records"], 0)
                    problems = [f["sentence"] for f in report["findings"]
                                if f["id"] in ("race", "outside", "divergent_barrier") and f["status"] == "problem"]
                    self.assertEqual(bool(problems), name in racing, problems)
                    possible = {"wrong_on_purpose"} if name in wrong else {"ok"}
                    # A race may come out right by luck, as the one in place does on a fast device.
                    self.assertIn(report["status"], possible | {"ok"} if name in racing else possible, report["message"])
        self.assertEqual(len(seen), sum(map(len, looked_at.values())))
        self.assertLessEqual(wrong, seen)


LOOP = Kernel(lambda me: iter(()), """
    while (true) {
        x = x * 1664525u + numbers[x % launch.count];
        if (x == 7u) numbers[0] = x;
    }
""")
HUGE = ["--elements", 2**26, "--workgroup-size", 1024, "--workgroup-count", 65535]


class Hostile(Inspecting):
    """Endless, far out of bounds, huge: survived, said, and the next run is right."""

    def survives(self, kernel, *arguments, **more):
        (self.folder / "hostile.comp").write_text(kernel if isinstance(kernel, str) else kernel.source)
        report, result = self.inspect("--kernel", "hostile.comp", *arguments, **more)
        again, _ = self.inspect()
        self.assertEqual((again["status"], again["result"]["total"]), ("ok", 524800))
        return report, result

    def test_an_endless_loop_is_ended_at_its_deadline(self):
        report, result = self.survives(LOOP, "--deadline", 4, *HUGE)
        self.assertEqual((result.returncode, report["status"]), (4, "timed_out"), result.stderr)
        self.assertIn("deadline", report["reason"])
        self.assertEqual((report["records"], report["findings"], report["workgroups"]), (0, [], None))

    def test_what_a_run_survives_a_recording_does(self):
        """It is recorded, or a sentence says why not."""
        some = ("storage_out_of_bounds", "divergent_barrier", "index_of_minus_one", "recursion")
        names = [name for name in survival_test.KERNELS if FULL or name in some]

        def record(name):
            source, arguments, codes, words = survival_test.KERNELS[name]
            (self.folder / f"{name}.comp").write_text(source)
            deadline = survival_test.DEADLINE if "deadline" in words else 2 * PATIENCE
            report, result = self.inspect("--kernel", f"{name}.comp", "--deadline", deadline, *arguments)
            self.assertIn(result.returncode, codes, result.stderr)
            self.assertIn(report["status"], {"mismatch", "unwritten", "failed", "timed_out", "refused", "lost"})
            if report["reason"] is None:
                self.assertGreater(report["records"], 0)
            else:
                self.assertTrue(report["reason"])
                self.assertEqual(report["records"], 0)
            self.assertNotIn("root:", result.stdout + result.stderr)

        for name, recorded in in_parallel(record, names):
            with self.subTest(name):
                recorded.result()
        again, _ = self.inspect()
        self.assertEqual((again["status"], again["result"]["total"]), ("ok", 524800))

    def test_a_lab_that_is_killed_again_and_again_is_reported_as_lost(self):
        """SIGKILL in mid-recording, as the system sends it when memory is short."""
        (self.folder / "hostile.comp").write_text(LOOP.source)
        process = self.start("inspect", "reduction", "--kernel", "hostile.comp", "--deadline", 3600, "--json", *HUGE)
        kill_labs(process, 3, holding=2 * 4 * 2**26)  # as in window_survival_test.py
        out, err = process.communicate(timeout=PATIENCE)
        report = json.loads(out)
        self.assertEqual((process.returncode, report["status"], report["records"]), (4, "lost", 0), err)
        self.assertIn("lost 3 times in a row", report["reason"])

    def test_ctrl_c_ends_an_endless_loop(self):
        (self.folder / "hostile.comp").write_text(LOOP.source)
        process = self.start("inspect", "reduction", "--kernel", "hostile.comp", "--deadline", 3600, "--json", *HUGE,
                             start_new_session=True)
        wait_until_busy(lab_of(process), 3)
        self.assertIsNone(process.poll(), "it hangs")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, json.loads(out)["status"]), (4, "stopped"), err)

    def test_far_out_of_bounds_is_recorded_and_survived(self):
        kernel = Kernel(lambda me: iter(()), """
    tile[i + 1000000u] = i; //@a
    barrier();
    numbers[all * 77777u + 0x10000000u] = tile[i * 77777u];
""", TILE)
        report, result = self.survives(kernel)
        self.assertEqual(result.returncode, 1)
        outside = [f for f in report["findings"] if f["id"] == "outside" and f["status"] == "problem"]
        self.assertEqual(len(outside), 3)

    def test_too_much_workgroup_memory_is_refused(self):
        kernel = Kernel(lambda me: iter(()), "lots[all] = i;", "shared uint lots[1 << 24];")
        report, result = self.survives(kernel)
        self.assertEqual((result.returncode, report["status"]), (2, "refused"))
        self.assertIn("maxComputeSharedMemorySize", report["reason"])

    def test_what_does_not_compile_is_named_with_its_line(self):
        report, result = self.survives("#version 450\nvoid main() { wrong(); }\n")
        self.assertEqual((result.returncode, report["status"]), (4, "failed"))
        self.assertIn("hostile.comp:2: error:", result.stderr)

    def test_what_cannot_be_recorded_says_why(self):
        """It is run and judged all the same."""
        kernel = Kernel(lambda me: iter(()), "numbers[all] = gridstride_sequence;", "uint gridstride_sequence = 3u;")
        report, result = self.survives(kernel)
        self.assertEqual((result.returncode, report["status"]), (1, "unwritten"), result.stderr)
        self.assertIn("Names that begin with gridstride_", report["reason"])
        self.assertIn(report["reason"], result.stderr)
        self.assertEqual((report["records"], report["sites"], report["findings"]), (0, [], []))
        right = (SHADERS / "reduction/tree_sequential.comp").read_text()
        (self.folder / "right.comp").write_text(re.sub(r"\bsums\b", "gridstride_sequence", right))
        report, result = self.inspect("--variant", "tree_sequential", "--kernel", "right.comp")
        self.assertEqual((result.returncode, report["status"]), (4, "ok"), result.stderr)

    def test_more_records_than_there_is_room_for(self):
        """One workgroup that does not fit is cut, what is lost is counted, and nothing is called right by what is missing."""
        kernel = Kernel(lambda me: iter(()), """
    for (uint n = 0u; n < 200u; ++n)
        x += numbers[(all + n) % 1024u];
""", size=512)
        report, result = self.survives(kernel, "--workgroup-size", 512, "--workgroup-count", 2)
        self.assertEqual(report["workgroups"], [0, 0])
        self.assertEqual(report["records"] + report["lost"], 512 * 200)
        self.assertGreater(report["lost"], 0)
        statuses = {f["status"] for f in report["findings"] if f["id"] in ("race", "outside", "coverage", "sectors")}
        self.assertEqual(statuses, {"unknown"})


class Questions(Inspecting):
    """A story of questions about a recording, decided by runs: what they come to is arithmetic."""

    def test_numbers_of_a_recording_and_of_its_lines_decide_questions(self):
        lines = (SHADERS / "reduction/tree_sequential.comp").read_text().splitlines()
        load, level = (1 + next(i for i, line in enumerate(lines) if text in line)
                       for text in ("sums[lane] = i <", "sums[lane] += sums"))
        width = json.loads(self.run_program("inspect", "reduction", "--json").stdout)["subgroup_size"]
        # 8 workgroups of 128: a load of neighbours, then levels of 64, 32 … 1, each of two loads and a store.
        levels = [2**i for i in range(7)]
        requests = [-(-half // width) for half in levels]
        known = {f"sectors_per_request({load})": 4 * width / 32, f"active_share({load})": 1,
                 f"active_share({level})": sum(levels) / sum(requests) / width, "each_once": 1, "out_of_bounds": 0, "races": 0,
                 "barriers": 8, f"barriers({level + 1})": 7, "atomics": 0}
        racing = {"races": 512, f"races({load}, {level})": 512, "barriers": 7}
        expected_metrics = [(metric, value, "all") for metric, value in known.items()]
        expected_metrics += [(metric, value, "one_missing") for metric, value in racing.items()]
        questions = "".join(f"""
## Question {number}

```set
variant = tree_sequential
elements = 1024
workgroup_size = 128
```

```predict
question: How many?
run: barriers = {barriers}
value: {metric}
guess: of them | within 0.1
after: {{value}}
```
""" for number, (metric, _, barriers) in enumerate(expected_metrics))
        program = self.copy_of_program()
        story = self.folder / "copy/share/gridstride/lessons/reduction/story.en.md"
        head = story.read_text().split("\n## ")[0]
        story.write_text(head + "\n" + questions)

        result = self.run_program("record", "reduction", "--output", "answers.json", program=program)
        self.assertEqual(result.returncode, 0, result.stderr)
        answers = json.loads((self.folder / "answers.json").read_text())["answers"]
        self.assertEqual(len(answers), len(expected_metrics))
        for answer, (metric, value, _) in zip(answers, expected_metrics):
            with self.subTest(metric):
                self.assertAlmostEqual(answer["values"][0]["value"], value, 9)


class CommandLine(Inspecting):
    def test_exit_codes_and_the_table(self):
        right = self.run_program("inspect", "reduction", "--variant", "tree_sequential", "--trace", "t.csv")
        self.assertEqual(right.returncode, 0, right.stderr)
        self.assertIn("8 workgroups", right.stdout)
        self.assertIn("reduction/tree_sequential.comp:", right.stdout)
        self.assertIn("✓ No data race", right.stdout)
        self.assertEqual(len(self.records("t.csv")), 13304)
        racing = self.run_program("inspect", "histogram", "--variant", "race")
        self.assertEqual(racing.returncode, 1, "a race is wrong, although it was asked for")
        self.assertIn("✗ ", racing.stdout)

    def test_workgroups_and_launches_are_chosen(self):
        report, _ = self.inspect("--variant", "tree_sequential", "--workgroups", "2:3")
        self.assertEqual(report["workgroups"], [2, 3])
        self.assertEqual(report["records"], 2 * 13304 // 8)
        second, _ = self.inspect("--variant", "tree_sequential", "--finish", "gpu", "--launch", 1)
        self.assertEqual((second["launch"]["number"], second["launch"]["kernel"]), (1, "common/finish.comp"))
        self.assertEqual(second["workgroups"], [0, 0])

    def test_what_cannot_be_chosen_is_refused_in_a_sentence(self):
        for arguments, words in ((["--workgroups", "3"], "0:7"), (["--workgroups", "5:2"], "smaller number first"),
                                 (["--workgroups", "0:8"], "from 0 to 7"), (["--launch", "7"], "Give a number from 0 to"),
                                 (["--variant", "all", "--trace", "t.csv"], "Name one variant")):
            with self.subTest(arguments):
                result = self.run_program("inspect", "reduction", *arguments)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(words, result.stderr)

    def test_every_key_of_the_page_is_there(self):
        quads = Kernel(lambda me: iter(()), """
    if (group > 0u) return;
    quads[i] = vec4(i, 0.5, -1, 2); //@a
    quads[i / 2u] = vec4(0);
""", numbers="vec4 quads[];")
        report, rows = self.inspect_kernel(quads)
        run = json.loads(self.run_program("run", "reduction", "--samples", 1, "--json").stdout)
        before = list(run)[:list(run).index("compare") + 1]
        self.assertLessEqual(set(before), set(report))
        self.assertEqual(set(report["launch"]), {"label", "number", "of", "kernel", "workgroup", "grid"})
        self.assertEqual(report["workgroups"], [0, 1])
        self.assertIsNone(report["reason"])
        if report["device"]["is_cpu"]:
            self.assertIsNone(report["multiprocessors"])
        else:
            self.assertEqual(len(report["multiprocessors"] or (0, 0)), 2)
        self.assertEqual(set(report["sites"][0]), {"site", "kind", "file", "line", "variable", "space", "bytes", "accesses"})
        race = report["findings"][0]
        self.assertEqual(set(race), {"id", "status", "site", "other_site", "count", "value", "first", "other", "sentence"})
        self.assertEqual(race["id"], "race")
        for case in (race["first"], race["other"]):
            self.assertEqual(set(case), {"workgroup", "invocation", "subgroup", "lane", "sequence", "epoch", "site", "line", "place",
                                         "byte_offset", "value"})
        self.assertEqual(rows[6]["value"], "3;0.5;-1;2")
        several, _ = self.inspect("--variant", "tree_sequential,tree_interleaved")
        self.assertEqual([one["variant"] for one in several], ["tree_interleaved", "tree_sequential"])

    def test_metrics_are_those_that_stories_ask_for(self):
        report, _ = self.inspect("--variant", "tree_sequential")
        metrics = report["metrics"]
        self.assertTrue(report["whole_launch"])
        self.assertEqual(set(metrics["races"]), {"value", "or_more", "sentence"})
        for name, value in (("races", 0), ("out_of_bounds", 0), ("each_once", 1), ("atomics", 0), ("barriers", 8)):
            self.assertEqual((metrics[name]["value"], metrics[name]["or_more"]), (value, False), name)
        load = next(site["line"] for site in report["sites"] if site["variable"] == "numbers")
        self.assertGreaterEqual(metrics[f"sectors_per_request({load})"]["value"], 1)

        part, _ = self.inspect("--variant", "tree_sequential", "--barriers", "one_missing", "--workgroups", "0:1")
        self.assertFalse(part["whole_launch"])
        self.assertTrue(part["metrics"]["races"]["or_more"])
        self.assertIn("only workgroups 0 to 1 of", part["metrics"]["sectors_per_request"]["sentence"])

    def test_a_recorded_run_has_no_times(self):
        report, _ = self.inspect()
        self.assertNotIn("timings", report)
        self.assertEqual(report["compare"]["judged_runs"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
