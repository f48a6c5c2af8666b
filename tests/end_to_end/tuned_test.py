"""The best launch that a sweep finds is remembered, and taken by run --tuned and by the window's Use best."""

import json
import pathlib
import unittest

from program import Case, WindowCase

SWEEP = ("sweep", "reduction", "--elements", 5000, "--workgroup-size", "16,64,512", "--samples", 8, "--json")


class Tuned(Case):
    def file(self):
        return pathlib.Path(self.environment["XDG_CONFIG_HOME"], "gridstride/tuned.json")

    def sweep(self, *arguments):
        """What the sweep itself says is the best, and what it says of remembering that."""
        result = self.run_program(*SWEEP, *arguments, code=0)
        return json.loads(result.stdout)["best"]["values"]["workgroup_size"], result.stderr

    def run_tuned(self, *arguments):
        result = self.run_program("run", "reduction", "--samples", 1, "--json", "--tuned", *arguments, code=0)
        return json.loads(result.stdout), result.stderr

    def refused(self, code, *arguments):
        result = self.run_program("run", "reduction", "--tuned", *arguments, code=code)
        self.assertEqual(result.stdout, "")
        return result.stderr

    def test_run_takes_what_the_sweep_found(self):
        best, said = self.sweep()
        self.assert_mentions(said, "tree_sequential", 4096, "workgroup_size", best)
        report, said = self.run_tuned("--elements", 4000)
        self.assertEqual(report["parameters"]["workgroup_size"], best)
        self.assertEqual(report["launch"]["workgroup_size"], best)
        self.assert_mentions(said, "workgroup_size", best)
        self.assertRegex(said, r"on 20\d\d-\d\d-\d\d \d\d:\d\d UTC, at 5\u2009000 elements")
        # Its place in the middle is the power of two: 2^12 / sqrt(2) is 2896.3, 2^12 * sqrt(2) is 5792.6.
        for elements in (2897, 5792):
            self.run_tuned("--elements", elements)
        for elements in (2896, 5793):
            self.refused(2, "--elements", elements)

    def test_what_the_command_line_names_stays(self):
        self.sweep("--workgroup-count", 3)
        report, said = self.run_tuned("--elements", 5000, "--workgroup-size", 32)
        self.assertEqual((report["parameters"]["workgroup_size"], report["parameters"]["workgroup_count"]), (32, 3))
        self.assert_mentions(said, "--workgroup-size", "rest")

    def test_of_several_variants_each_has_its_own_and_those_without_are_told(self):
        best, _ = self.sweep()
        reports, said = self.run_tuned("--elements", 5000, "--variant", "tree_sequential,subgroup,single_pass")
        sizes = {report["variant"]: report["parameters"]["workgroup_size"] for report in reports}
        self.assertEqual(sizes, {"tree_sequential": best, "subgroup": 128, "single_pass": 128})
        self.assertIn("subgroup, single_pass: No sweep", said)
        self.assertIn("gridstride sweep reduction --variant subgroup,single_pass --elements 5000 --workgroup-size ", said)

    def test_with_nothing_remembered_it_is_refused_with_the_sweep_to_run(self):
        said = self.refused(2, "--elements", 3000)
        command = said.split("gridstride sweep ")[1].split()
        # That sweep, in fewer samples than it takes by itself.
        self.run_program("sweep", *command, "--samples", 6, code=0)
        self.run_tuned("--elements", 3000)

    def test_a_new_driver_makes_it_stale(self):
        self.sweep()
        kept = json.loads(self.file().read_text())
        kept["tuned"][0]["driver"] = "Some driver 1.0"
        self.file().write_text(json.dumps(kept))
        said = self.refused(2, "--elements", 5000)
        self.assert_mentions(said, "Some driver 1.0", "used")
        best, _ = self.sweep()
        self.assertEqual(self.run_tuned("--elements", 5000)[0]["parameters"]["workgroup_size"], best)
        self.assertEqual(len(json.loads(self.file().read_text())["tuned"]), 1, "in the stale one's place")

    def test_wrong_and_uncertain_results_are_not_remembered(self):
        result = self.run_program(*SWEEP, program=self.program_that_adds_wrongly(), code=1)
        self.assertNotIn("emembered", result.stderr)
        result = self.run_program(*SWEEP[:-3], "--samples", 5)
        self.assert_mentions(result.stderr, 5, 6)
        self.run_program("sweep", "reduction", "--elements", "1000,5000", "--samples", 8)
        self.assertFalse(self.file().exists(), "a sweep over the elements alone is not about the launch")

    def test_a_damaged_file_is_set_aside(self):
        self.sweep()
        damaged = self.file().read_text()[:-40]
        self.file().write_text(damaged)
        said = self.refused(2, "--elements", 5000)
        self.assertIn("tuned.json.damaged: sweep again", said)
        self.assertEqual(self.file().with_name("tuned.json.damaged").read_text(), damaged)
        self.sweep()
        self.run_tuned("--elements", 5000)

    def test_a_file_that_cannot_be_read_is_told(self):
        self.sweep()
        whole = self.file().read_text()
        self.file().write_text(whole.replace('"schema_version": 1', '"schema_version": 9'))
        self.assertIn("version 9", self.refused(5, "--elements", 5000))
        result = self.run_program(*SWEEP, code=0)
        self.assert_mentions(result.stderr, "remembered")

    def test_a_kernel_of_ones_own_is_refused(self):
        self.assert_mentions(self.refused(2, "--kernel", "mine.comp"), "Leave")


