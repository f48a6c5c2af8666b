"""gridstride inspect: findings of known and random kernels agree with an independent simulation, shipped kernels have no
problems except those intended, and hostile kernels are survived."""

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
from program import FULL, GRIDSTRIDE, TIMEOUT, Case, kill_labs, wait_for_lab, wait_until_busy
from simulation import Simulation, atomic, bank_passes, barrier, count_sectors, load, store

SHADERS = pathlib.Path(GRIDSTRIDE).resolve().parent.parent / "share" / "gridstride" / "shaders"
COLUMNS = "workgroup,invocation,subgroup,lane,sequence,epoch,site,kind,file,line,variable,byte_offset,bytes,value".split(",")


class InspectCase(Case):
    @classmethod
    def setUpClass(cls):
        cls.device = None

    def inspect(self, *arguments, lesson="reduction", **options):
        if "--deadline" not in arguments:
            arguments += ("--deadline", 2 * TIMEOUT)
        result = self.run_program("inspect", lesson, "--json", *arguments, **options)
        self.assertTrue(result.stdout, f"{result.returncode}: {result.stderr}")
        return json.loads(result.stdout), result

    def read_records(self, name="records.csv"):
        rows = self.read_rows(name)
        if rows:
            self.assertEqual(list(rows[0]), COLUMNS)
        return rows

    def inspect_kernel(self, kernel, *arguments):
        file = self.folder / f"{kernel.name}.comp"
        file.write_text(kernel.source)
        report, result = self.inspect("--kernel", file, *kernel.arguments(), "--trace", f"{kernel.name}.csv", *arguments)
        self.assertIsNone(report["reason"], result.stderr)
        self.assertEqual(report["lost"], 0)
        return report, self.read_records(f"{kernel.name}.csv")

    def read_limits(self):
        devices = json.loads(self.run_program("devices", "--json").stdout)["devices"]
        return devices[0]


def findings_by_site(report, kind):
    """The findings of this kind that belong to a site that accesses memory, by line and kind of access."""
    sites = report["sites"]
    return {(sites[f["site"]]["line"], sites[f["site"]]["kind"]): f for f in report["findings"]
            if f["id"] == kind and f["site"] is not None and sites[f["site"]]["kind"] != "branch"}


