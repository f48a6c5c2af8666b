"""The best launch of a sweep is stored; run --tuned and the window's Use best apply it."""

import json
import pathlib
import unittest

from program import Case, WindowCase

SWEEP = ("sweep", "reduction", "--elements", 5000, "--workgroup-size", "16,64,512", "--samples", 8, "--json")


class Tuned(Case):
    def tuned_file(self):
        return pathlib.Path(self.environment["XDG_CONFIG_HOME"], "gridstride/tuned.json")

    def run_sweep(self, *arguments):
        """The best workgroup size of the sweep, and its messages on stderr."""
        result = self.run_program(*SWEEP, *arguments, code=0)
        return json.loads(result.stdout)["best"]["values"]["workgroup_size"], result.stderr

    def run_tuned(self, *arguments):
        result = self.run_program("run", "reduction", "--samples", 1, "--json", "--tuned", *arguments, code=0)
        return json.loads(result.stdout), result.stderr

    def assert_refused(self, code, *arguments):
        result = self.run_program("run", "reduction", "--tuned", *arguments, code=code)
        self.assertEqual(result.stdout, "")
        return result.stderr

    def test_run_uses_the_best_launch_of_the_sweep(self):
        best, stderr = self.run_sweep()
        self.assert_mentions(stderr, "tree_sequential", 4096, "workgroup_size", best)
        report, stderr = self.run_tuned("--elements", 4000)
        self.assertEqual(report["parameters"]["workgroup_size"], best)
        self.assertEqual(report["launch"]["workgroup_size"], best)
        self.assert_mentions(stderr, "workgroup_size", best)
        self.assertRegex(stderr, r"on 20\d\d-\d\d-\d\d \d\d:\d\d UTC, at 5\u2009000 elements")
        # A stored launch applies to sizes around a power of two: from 2^12 / sqrt(2) = 2896.3 to 2^12 * sqrt(2) = 5792.6.
        for elements in (2897, 5792):
            self.run_tuned("--elements", elements)
        for elements in (2896, 5793):
            self.assert_refused(2, "--elements", elements)

    def test_command_line_overrides_the_stored_launch(self):
        self.run_sweep("--workgroup-count", 3)
        report, stderr = self.run_tuned("--elements", 5000, "--workgroup-size", 32)
        self.assertEqual((report["parameters"]["workgroup_size"], report["parameters"]["workgroup_count"]), (32, 3))
        self.assert_mentions(stderr, "--workgroup-size", "rest")

    def test_each_variant_uses_its_own_stored_launch_and_variants_without_one_are_listed(self):
        best, _ = self.run_sweep()
        reports, stderr = self.run_tuned("--elements", 5000, "--variant", "tree_sequential,subgroup,single_pass")
        sizes = {report["variant"]: report["parameters"]["workgroup_size"] for report in reports}
        self.assertEqual(sizes, {"tree_sequential": best, "subgroup": 128, "single_pass": 128})
        self.assertIn("subgroup, single_pass: No sweep", stderr)
        self.assertIn("gridstride sweep reduction --variant subgroup,single_pass --elements 5000 --workgroup-size ", stderr)

    def test_without_a_stored_launch_the_refusal_names_the_sweep_to_run(self):
        stderr = self.assert_refused(2, "--elements", 3000)
        command = stderr.split("gridstride sweep ")[1].split()
        # The same sweep with fewer samples than its default.
        self.run_program("sweep", *command, "--samples", 6, code=0)
        self.run_tuned("--elements", 3000)

    def test_new_driver_makes_a_stored_launch_stale(self):
        self.run_sweep()
        stored = json.loads(self.tuned_file().read_text())
        stored["tuned"][0]["driver"] = "Some driver 1.0"
        self.tuned_file().write_text(json.dumps(stored))
        stderr = self.assert_refused(2, "--elements", 5000)
        self.assert_mentions(stderr, "Some driver 1.0", "used")
        best, _ = self.run_sweep()
        self.assertEqual(self.run_tuned("--elements", 5000)[0]["parameters"]["workgroup_size"], best)
        self.assertEqual(len(json.loads(self.tuned_file().read_text())["tuned"]), 1, "it replaces the stale launch")

    def test_wrong_and_uncertain_results_are_not_stored(self):
        result = self.run_program(*SWEEP, program=self.copy_program_with_wrong_sums(), code=1)
        self.assertNotIn("emembered", result.stderr)
        result = self.run_program(*SWEEP[:-3], "--samples", 5)
        self.assert_mentions(result.stderr, 5, 6)
        self.run_program("sweep", "reduction", "--elements", "1000,5000", "--samples", 8)
        self.assertFalse(self.tuned_file().exists(), "a sweep over the elements alone is not about the launch")

    def test_a_damaged_file_is_set_aside(self):
        self.run_sweep()
        damaged = self.tuned_file().read_text()[:-40]
        self.tuned_file().write_text(damaged)
        stderr = self.assert_refused(2, "--elements", 5000)
        self.assertIn("tuned.json.damaged: sweep again", stderr)
        self.assertEqual(self.tuned_file().with_name("tuned.json.damaged").read_text(), damaged)
        self.run_sweep()
        self.run_tuned("--elements", 5000)

    def test_unreadable_file_is_reported(self):
        self.run_sweep()
        whole = self.tuned_file().read_text()
        self.tuned_file().write_text(whole.replace('"schema_version": 1', '"schema_version": 9'))
        self.assertIn("version 9", self.assert_refused(5, "--elements", 5000))
        result = self.run_program(*SWEEP, code=0)
        self.assert_mentions(result.stderr, "not saved")

    def test_user_kernel_is_refused(self):
        self.assert_mentions(self.assert_refused(2, "--kernel", "mine.comp"), "Leave")