class UseBest(WindowCase):
    def test_a_click_puts_what_another_process_found_on_the_bench(self):
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
            # By keys: the button comes behind the variant.
            "set bench.workgroup_size 48; wait idle; click bench.variant; key Escape; key Tab; key Enter; wait idle",
            {"expect": {"values": {"workgroup_size": str(best)}}},
        ], "reduction")

    def test_a_sweep_of_the_window_is_remembered_for_both(self):
        self.assert_plays(
            [
                *self.at_the_bench(),
                "set bench.variant tree_sequential; set bench.elements 5000; wait idle; click stage.sweep",
                "set sweep.values.1 16,64,512; set sweep.samples 8; click sweep.start; wait idle; expect sweep done"],
            "reduction", "--ui-map", "map.json")
        said = {widget["id"]: widget["value"] for widget in self.json_in("map.json")}
        self.assert_mentions(said["sweep.remembered"], "tree_sequential", "Remembered")
        self.assertIn("bench.use_best", said)
        best = said["sweep.remembered"].split("workgroup_size = ")[1].rstrip(".")
        result = self.run_program("run", "reduction", "--variant", "tree_sequential", "--elements", 5000, "--tuned", "--samples", 1,
                                  "--json")
        self.assertEqual(str(json.loads(result.stdout)["parameters"]["workgroup_size"]), best)

    def test_a_stale_one_is_told_and_not_offered(self):
        self.run_program(*SWEEP)
        file = pathlib.Path(self.environment["XDG_CONFIG_HOME"], "gridstride/tuned.json")
        kept = json.loads(file.read_text())
        kept["tuned"][0]["driver"] = "Some driver 1.0"
        file.write_text(json.dumps(kept))
        self.assert_plays(
            [
                *self.at_the_bench(), "set bench.variant tree_sequential; set bench.elements 5000; wait idle",
                "see bench.stale_best ~Some driver 1.0"],
            "reduction", "--ui-map", "map.json")
        said = {widget["id"]: widget["value"] for widget in self.json_in("map.json")}
        self.assertNotIn("bench.use_best", said)

    def test_an_open_question_holds_it_back(self):
        steps = ["wait idle; click mode.bench"]
        # A sweep at what the step puts on the bench, and one click after the question is passed over.
        self.run_program("sweep", "reduction", "--elements", 10000, "--workgroup-size", "16,64", "--samples", 8)
        self.assert_plays([*steps, {"expect": {"asks_first": True, "values": {"elements": "10000"}}}], "reduction",
                          "--ui-map", "map.json")
        ids = {widget["id"] for widget in self.json_in("map.json")}
        self.assertIn("bench.workgroup_size", ids)
        self.assertNotIn("bench.use_best", ids)
        self.assert_plays([*self.at_the_bench(), "expect asks_first false; click bench.use_best"], "reduction")


if __name__ == "__main__":
    unittest.main()
