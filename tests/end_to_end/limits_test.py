"""gridstride explain: of kernels with one flaw, on a GPU the flaw is ranked first, and what is claimed of it bounds the measured
gain of the repaired twin. A software device shows that the counts are right, and that nothing is claimed that only a GPU decides."""

import json
import pathlib
import unittest

from program import TIMEOUT, Case

FLAWS = pathlib.Path(__file__).parent / "flaws"
# The finding, the kernel with the flaw, its twin.
PAIRS = (
    ("bank_conflicts", "conflicts", "no_conflicts"),
    ("sectors", "strided", "contiguous"),
    ("divergence", "divergent", "uniform_sides"),
    ("barriers", "barriers", "at_the_ceiling"),
    ("contended_atomics", "contended", "added_up"),
    ("few_workgroups", "one_workgroup", "at_the_ceiling"),
    ("bytes_in_flight", "in_sequence", "at_the_ceiling"),
    ("launches", "launches", "one_launch"),
)
TWO_FLAWS = (("two_flaws", {"bank_conflicts", "sectors"}), ("two_more_flaws", {"divergence", "contended_atomics"}))
MIN_SPEEDUP = 1.05  # below it there is nothing to gain
MODELLED = {"sectors", "bank_conflicts", "divergence"}


def find(explained, kind):
    return next((finding for finding in explained["findings"] if finding["id"] == kind), None)


def gains(explained):
    return [finding for finding in explained["findings"]
            if not finding["of_whole_run"] and not finding["unclear"] and finding["max_speedup"] >= MIN_SPEEDUP]


class LimitsTest(Case):
    def setUp(self):
        super().setUp()
        self.is_cpu = json.loads(self.run_program("devices", "--json").stdout)["devices"][0]["is_cpu"]

    def explain(self, variant):
        # A software driver takes a thousand times as long, and only its counts are checked.
        size = ("--elements", 4096, "--rounds", 32) if self.is_cpu else ()
        result = self.run_program("explain", "flaws", "--lessons", FLAWS, "--variant", variant, *size, "--json", "--deadline", TIMEOUT)
        explained = json.loads(result.stdout)
        for finding in explained["findings"]:
            if not finding["of_whole_run"]:
                most = max(1, explained["kernel_ns"] / explained["floor_ns"])
                self.assertLessEqual(finding["max_speedup"], 1.001 * most, finding)
            if finding["explanations"]:
                # The sweep that tells them apart shows something else for each of them.
                results = {explanation["sweep_result"] for explanation in finding["explanations"]}
                self.assertGreaterEqual(len(results), 2, finding)
                self.assertEqual(len(results), len(finding["explanations"]), finding)
                self.assertIn(finding["experiment"], ("workgroup_count", "elements"), finding)
        return explained

    def test_each_flaw_is_first_and_bounds_the_gain_of_its_twin(self):
        for kind, variant, twin in PAIRS:
            with self.subTest(variant=variant):
                flawed, repaired = self.explain(variant), self.explain(twin)
                finding = find(flawed, kind)
                if self.is_cpu:
                    if kind in MODELLED:
                        self.assertTrue(finding["lines"], finding)
                        self.assertTrue(finding["unclear"] or finding["max_speedup"] < MIN_SPEEDUP, finding)
                        self.assertFalse((find(repaired, kind) or {"lines": []})["lines"] and kind != "divergence", repaired)
                    elif kind in ("few_workgroups", "bytes_in_flight"):
                        self.assertIsNone(finding, "a software device has no multiprocessors")
                    else:
                        self.assertIsNotNone(finding)
                        self.assertGreaterEqual(finding["max_speedup"], (find(repaired, kind) or {"max_speedup": 1})["max_speedup"])
                    continue
                gain = flawed["kernel_ns"] / repaired["kernel_ns"]
                self.assertEqual(gains(flawed)[0]["id"], kind, flawed)
                self.assertLessEqual(gain, 1.05 * finding["max_speedup"], finding)
                self.assertGreaterEqual(gain, finding["max_speedup"] / 2, finding)

    def test_two_flaws_are_both_named(self):
        for variant, kinds in TWO_FLAWS:
            with self.subTest(variant=variant):
                explained = self.explain(variant)
                named = {finding["id"] for finding in (explained["findings"] if self.is_cpu else gains(explained))}
                self.assertLessEqual(kinds, named, explained)

    def test_a_kernel_at_the_ceiling_has_nothing_to_gain(self):
        explained = self.explain("at_the_ceiling")
        self.assertEqual(find(explained, "sectors")["max_speedup"], 1)
        self.assertEqual(find(explained, "divergence")["max_speedup"], 1)
        if not self.is_cpu:
            self.assertEqual(gains(explained), [])

    def test_short_launches_share_a_submit(self):
        def submits(variant):
            result = self.run_program("explain", "launch_cost", "--variant", variant, "--launches", 100, "--json", code=0)
            return int(find(json.loads(result.stdout), "submits")["evidence"].split()[0])

        self.assertEqual(submits("one_submit"), submits("one_launch"))
        self.assertGreaterEqual(submits("many_submits"), 100)

    def test_only_ceilings_that_the_findings_need_are_measured(self):
        cache = {"XDG_CACHE_HOME": str(self.folder / "cache")}

        def ceilings():
            return json.loads(self.run_program("devices", "--json", **cache).stdout)["devices"][0]["ceilings"]

        self.run_program("run", "reduction", "--variant", "tree_interleaved", "--elements", 1000, "--samples", 1, **cache)
        of_run = ceilings()
        self.assertGreater(of_run["copy_bytes_per_second"], 0)
        self.assertEqual((of_run["barriers_per_second"], of_run["latencies"]), (0, []))
        explained = json.loads(self.run_program("explain", "reduction", "--variant", "tree_interleaved", "--elements", 1000, "--json", **cache).stdout)
        self.assertIsNotNone(find(explained, "barriers"), explained)
        self.assertEqual(explained["missing"], "")
        measured = ceilings()
        self.assertGreater(measured["barriers_per_second"], 0)
        self.assertGreater(len(measured["latencies"]), 0)
        self.assertEqual(measured["contended_atomics_per_second"], 0, "the kernel has no atomic")
        self.assertEqual(measured["copy_bytes_per_second"], of_run["copy_bytes_per_second"], "measured once")

    def test_several_variants_and_the_text(self):
        result = self.run_program("explain", "reduction", "--variant", "tree_interleaved,subgroup", "--elements", 1000)
        self.assertIn("tree_interleaved: The kernel takes ", result.stdout)
        self.assertIn("subgroup: The kernel takes ", result.stdout)
        self.assertIn("Barriers at line", result.stdout)
        if "Not explained" in result.stdout:
            self.assertRegex(result.stdout, r"- Too little is in flight.* If so, the time changes .*\n\s+- .* If so, .*\n\s+To tell: sweep workgroup_count")

    def test_own_kernel_and_wrong_result(self):
        self.write("mine.comp", self.run_program("run", "reduction", "--print-kernel").stdout.replace("barrier();", ""))
        # The second launch, of the lesson's own kernel, has barriers. With so many numbers, the first takes longer.
        result = self.run_program("explain", "reduction", "--kernel", "mine.comp", "--elements", 1000000)
        self.assertIn(result.returncode, (0, 1))
        self.assertIn("mine.comp, launch 1 of 2", result.stdout)
        self.assertNotIn("Barriers at line", result.stdout)

    def test_refusals(self):
        result = self.run_program("explain", "reduction", "--variant", "all", "--kernel", "mine.comp", code=2)
        self.assertIn("Name one variant", result.stderr)


if __name__ == "__main__":
    unittest.main()