class SimulationCheck:
    """Compares a report and its records with a simulation."""

    def __init__(self, case, kernel, report, rows):
        self.case, self.kernel, self.report, self.rows = case, kernel, report, rows
        self.simulation = Simulation(kernel, report["subgroup_size"])

    def assert_equal(self, found, expected, what):
        self.case.assertEqual(found, expected, f"{self.kernel.name}: {what}")

    def check(self):
        self.check_known_problems()
        self.check_records()
        self.check_races()
        self.check_out_of_bounds()
        self.check_coverage()
        if not self.simulation.count_out_of_bounds():
            self.check_requests()

    def check_known_problems(self):
        """The expected problems of the kernel, the simulation and the report agree."""
        for status, expected in (("problem", self.kernel.problems), ("warning", self.kernel.warnings)):
            reported = {f["id"] for f in self.report["findings"] if f["status"] == status}
            self.assert_equal(reported & {"race", "outside", "divergent_barrier"}, expected, status)
        races = self.simulation.count_races()
        simulated = {"race": races["problem"], "outside": self.simulation.count_out_of_bounds(),
                     "divergent_barrier": self.simulation.has_divergent_barrier()}
        self.assert_equal({name for name, found in simulated.items() if found}, self.kernel.problems, "the simulation")
        self.assert_equal(bool(races["warning"]), bool(self.kernel.warnings), "the simulation's warning")

    def check_records(self):
        def number(row, name):
            return int(row[name])

        found = [(number(r, "workgroup"), number(r, "invocation"), number(r, "sequence"), number(r, "epoch"), r["kind"],
                  number(r, "line"), r["variable"].split(".")[0], number(r, "byte_offset"), number(r, "bytes")) for r in self.rows]
        expected = [(r.workgroup, r.invocation, r.sequence, r.epoch, r.kind, r.line, r.variable, r.offset, r.bytes)
                    for r in self.simulation.records]
        self.assert_equal(len(found), len(expected), "records")
        for position, (found_record, expected_record) in enumerate(zip(found, expected)):
            self.assert_equal(found_record, expected_record, f"record {position}")
        self.assert_equal(self.report["records"], len(expected), "records")
        width = self.report["subgroup_size"]
        for row in self.rows:
            i = number(row, "invocation")
            self.assert_equal((number(row, "subgroup"), number(row, "lane")), (i // width, i % width), "lanes")
        if self.kernel.values:
            for row, r in zip(self.rows, self.simulation.records):
                if r.value is not None:
                    self.assert_equal(float(row["value"]), r.value, f"value at line {r.line} of {r.key()}")
        accesses = collections.Counter((r.line, r.kind) for r in self.simulation.records)
        self.assert_equal({(s["line"], s["kind"]): s["accesses"] for s in self.report["sites"]
                           if s["accesses"] and s["kind"] != "branch"}, dict(accesses), "sites")

    def check_races(self):
        sites = self.report["sites"]
        found = {"problem": {}, "warning": {}, "unknown": {}}
        for f in self.report["findings"]:
            if f["id"] == "race" and f["site"] is not None:
                pair = tuple(sorted(sites[f[s]]["line"] for s in ("site", "other_site")))
                found[f["status"]][pair] = max(f["count"], found[f["status"]].get(pair, 0))
                self.check_race_example(f)
        problems, warnings = map(set, self.simulation.count_races().values())
        warnings -= problems
        # Atomics together with a memory barrier may order accesses that the simulation regards as unordered.
        is_decidable = not (self.kernel.contains("atomic") and self.kernel.contains("memoryBarrier"))
        if is_decidable:
            self.assert_equal(found["unknown"], {}, "undecided pairs")
        undecided = set(found["unknown"])
        self.assert_equal(undecided - problems - warnings, set(), "an undecided pair that is neither a race nor a warning")
        self.assert_equal(set(found["problem"]), problems - undecided, "races")
        self.assert_equal(set(found["warning"]), warnings - undecided, "races across barriers that do not order buffers")
        for pair, locations in self.simulation.count_race_locations().items():
            if locations is not None and is_decidable:
                self.assert_equal(found["problem"][pair], locations, f"locations of the race of lines {pair}")

    def check_race_example(self, finding):
        """The example of a race in the report is a race."""
        first, second = finding["first"], finding["other"]
        by_place = {(r.workgroup, r.invocation, r.sequence): r for r in self.simulation.records}
        a, b = (by_place[c["workgroup"], c["invocation"], c["sequence"]] for c in (first, second))
        self.assert_equal(a.variable, b.variable, "the variable of a race")
        self.case.assertLess(max(a.offset, b.offset), min(a.offset + a.bytes, b.offset + b.bytes), self.kernel.name)
        simulated = Simulation.race_status(a, b)
        self.case.assertIn(finding["status"], (simulated, "unknown") if simulated else (), f"{self.kernel.name}: the example of a race")

    def check_out_of_bounds(self):
        found = {line: f["count"] for (line, _), f in findings_by_site(self.report, "outside").items()}
        self.assert_equal(found, dict(self.simulation.count_out_of_bounds()), "outside")

    def check_coverage(self):
        """The coverage sentences have the wording of the program and the numbers of the simulation."""
        reported = {f["sentence"].split(":")[0]: f for f in self.report["findings"] if f["id"] == "coverage"}
        for buffer, elements in (("numbers", self.kernel.elements), ("partial_sums", self.kernel.groups)):
            accesses = self.simulation.count_element_accesses(buffer)
            accessed = set().union(*accesses.values())
            if buffer not in reported:
                self.assert_equal(accessed, set(), f"coverage of {buffer}")
                continue
            parts = []
            for kind, verb in (("load", "read"), ("store", "written"), ("atomic", "changed by atomics")):
                times = accesses[kind]
                if times:
                    repeated = sum(count > 1 for count in times.values())
                    suffix = f", {with_thin_spaces(repeated)} of them more than once" if repeated else " once"
                    parts.append(f"{with_thin_spaces(len(times))} of {with_thin_spaces(elements)} {verb}{suffix}")
            written = {*accesses["store"], *accesses["atomic"]}
            if buffer == "partial_sums" and len(written) < elements:
                parts.append(f"{with_thin_spaces(elements - len(written))} never written" if written else "no element was written")
            elif len(accessed) < elements:
                parts.append(f"{with_thin_spaces(elements - len(accessed))} never accessed" if accessed else "no element was accessed")
            outside = self.simulation.count_buffer_out_of_bounds(buffer)
            if outside:
                parts.append(f"{with_thin_spaces(outside)} access{'es' if outside > 1 else ''} out of bounds")
            self.assert_equal(reported[buffer]["sentence"], f"{buffer}: {', '.join(parts)}.", "coverage")
            self.assert_equal(reported[buffer]["count"], len(accessed), "coverage")
            once = any(len(accesses[kind]) == len(accessed) == elements and max(accesses[kind].values()) == 1
                       and sum(map(len, accesses.values())) == elements for kind in ("load", "store"))
            self.assert_equal(reported[buffer]["value"], float(once and not outside), f"each element of {buffer} once")

    def check_requests(self):
        width, banks = self.report["subgroup_size"], self.report["banks"]
        requests = self.simulation.group_requests()
        shared = {key: group[0][0].shared for key, group in requests.items()}

        def mean(measure, keys):
            return {key: sum(map(measure, requests[key])) / len(requests[key]) for key in keys}

        expected = {
            "activity": mean(len, requests),
            "sectors": mean(count_sectors, [key for key in requests if not shared[key]]),
            "banks": mean(lambda request: bank_passes(request, banks, width),
                          [key for key in requests if banks and shared[key] and key[1] != "atomic"]),
            "atomics": self.simulation.max_atomic_queue_lengths(),
        }
        for kind, values in expected.items():
            found = {key: f["value"] for key, f in findings_by_site(self.report, kind).items()}
            self.assert_equal(set(found), set(values), kind)
            for key, value in values.items():
                self.case.assertAlmostEqual(found[key], value, 9, f"{self.kernel.name}: {kind} of line {key}")


def with_thin_spaces(number):
    """A count as the program prints it, with thin spaces between groups of digits."""
    return f"{number:,}".replace(",", "\u2009")


def run_in_parallel(function, items):
    """Calls the function for two items at a time, since each call starts a program that mostly waits. Returns (item, future)."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [(item, pool.submit(function, item)) for item in items]
        concurrent.futures.wait([future for _, future in futures])
        return futures


class KnownKernels(InspectCase):
    def test_names_are_unique_and_at_least_60(self):
        names = {kernel.name for kernel in KERNELS}
        self.assertEqual(len(names), len(KERNELS))
        self.assertGreaterEqual(len(names), 60)

    def test_findings_agree_with_the_simulation(self):
        limits = self.read_limits()
        kernels = [kernel for kernel in KERNELS if all(limits[need] for need in kernel.features)]
        self.assertGreaterEqual(len(kernels), 60)
        kernels = kernels if FULL else kernels[::4]

        for kernel, future in run_in_parallel(self.inspect_kernel, kernels):
            with self.subTest(kernel.name):
                SimulationCheck(self, kernel, *future.result()).check()


SCATTER = 2654435761  # Knuth's multiplicative hash: scatters neighbouring indices


class RandomPrograms(InspectCase):
    """Loads, stores, atomics and barriers at random indices, some in loops and some for part of the invocations."""

    @staticmethod
    def program(seed):
        rng = random.Random(seed)
        tile = rng.choice((32, 64, 96))
        statements, mark = [], 0
        for _ in range(rng.randint(2, 6)):
            accesses = []
            for _ in range(rng.randint(1, 3)):
                kind = rng.choice(("load", "load", "store", "store", "atomic"))
                shared = rng.random() < 0.6
                a, b, c = rng.choice((0, 1, 1, 2, 3, 7)), rng.randrange(40), rng.choice((0, 0, 64))
                scattered = rng.random() < 0.5
                accesses.append((kind, f"m{mark}", shared, (a, b, c, scattered), rng.choice((None, None, (2, 0), (3, 1), (8, 5)))))
                mark += 1
            ending = rng.choice(("barrier", "barrier", "none", "both"))
            statements.append((rng.choice((1, 1, 2, 3)), accesses, ending, f"w{mark}"))
        body = []
        for times, accesses, ending, barrier_mark in statements:
            body.append(f"    for (uint turn = 0u; turn < {times}u; ++turn) {{")
            for kind, name, shared, (a, b, c, scattered), selector in accesses:
                index = f"({a}u * i + {b}u + turn)" if shared else f"({a}u * i + {b}u + {c}u * group + turn)"
                if scattered:
                    index = f"({index} * {SCATTER}u >> 9u)"
                array = f"tile[{index} % {tile}u]" if shared else f"numbers[{index} % 512u]"
                text = {"load": f"x += {array};", "store": f"{array} = i;", "atomic": f"atomicAdd({array}, 1u);"}[kind]
                condition = f"if (i % {selector[0]}u == {selector[1]}u) " if selector else ""
                body.append(f"        {condition}{text} //@{name}")
            if ending == "both":
                body.append("        memoryBarrierBuffer();")
            if ending != "none":
                body.append(f"        barrier(); //@{barrier_mark}")
            body.append("    }")

        def run(inv):
            for times, accesses, ending, barrier_mark in statements:
                for turn in range(times):
                    for kind, name, shared, (a, b, c, scattered), selector in accesses:
                        if selector and inv.i % selector[0] != selector[1]:
                            continue
                        index = a * inv.i + b + turn + (0 if shared else c * inv.group)
                        if scattered:
                            index = index * SCATTER % 2**32 >> 9
                        cell = ("tile", index % tile) if shared else ("numbers", index % 512)
                        if kind == "load":
                            yield load(name, *cell)
                        elif kind == "store":
                            yield store(name, *cell, inv.i)
                        else:
                            yield atomic(name, *cell, lambda old: old + 1)
                    if ending != "none":
                        yield barrier(barrier_mark, orders_buffers=ending == "both")

        run.__name__ = f"random_{seed}"
        return Kernel(run, "\n".join(body), f"shared uint tile[{tile}];", size=rng.choice((16, 32, 48, 64)), elements=512)

    def test_records_races_and_coverage_agree_with_the_simulation(self):
        # Of the first 50 programs, only 23 and 42 do not race.
        programs = [self.program(seed) for seed in (range(500) if FULL else range(23, 29))]

        racing = 0
        for kernel, future in run_in_parallel(self.inspect_kernel, programs):
            with self.subTest(kernel.name):
                check = SimulationCheck(self, kernel, *future.result())
                check.check_records()
                check.check_races()
                check.check_coverage()
                check.check_requests()
                racing += bool(check.simulation.count_races()["problem"])
        self.assertGreater(racing, len(programs) // 10, "enough of the programs race")
        self.assertLess(racing, len(programs))


class ShippedKernels(InspectCase):
    def test_consecutive_tiles_of_a_matrix_product_do_not_race(self):
        """One workgroup computes two tiles of the product, each from four tiles of the factors."""
        for variant in ("tiled", "register_tile", "vec4", "warp_tile", "prefetch"):
            size = ("--m", 8, "--n", 16) if variant == "tiled" else ("--m", 32, "--n", 64)
            report, _ = self.inspect("--variant", variant, *size, "--k", 32, "--workgroup", "8x8", "--results", "4x4",
                                     "--depth", 8, "--grid", "1x1", lesson="matmul")
            self.assertEqual(report["lost"], 0, variant)
            found = {finding["id"]: finding["status"] for finding in report["findings"] if finding["status"] != "ok"}
            self.assertFalse({"race", "outside", "divergent_barrier"} & set(found), variant)

    def test_correct_kernels_neither_race_nor_access_out_of_bounds(self):
        lessons = json.loads(self.run_program("list", "--json").stdout)["lessons"]
        racing_variants = {("histogram", "race"),
                           *(("race_condition", variant) for variant in ("plain", "slow_motion", "coherent", "in_place"))}
        wrong_variants = racing_variants | {("thread_index", "swapped"), ("thread_index", "early")}
        seen = set()
        variants = {lesson["id"]: [variant["id"] for variant in lesson["variants"]] for lesson in lessons}
        if not FULL:
            # Two programs of the playground, since each has many launches; the lessons with wrong variants and every third lesson,
            # but for attention, whose kernels take a software driver a minute and a half to compile.
            variants["playground"] = ["chain", "errand"]
            lessons = [one for i, one in enumerate(lessons)
                       if one["id"] in {lesson for lesson, _ in wrong_variants} or (i % 3 == 0 and one["id"] != "attention")]
            variants = {one["id"]: variants[one["id"]] for one in lessons}

        def inspect_launches(lesson):
            """Inspects each launch of each variant."""
            reports, launch, remaining = [], 0, variants[lesson["id"]]
            while remaining:
                found, result = self.inspect("--variant", ",".join(remaining), "--launch", launch, lesson=lesson["id"])
                found = found if isinstance(found, list) else [found]
                reports += found
                launch += 1
                remaining = [report["variant"] for report in found if report["launch"]["of"] > launch]
            return reports

        for lesson, future in run_in_parallel(inspect_launches, lessons):
            for report in future.result():
                name = (lesson["id"], report["variant"])
                with self.subTest(f"{name}, launch {report['launch']['number']}"):
                    seen.add(name)
                    self.assertIsNone(report["reason"])
                    self.assertGreater(report["records"], 0)
                    problems = [f["sentence"] for f in report["findings"]
                                if f["id"] in ("race", "outside", "divergent_barrier") and f["status"] == "problem"]
                    self.assertEqual(bool(problems), name in racing_variants, problems)
                    allowed = {"wrong_on_purpose"} if name in wrong_variants else {"ok"}
                    # A race may give the right result by luck, as in_place does on a fast device.
                    self.assertIn(report["status"], allowed | {"ok"} if name in racing_variants else allowed, report["message"])
        self.assertEqual(len(seen), sum(map(len, variants.values())))
        self.assertLessEqual(wrong_variants, seen)


LOOP = Kernel(lambda inv: iter(()), """
    while (true) {
        x = x * 1664525u + numbers[x % launch.count];
        if (x == 7u) numbers[0] = x;
    }
""")
HUGE = ["--elements", 2**26, "--workgroup-size", 1024, "--workgroup-count", 65535]


class HostileKernels(InspectCase):
    """Endless, far out-of-bounds and huge kernels end in a report, and the next run is right."""

    def inspect_hostile(self, kernel, *arguments, **more):
        (self.folder / "hostile.comp").write_text(kernel if isinstance(kernel, str) else kernel.source)
        report, result = self.inspect("--kernel", "hostile.comp", *arguments, **more)
        again, _ = self.inspect()
        self.assertEqual((again["status"], again["result"]["total"]), ("ok", 524800))
        return report, result

    def test_endless_loop_is_stopped_at_the_deadline(self):
        report, result = self.inspect_hostile(LOOP, "--deadline", 4, *HUGE)
        self.assertEqual((result.returncode, report["status"]), (4, "timed_out"), result.stderr)
        self.assertIn("deadline", report["reason"])
        self.assertEqual((report["records"], report["findings"], report["workgroups"]), (0, [], None))

    def test_hostile_kernels_of_survival_test_are_traced_or_refused(self):
        """Each kernel is traced, or the report gives a reason."""
        sample = ("storage_out_of_bounds", "divergent_barrier", "index_of_minus_one", "recursion")
        names = [name for name in survival_test.KERNELS if FULL or name in sample]

        def record(name):
            source, arguments, codes, words = survival_test.KERNELS[name]
            (self.folder / f"{name}.comp").write_text(source)
            deadline = survival_test.DEADLINE if "deadline" in words else 2 * TIMEOUT
            report, result = self.inspect("--kernel", f"{name}.comp", "--deadline", deadline, *arguments)
            self.assertIn(result.returncode, codes, result.stderr)
            self.assertIn(report["status"], {"mismatch", "unwritten", "failed", "timed_out", "refused", "lost"})
            if report["reason"] is None:
                self.assertGreater(report["records"], 0)
            else:
                self.assertTrue(report["reason"])
                self.assertEqual(report["records"], 0)
            self.assertNotIn("root:", result.stdout + result.stderr)

        for name, future in run_in_parallel(record, names):
            with self.subTest(name):
                future.result()
        again, _ = self.inspect()
        self.assertEqual((again["status"], again["result"]["total"]), ("ok", 524800))

    def test_repeatedly_killed_lab_is_reported_as_lost(self):
        """SIGKILL during a trace, as the out-of-memory killer sends it."""
        (self.folder / "hostile.comp").write_text(LOOP.source)
        process = self.start("inspect", "reduction", "--kernel", "hostile.comp", "--deadline", 3600, "--json", *HUGE)
        kill_labs(process, 3, min_bytes=2 * 4 * 2**26)  # as in window_survival_test.py
        out, err = process.communicate(timeout=TIMEOUT)
        report = json.loads(out)
        self.assertEqual((process.returncode, report["status"], report["records"]), (4, "lost", 0), err)
        self.assertIn("lost 3 times in a row", report["reason"])

    def test_ctrl_c_stops_an_endless_loop(self):
        (self.folder / "hostile.comp").write_text(LOOP.source)
        process = self.start("inspect", "reduction", "--kernel", "hostile.comp", "--deadline", 3600, "--json", *HUGE,
                             start_new_session=True)
        wait_until_busy(wait_for_lab(process), 3)
        self.assertIsNone(process.poll(), "the kernel hangs")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual((process.returncode, json.loads(out)["status"]), (4, "stopped"), err)

    def test_far_out_of_bounds_accesses_are_traced(self):
        kernel = Kernel(lambda inv: iter(()), """
    tile[i + 1000000u] = i; //@a
    barrier();
    numbers[all * 77777u + 0x10000000u] = tile[i * 77777u];
""", TILE)
        report, result = self.inspect_hostile(kernel)
        self.assertEqual(result.returncode, 1)
        outside = [f for f in report["findings"] if f["id"] == "outside" and f["status"] == "problem"]
        self.assertEqual(len(outside), 3)

    def test_too_much_workgroup_memory_is_refused(self):
        kernel = Kernel(lambda inv: iter(()), "lots[all] = i;", "shared uint lots[1 << 24];")
        report, result = self.inspect_hostile(kernel)
        self.assertEqual((result.returncode, report["status"]), (2, "refused"))
        self.assertIn("maxComputeSharedMemorySize", report["reason"])

    def test_compile_error_names_its_line(self):
        report, result = self.inspect_hostile("#version 450\nvoid main() { wrong(); }\n")
        self.assertEqual((result.returncode, report["status"]), (4, "failed"))
        self.assertIn("hostile.comp:2: error:", result.stderr)

    def test_unrecordable_kernel_reports_the_reason(self):
        """The kernel is still run and judged."""
        kernel = Kernel(lambda inv: iter(()), "numbers[all] = gridstride_sequence;", "uint gridstride_sequence = 3u;")
        report, result = self.inspect_hostile(kernel)
        self.assertEqual((result.returncode, report["status"]), (1, "unwritten"), result.stderr)
        self.assertIn("Names that begin with gridstride_", report["reason"])
        self.assertIn(report["reason"], result.stderr)
        self.assertEqual((report["records"], report["sites"], report["findings"]), (0, [], []))
        right = (SHADERS / "reduction/tree_sequential.comp").read_text()
        (self.folder / "right.comp").write_text(re.sub(r"\bsums\b", "gridstride_sequence", right))
        report, result = self.inspect("--variant", "tree_sequential", "--kernel", "right.comp")
        self.assertEqual((result.returncode, report["status"]), (4, "ok"), result.stderr)

    def test_buffer_overflow_counts_lost_records(self):
        """A workgroup that does not fit is truncated, lost records are counted, and the findings that depend on them are unknown."""
        kernel = Kernel(lambda inv: iter(()), """
    for (uint n = 0u; n < 200u; ++n)
        x += numbers[(all + n) % 1024u];
""", size=512)
        report, result = self.inspect_hostile(kernel, "--workgroup-size", 512, "--workgroup-count", 2)
        self.assertEqual(report["workgroups"], [0, 0])
        self.assertEqual(report["records"] + report["lost"], 512 * 200)
        self.assertGreater(report["lost"], 0)
        statuses = {f["status"] for f in report["findings"] if f["id"] in ("race", "outside", "coverage", "sectors")}
        self.assertEqual(statuses, {"unknown"})


class QuestionsAboutTraces(InspectCase):
    """A story whose questions about a trace are decided by runs; arithmetic gives the expected values."""

    def test_metrics_of_a_trace_and_of_its_lines_answer_questions(self):
        lines = (SHADERS / "reduction/tree_sequential.comp").read_text().splitlines()
        load, level = (1 + next(i for i, line in enumerate(lines) if text in line)
                       for text in ("sums[lane] = i <", "sums[lane] += sums"))
        width = json.loads(self.run_program("inspect", "reduction", "--json").stdout)["subgroup_size"]
        # 8 workgroups of 128: one load of neighbouring elements, then levels of 64, 32 … 1, each with two loads and a store.
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
        program = self.copy_program()
        story = self.folder / "copy/share/gridstride/lessons/reduction/story.en.md"
        head = story.read_text().split("\n## ")[0]
        story.write_text(head + "\n" + questions)
        for further in story.parent.glob("story.*.en.md"):
            further.unlink()

        result = self.run_program("record", "reduction", "--output", "answers.json", program=program, code=0)
        answers = json.loads((self.folder / "answers.json").read_text())["answers"]
        self.assertEqual(len(answers), len(expected_metrics))
        for answer, (metric, value, _) in zip(answers, expected_metrics):
            with self.subTest(metric):
                self.assertAlmostEqual(answer["values"][0]["value"], value, 9)


class CommandLine(InspectCase):
    def test_exit_codes_and_table(self):
        right = self.run_program("inspect", "reduction", "--variant", "tree_sequential", "--trace", "t.csv", code=0)
        self.assertIn("8 workgroups", right.stdout)
        self.assertIn("reduction/tree_sequential.comp:", right.stdout)
        self.assertIn("✓ No data race", right.stdout)
        self.assertEqual(len(self.read_records("t.csv")), 13304)
        racing = self.run_program("inspect", "histogram", "--variant", "race", code=1)
        self.assertIn("✗ ", racing.stdout)

    def test_workgroups_and_launch_can_be_selected(self):
        report, _ = self.inspect("--variant", "tree_sequential", "--workgroups", "2:3")
        self.assertEqual(report["workgroups"], [2, 3])
        self.assertEqual(report["records"], 2 * 13304 // 8)
        second, _ = self.inspect("--variant", "tree_sequential", "--finish", "gpu", "--launch", 1)
        self.assertEqual((second["launch"]["number"], second["launch"]["kernel"]), (1, "common/finish.comp"))
        self.assertEqual(second["workgroups"], [0, 0])

    def test_invalid_selection_is_refused_with_a_message(self):
        for arguments, words in ((["--workgroups", "3"], "0:7"), (["--workgroups", "5:2"], "smaller number first"),
                                 (["--workgroups", "0:8"], "from 0 to 7"), (["--launch", "7"], "Give a number from 0 to"),
                                 (["--variant", "all", "--trace", "t.csv"], "Name one variant")):
            with self.subTest(arguments):
                result = self.run_program("inspect", "reduction", *arguments, code=2)
                self.assertIn(words, result.stderr)

    def test_report_has_every_documented_key(self):
        quads = Kernel(lambda inv: iter(()), """
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

    def test_report_has_the_metrics_that_stories_use(self):
        report, _ = self.inspect("--variant", "tree_sequential")
        metrics = report["metrics"]
        self.assertTrue(report["whole_launch"])
        self.assertEqual(set(metrics["races"]), {"value", "or_more", "sentence"})
        for name, value in (("races", 0), ("out_of_bounds", 0), ("each_once", 1), ("atomics", 0), ("barriers", 8)):
            self.assertEqual((metrics[name]["value"], metrics[name]["or_more"]), (value, False), name)
        load = next(site["line"] for site in report["sites"] if site["variable"] == "numbers")
        self.assertGreaterEqual(metrics[f"sectors_per_request({load})"]["value"], 1)

        partial, _ = self.inspect("--variant", "tree_sequential", "--barriers", "one_missing", "--workgroups", "0:1")
        self.assertFalse(partial["whole_launch"])
        self.assertTrue(partial["metrics"]["races"]["or_more"])
        self.assertIn("only workgroups 0 to 1 of", partial["metrics"]["sectors_per_request"]["sentence"])

    def test_a_traced_run_has_no_times(self):
        report, _ = self.inspect()
        self.assertNotIn("timings", report)
        self.assertEqual(report["compare"]["judged_runs"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
