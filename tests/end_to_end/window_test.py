"""The window on a virtual display, driven by scripts."""

import struct
import statistics
import unittest

from program import CSV_COLUMNS, FULL, WindowCase, sanitized


class Window(WindowCase):
    def test_the_lesson_from_the_first_step_to_the_exported_csv(self):
        steps = ["wait idle; expect lesson reduction, step 1, status null"]
        steps += [
            # The first step has a question, which the run answers.
            "click story.guess.5; type 79; key F5; wait idle",
            {"expect": {"status": "ok", "predictions_decided": 1, "result": {"total": 50005000}}},
            "see result.verdict ~equal",
        ]
        for step in range(2, 10):  # exercises follow, whose starters are wrong
            steps += ["key Right", {"expect": {"step": step}}, "wait idle"]
        steps += ["click story.step.1; expect step 1; key Ctrl+B; expect mode bench; set bench.workgroup_size 64; wait idle",
                  {"expect": {"status": "ok", "values": {"workgroup_size": "64"}, "widgets": {"result.verdict": "~total"}}},
                  "set bench.workgroup_size 96; wait idle",
                  {"expect": {"status": "ok", "values": {"workgroup_size": "96"}}},
                  f"screenshot result.png; key Ctrl+S; set export.path {self.folder / 'runs.csv'}; click export.write",
                  "expect notice ~Wrote"]
        self.assert_plays(steps, "reduction")
        rows = self.read_rows("runs.csv")
        self.assertEqual(list(rows[0]), CSV_COLUMNS)
        sizes = [row["workgroup_size"] for row in rows]
        self.assertIn("64", sizes)
        self.assertEqual(sizes[-1], "96")
        self.assertEqual(rows[-1]["workgroup_count"], "105")
        self.assertLessEqual({row["status"] for row in rows}, {"ok", "wrong_on_purpose"})
        self.assertTrue(all(float(row["kernel_ns"]) > 0 for row in rows))
        self.assertGreater((self.folder / "result.png").stat().st_size, 20_000)

    def test_inside_tab_shows_the_two_racing_accesses_of_a_trace(self):
        saved = str(self.folder / "race.recording")
        steps = [
            "wait idle",
            # The variant of this step lacks a barrier, and its question asks for the consequence.
            "key F5; click run_unanswered.yes; wait idle; click stage.inside",
            {"expect": {"recording": "none", "widgets": {"inside.empty": "~never timed"}}}, "click inside.record",
            "expect recording done; wait idle",
            {"expect": {"runs": 1, "widgets": {"inside.finding.0.said": "~barrier"}}},
            "click inside.next; key Right", {"expect": {"step": 4, "widgets": {"inside.where": "~step 3 of "}}}, "key Space",
            "see inside.where ~step 5 of ; key Space; key Home; see inside.where ~step 1 of ; click inside.finding.0",
            f"see inside.step ~barrier; click inside.workgroup; click inside.save; set recording.path {saved}",
            "click recording.accept; wait idle; expect notice ~Wrote; set inside.seek 2; click stage.all",
            "set bench.workgroup_size 128; wait idle; expect recording old; click bench.close; click inside.workgroup",
            f"click inside.open; set recording.path {saved}; click recording.accept; wait idle",
            "see inside.said ~race.recording",
        ]
        self.assert_plays(steps, "reduction", "--step", "4")

    def test_story_error_is_shown_by_the_window_and_reported_by_check(self):
        program = self.copy_program()
        story = self.folder / "copy/share/gridstride/lessons/race_condition/story.en.md"
        lines = story.read_text().split("\n")
        line = lines.index("```set") + 1
        lines.insert(line, "elements 3")
        story.write_text("\n".join(lines))
        where = f"lessons/race_condition/story.en.md:{line + 1}: step "
        shown = {"expect": {"lesson": "race_condition", "steps": 1, "widgets": {"story.problem": "~" + where}}}
        steps = ["wait idle; click top.course; expect page course; click course.card.race_condition",
                 shown, "wait idle; click mode.bench; set bench.variant atomic; wait idle",
                 "expect status ok; click top.course; click course.card.reduction; expect lesson reduction, steps 12",
                 "click mode.learn"]
        for arguments, script in ((("reduction",), steps), (("race_condition", "--step", "3"), [shown])):
            self.run_program(*arguments, "--ui-script", self.write_script(script), program=program, code=0)
        # The first half has the stories and slow_motion.
        result = self.run_program("check", "race_condition", "--shard", "1/2", program=program, code=1)
        self.assertIn(where, result.stderr)
        self.assert_mentions(result.stdout, 0, 1)
        # The racing variant is judged, but its wrong results are not counted as wrong.
        self.assertRegex(result.stdout, r"(?m)^race_condition +slow_motion +[1-9]\d* +0 +\d+ +[\d.]+  ! wrong on purpose: [1-9]")

    def test_failed_script_names_its_step(self):
        short = [{"samples": 5}, {"patience": 0.3}]
        result = self.play([*short, "expect lesson alchemy"], "reduction")
        self.assertEqual(result.returncode, 1)
        self.assertIn("step 3", result.stderr)
        self.assertIn("alchemy", result.stderr)
        result = self.play([*short, "click no.such.widget"], "reduction")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no.such.widget", result.stderr)

    def test_sweep_can_be_stopped_and_resumed_and_its_best_cell_applied(self):
        out = self.folder / "sweep.csv"
        both = self.folder / "all.csv"
        steps = [
            *self.at_the_bench(), "click stage.sweep; expect sweep none",
            # The launch dominates the time per element at a thousand elements, not at a quarter of a million.
            "set sweep.parameter.1 Elements; set sweep.values.1 1024:262144:x4; set sweep.parameter.2 Workgroup size",
            "set sweep.values.2 64:256:x2; set sweep.samples 10; see sweep.said ~15 cells; set sweep.values.2 many",
            "see sweep.values.2.said ~many; set sweep.values.2 64:256:x2; click sweep.start; click sweep.stop",
            "expect sweep stopped, sweep_cells 15; expect in_flight false; screenshot stopped.png; click sweep.resume",
            "wait idle; expect sweep done, sweep_done 15, runs 1; see sweep.words ~element",
            f"click sweep.export; set export.path {out}; click export.write; expect notice ~Wrote 230 rows",
            "click stage.picture; expect status ok; click stage.sweep; click sweep.best; wait idle",
            f"expect status ok, runs 2, sweep done; key Ctrl+S; set export.path {both}; click export.write",
            "expect notice ~Wrote",
        ]
        self.assert_plays(steps, "reduction", "--step", "2")
        rows = self.read_rows("sweep.csv")
        self.assertEqual(list(rows[0]), CSV_COLUMNS)
        self.assertEqual(len(rows), 10 * (15 + 8), "the four best cells are measured three times")
        times = {}
        for row in rows:
            runs = times.setdefault((row["elements"], row["workgroup_size"]), {})
            runs.setdefault(row["run_id"], []).append(float(row["kernel_ns"]) / int(row["elements"]))
        repeated = {cell: [statistics.median(run) for run in runs.values()] for cell, runs in times.items() if len(runs) > 1}
        self.assertEqual([len(medians) for medians in repeated.values()], [3] * 4)
        best = min(repeated, key=lambda cell: statistics.median(repeated[cell]))
        bench_rows = [row for row in self.read_rows("all.csv") if row["run_id"] not in {r["run_id"] for r in rows}]
        self.assertEqual((bench_rows[-1]["elements"], bench_rows[-1]["workgroup_size"]), best)
        self.assertEqual(len(self.read_rows("all.csv")), len(rows) + len(bench_rows))

    def test_two_files_are_compared_and_a_missing_one_is_reported(self):
        for name in ("a.csv", "b.csv"):
            self.run_program("run", "reduction", "--samples", "10", "--csv", name)
        steps = [f"wait idle; key Ctrl+R; click runs.compare; set compare.a {self.folder / 'a.csv'}",
                 f"set compare.b {self.folder / 'none.csv'}; click compare.compare; wait idle; see compare.problem ~none.csv",
                 f"set compare.b {self.folder / 'b.csv'}; click compare.compare; wait idle; see compare.summary ~1 group:",
                 "screenshot compare.png; key Escape"]
        self.assert_plays(steps, "reduction", "--step", "2")

    def test_menus_invalid_values_exports_and_user_files_at_one_bench(self):
        numbers = [(i * 31) % 1000 for i in range(5000)]
        self.write("numbers.csv", "\n".join(map(str, numbers)))
        self.write("words.csv", "one\ntwo\n")
        self.assert_plays(
            [
                *self.at_the_bench(), "click top.view; hover view.runs; key Escape",
                # If the menu were still open, this click would only close it.
                "click bench.run; wait idle; expect runs 2, lesson reduction; set bench.workgroup_size 1025000",
                "expect valid false, remarks ~workgroup_size = 1025000, runs 2, status ok, stale true",
                "set bench.workgroup_size many; expect valid false, remarks ~many; set bench.workgroup_size 32; wait idle",
                "expect valid true, status ok, runs 3; key Ctrl+S; set export.path /nonexistent/runs.csv; click export.write",
                "see export.problem ~/nonexistent/runs.csv; expect runs 3; key Escape",
                f"click bench.input; set open.path {self.folder / 'words.csv'}; click open.use",
                f"see open.problem ~words.csv; set open.path {self.folder / 'numbers.csv'}; click open.use; wait idle",
                {"expect": {"status": "ok", "values": {"elements": "5000"}, "result": {"total": sum(numbers)}}},
                "click bench.input; click open.lesson; wait idle",
                {"expect": {"status": "ok", "result": {"total": 5000 * 5001 // 2}}}],
            "reduction")

    def test_plot_is_saved_at_the_requested_size(self):
        def save_plot_steps(name, width, height, scale):
            return ["hover timings.where_the_time_goes; key Shift+F10; click timings.where_the_time_goes.menu.png",
                    f"set plot.path {self.folder / name}; set plot.width {width}; set plot.height {height}",
                    f"set plot.scale {scale}; click plot.accept; wait idle"]

        steps = [*self.at_the_bench(), "click stage.timings"]
        steps += save_plot_steps("beyond.png", 5000, 600, 100)
        steps += ["see plot.problem ~5000; key Escape"]
        for name, width, height, scale in (("small.png", 400, 300, 100), ("large.png", 4096, 4096, 300)):
            steps += save_plot_steps(name, width, height, scale)
            steps += [f"expect notice ~Wrote {width} × {height} pixels"]
        self.assert_plays(steps, "reduction", "--step", "2")
        self.assertFalse((self.folder / "beyond.png").exists())
        for name, size in (("small.png", (400, 300)), ("large.png", (4096, 4096))):
            self.assertEqual(struct.unpack(">II", (self.folder / name).read_bytes()[16:24]), size)

    def test_every_tab_theme_and_scale_draws(self):
        # The last step has no question, so it runs by itself.
        steps = ["wait idle; click mode.bench; wait idle"]
        for theme in range(2):
            for tab in ("launch", "timings", "sweep", "kernel", "picture"):
                steps += [f"click stage.{tab}; screenshot {tab}{theme}.png"]
            steps += ["click top.view; click view.theme"]
        steps += ["key F1; key Escape; key Ctrl+P; set bench.variant grid_stride"]
        steps += ["wait idle; expect variant grid_stride, status ok"]
        self.assert_plays(steps, "reduction", "--step", "9")
        pictures = [(self.folder / f"{tab}{theme}.png").read_bytes() for theme in range(2) for tab in ("launch", "kernel")]
        self.assertEqual(len(set(pictures)), 4, "four views, four pictures")

    @sanitized
    def test_lost_graphics_device_is_reopened_without_loss(self):
        steps = [*self.at_the_bench()]
        # Three losses within ten seconds end the window, so further losses have to wait.
        sizes = ("64", "128", "256", "32", "512") if FULL else ("64", "128")
        for number, size in enumerate(sizes):
            expected = {"status": "ok", "values": {"workgroup_size": size}}
            steps += [
                {"set": "bench.workgroup_size", "value": size},
                {"wait": "idle"},  # during a run, the button stops it
                "click bench.run; wait idle; hover stage.timings",
                {"expect": {"device_losses": number, **expected}},
                {"screenshot": str(self.folder / f"before{number}.png")},
                {"lose": "surface" if number == 1 else "device"},
                {"expect": {"device_losses": number + 1, **expected}},
                f"screenshot {self.folder / f'after{number}.png'}; click stage.kernel",
                f"screenshot {self.folder / f'kernel{number}.png'}; click stage.picture",
                {"expect": expected},
                {"wait": 5.2 if FULL else 0},
            ]
        self.assert_plays(steps, "reduction", "--step", "1")
        pictures = {file.name: file.read_bytes() for file in self.folder.glob("*.png")}
        for number in range(len(sizes)):
            # Equal pixels give equal files.
            self.assertEqual(pictures[f"before{number}.png"], pictures[f"after{number}.png"], f"loss {number + 1}")
            self.assertNotEqual(pictures[f"after{number}.png"], pictures[f"kernel{number}.png"], "the click had an effect")

    def test_repeated_device_loss_ends_the_window_with_a_message(self):
        result = self.play(["wait idle"] + 3 * ["lose device"], "reduction")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("lost 3 times within 10 s", result.stderr)
        self.assert_mentions(result.stderr, "graphics")

    @sanitized
    def test_user_kernel(self):
        saved = self.folder / "mine.comp"
        self.assert_plays(
            [
                *self.at_the_bench(), "set bench.variant tree_sequential; wait idle; click stage.kernel",
                "expect kernel own, errors 0, step 1; click kernel.text; key Ctrl+Home",
                # Left and Right move the caret, not the story.
                "key Right; key Home",
                # Lines 2 and 3 belong to the build: the caret skips them to line 4.
                "key Down", {"type": "// mine\n"}, "wait idle; expect kernel edited, errors 0, status ok, step 1",
                {"expect": {"widgets": {"kernel.status": "~It compiles", "kernel.title": "~yours"}}},
                {"type": "#error nothing_here\n"}, "wait idle; expect errors 1, status ok, stale false",
                {"expect": {"widgets": {"kernel.status": "~Line 5"}}},
                "see kernel.message.0 ~nothing_here",
                # The last kernel that compiled runs with other values.
                "set bench.workgroup_size 32; wait idle",
                {"expect": {"errors": 1, "status": "ok", "values": {"workgroup_size": "32"}}}, "click stage.picture",
                "see result.kernel ~own; click stage.kernel; click kernel.message.0; key Home", {"type": "// "},
                "key F5; wait idle; expect kernel edited, errors 0, status ok; key Ctrl+S",
                # The dialog has the keyboard focus.
                f"hover kernel.path; key Ctrl+A; type {saved}; key Enter; wait idle",
                {"expect": {"notice": "~mine.comp", "widgets": {"kernel.title": "~mine.comp"}}}, "click kernel.revert",
                "wait idle; expect kernel own, errors 0, status ok; click kernel.open; set kernel.path /nonexistent.comp",
                "click kernel.accept", {"expect": {"kernel": "own", "widgets": {"kernel.problem": "~nonexistent.comp"}}},
                f"set kernel.path {saved}; click kernel.accept; wait idle; expect kernel edited, errors 0, status ok",
            ],
            "reduction",
        )
        self.assertIn("// #error", saved.read_text())
        self.assertNotIn(str(saved), saved.read_text())

    def test_endless_kernel_is_stopped_and_stays_in_the_editor(self):
        # The kernel writes its result, since a compiler would remove an unused loop.
        endless = (
            "#version 450\nlayout(local_size_x_id = 0) in;\nlayout(std430, binding = 1) buffer Sums { uint sums[]; };\n"
            "void main() { uint n = gl_GlobalInvocationID.x; while (true) { n = n * 1664525u + 1013904223u; if (n == 7u) sums[0] = n; } }\n"
        )
        self.assert_plays(
            [
                {"samples": 1}, *self.at_the_bench(),
                # The software driver caps each loop, but this many of them still take hours.
                "set bench.variant tree_sequential; set bench.workgroup_count 65535; wait idle; click stage.kernel",
                {"set": "kernel.text", "value": endless},
                {"expect": {"in_flight": True, "kernel": "edited", "widgets": {"jobs.first": "~Bench run"}}},
                "click stage.picture; key Escape; wait idle; click stage.kernel",
                {"expect": {"kernel": "edited", "widgets": {"kernel.text": "~while (true)"}}}, "click kernel.revert",
                "wait idle; expect kernel own, status ok",
            ],
            "reduction",
        )

    def test_map_names_the_visible_widgets(self):
        self.play(["wait idle"], "reduction", "--ui-map", "map.json", "--frame-log", "frames.csv")
        widgets = {widget["id"]: widget for widget in self.read_json("map.json")}
        for name in ("stage.all", "mode.bench", "story.next", "runs.strip", "runs.export", "stage.picture"):
            self.assertIn(name, widgets)
            self.assertGreater(widgets[name]["width"], 0)
        rows = self.read_rows("frames.csv")
        self.assertEqual(list(rows[0]), ["frame", "wall_ms", "build_ms", "record_ms", "present_ms", "processor_ms"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