class UseBest(WindowCase):
    def test_use_best_applies_the_launch_of_another_process(self):
        result = self.run_program(*SWEEP, code=0)
        best = json.loads(result.stdout)["best"]["values"]["workgroup_size"]
        self.assert_plays([
            *self.at_the_bench(), "set bench.variant tree_sequential; set bench.elements 5000; set bench.workgroup_size 48",
            "wait idle", {"expect": {"values": {"workgroup_size": "48"}, "widgets": {"bench.use_best": "Use best"}}},
            "click bench.use_best; wait idle",
            {
                "expect": {
                    "values": {"workgroup_size": str(best), "elements": "5000"}, "status": "ok",
                    "widgets": {"bench.use_best": "in use"}}},
            # By keyboard: the button follows the variant.
            "set bench.workgroup_size 48; wait idle; click bench.variant; key Escape; key Tab; key Enter; wait idle",
            {"expect": {"values": {"workgroup_size": str(best)}}},
        ], "reduction")

    def test_sweep_in_the_window_is_stored_for_window_and_command_line(self):
        self.assert_plays(
            [
                *self.at_the_bench(),
                "set bench.variant tree_sequential; set bench.elements 5000; wait idle; click stage.sweep",
                "set sweep.values.1 16,64,512; set sweep.samples 8; click sweep.start; wait idle; expect sweep done; hover sweep.remembered"],
            "reduction", "--ui-map", "map.json")
        values = {widget["id"]: widget["value"] for widget in self.read_json("map.json")}
        self.assert_mentions(values["sweep.remembered"], "tree_sequential", "Saved")
        self.assertIn("bench.use_best", values)
        best = values["sweep.remembered"].split("workgroup_size = ")[1].rstrip(".")
        result = self.run_program("run", "reduction", "--variant", "tree_sequential", "--elements", 5000, "--tuned", "--samples", 1,
                                  "--json")
        self.assertEqual(str(json.loads(result.stdout)["parameters"]["workgroup_size"]), best)

    def test_stale_launch_is_reported_and_not_offered(self):
        self.run_program(*SWEEP)
        file = pathlib.Path(self.environment["XDG_CONFIG_HOME"], "gridstride/tuned.json")
        stored = json.loads(file.read_text())
        stored["tuned"][0]["driver"] = "Some driver 1.0"
        file.write_text(json.dumps(stored))
        self.assert_plays(
            [
                *self.at_the_bench(), "set bench.variant tree_sequential; set bench.elements 5000; wait idle",
                "see bench.stale_best ~Some driver 1.0"],
            "reduction", "--ui-map", "map.json")
        values = {widget["id"]: widget["value"] for widget in self.read_json("map.json")}
        self.assertNotIn("bench.use_best", values)

    def test_use_best_is_hidden_while_a_question_is_open(self):
        steps = ["wait idle; click mode.bench"]
        # A sweep at the settings of the step. The button appears once the question is skipped.
        self.run_program("sweep", "reduction", "--elements", 10000, "--workgroup-size", "16,64", "--samples", 8)
        self.assert_plays([*steps, {"expect": {"asks_first": True, "values": {"elements": "10000"}}}], "reduction",
                          "--ui-map", "map.json")
        ids = {widget["id"] for widget in self.read_json("map.json")}
        self.assertIn("bench.workgroup_size", ids)
        self.assertNotIn("bench.use_best", ids)
        self.assert_plays([*self.at_the_bench(), "expect asks_first false; click bench.use_best"], "reduction")


if __name__ == "__main__":
    unittest.main()
