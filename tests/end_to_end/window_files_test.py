"""Files that block, cannot be read or cannot be written, in every dialog of the window."""

import os
import pathlib
import subprocess
import unittest

from program import TIMEOUT, WindowCase, sanitized, wait_until

SPARSE_BYTES = 3 << 30
MANY_ROWS = 60_000_000
MANY_RUNS = 600_000

# Dialogs that read a file: the steps that open it, its field, button and problem widgets, and the file name extension.
READS = {
    "data": (["click bench.input"], "open.path", "open.use", "open.problem", ".csv"),
    "kernel": (["click stage.kernel; click kernel.open"], "kernel.path", "kernel.accept", "kernel.problem", ".comp"),
    "comparison": (["click runs.compare"], "compare.a", "compare.compare", "compare.problem", ".csv"),
    "progress": (["click top.view; click view.take_progress"], "progress.path", "progress.accept", "progress.problem",
                 ".json"),
    "recording": (["click stage.inside; wait idle; click inside.workgroup; click inside.open"], "recording.path",
                  "recording.accept", "recording.problem", ".recording"),
}
READ_WHOLE = (".comp", ".json", ".recording")
WRITES = {
    "runs": (["key Ctrl+S"], "export", "write"),
    "kernel": (["click stage.kernel; click kernel.save"], "kernel", "accept"),
    "sweep": (
        [
            "click stage.sweep; set sweep.parameter.1 Workgroup size; set sweep.values.1 32,64; set sweep.samples 3",
            "click sweep.start; wait idle; click sweep.export"],
        "export", "write"),
    "plot": (["click stage.timings; hover timings.where_the_time_goes; key Shift+F10",
              "click timings.where_the_time_goes.menu.csv"], "plot", "accept"),
    "picture": (["click stage.timings; hover timings.where_the_time_goes; key Shift+F10",
                 "click timings.where_the_time_goes.menu.png"], "plot", "accept"),
    "progress": (["click top.view; click view.save_progress"], "progress", "accept"),
    "recording": (["click stage.inside; click inside.record; wait idle; click inside.workgroup; click inside.save"], "recording", "accept"),
}


def mount_tmpfs(folder):
    return subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", folder], capture_output=True).returncode == 0


class FileDialogs(WindowCase):
    def setUp(self):
        super().setUp()
        self.write("good.csv", "1\n2\n3\n")

    def create_bad_files(self, folder_name, ending):
        """Creates files that cannot be read. Returns a word that the message about each must contain, by path."""
        folder = self.folder / folder_name
        folder.mkdir()

        def bad_path(kind):
            return folder / (kind + ending)

        os.mkfifo(bad_path("pipe"))
        bad_path("folder").mkdir()
        bad_path("zero").symlink_to("/dev/zero")
        with open(bad_path("sparse"), "wb") as file:
            file.truncate(SPARSE_BYTES)
        bad = {bad_path("pipe"): "a pipe", bad_path("folder"): "a folder", bad_path("zero"): "a device",
               bad_path("none"): "such"}
        if ending in READ_WHOLE:
            bad[bad_path("sparse")] = "limit"
        if os.geteuid() != 0:
            locked = folder / "locked"
            locked.mkdir(mode=0)
            self.addCleanup(locked.chmod, 0o700)
            bad[locked / ("file" + ending)] = "permission"
        return bad

    def frame_times(self):
        return [float(row["wall_ms"]) for row in self.read_rows("frames.csv")]

    @sanitized
    def test_unreadable_file_shows_an_error_and_window_continues(self):
        steps, files = self.at_the_bench(), 0
        for kind, (opening, field, verb, problem, ending) in READS.items():
            steps += opening
            if kind == "comparison":
                steps.append({"set": "compare.b", "value": str(self.folder / "good.csv")})
            for path, expected in self.create_bad_files(kind, ending).items():
                steps += [{"set": field, "value": str(path)}, {"click": verb}, {"expect": {"widgets": {problem: "~" + expected}}}]
                files += 1
            # The rest of the window still works.
            steps += ["key Escape; click stage.picture; click bench.run; wait idle; expect status ok"]
        self.assert_plays(steps, "reduction", "--step", "2", "--frame-log", "frames.csv")
        self.assertGreater(len(self.frame_times()), 3 * files)

    def test_reading_shows_progress_and_can_be_cancelled(self):
        large = self.folder / "large.csv"
        large.write_bytes(b"1\n" * MANY_ROWS)
        shown = {"expect": {"widgets": {"open.progress": "~ of "}}}
        steps = [f"wait idle; click bench.input; set open.path {large}; click open.use", shown,
                 "click open.cancel; wait idle", {"expect": {"values": {"elements": "1048576"}}},
                 # The path is still in the field; Escape cancels and closes the dialog.
                 {"click": "open.use"}, shown, "key Escape; click stage.kernel; wait idle",
                 {"expect": {"values": {"elements": "1048576"}}},
                 # The third attempt opens a good file.
                 f"click bench.input; set open.path {self.folder / 'good.csv'}; click open.use; wait idle",
                 {"expect": {"values": {"elements": "3"}, "status": "ok"}}]
        self.assert_plays([*self.at_the_bench(), "set bench.elements 1048576", *steps], "reduction", "--step", "2",
                          "--frame-log", "frames.csv")

    def write_large_comparison(self):
        """Writes two files of times, the first of them large. Returns its path and the steps that compare them."""
        self.run_program("run", "reduction", "--csv", "b.csv")
        heading, row = (self.folder / "b.csv").read_text().splitlines()[:2]
        large = self.folder / "large.csv"
        with open(large, "w", encoding="utf-8") as file:
            file.write(heading + "\n")
            for _ in range(MANY_RUNS // 1000):
                file.write((row + "\n") * 1000)
        return large, [f"click runs.compare; set compare.a {large}; set compare.b {self.folder / 'b.csv'}",
                       "click compare.compare"]

    def test_comparison_can_be_cancelled_while_reading(self):
        _, reads = self.write_large_comparison()
        reading = {"expect": {"widgets": {"compare.reading": "~Reading large.csv"}}}
        self.assert_plays(
            [
                *self.at_the_bench(), *reads, reading, "click compare.cancel; wait idle; click compare.compare", reading,
                "key Escape; click bench.run; wait idle; expect status ok; click runs.compare",
                f"set compare.a {self.folder / 'b.csv'}; click compare.compare; wait idle; see compare.summary ~1"],
            "reduction", "--step", "2", "--frame-log", "frames.csv")

    def truncate_while_read(self, large, steps):
        """Plays the steps; truncates and removes the file as soon as the window has opened it."""
        process = self.start_script(steps, "reduction", "--step", 2)

        def is_open():
            if process.poll() is not None:
                raise AssertionError(process.communicate()[1])
            for file in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
                try:
                    if os.readlink(file) == str(large):
                        return True
                except OSError:  # closed in the meantime
                    pass
            return False

        wait_until(is_open, "the file is being read")
        os.truncate(large, 0)
        large.unlink()
        _, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, stderr)

    def test_file_removed_while_reading_is_reported(self):
        large = self.folder / "large.csv"
        large.write_bytes(b"1\n" * MANY_ROWS)
        self.truncate_while_read(large, [
            *self.at_the_bench(), f"click bench.input; set open.path {large}; click open.use; wait idle",
            "see open.problem ~shortened it; key Escape; click bench.run; wait idle; expect status ok",
        ])

    def test_compared_file_removed_while_reading_is_reported(self):
        large, reads = self.write_large_comparison()
        self.truncate_while_read(large, [
            *self.at_the_bench(), *reads, "wait idle; see compare.problem ~shortened it; key Escape; click bench.run",
            "wait idle; expect status ok"])

    def test_write_errors_are_reported_and_replacing_a_file_needs_confirmation(self):
        full = self.folder / "full"
        full.mkdir()
        os.mkfifo(self.folder / "pipe")
        (self.folder / "zero").symlink_to("/dev/zero")
        bad = {self.folder / "pipe": "a pipe", self.folder / "zero": "a pipe",
               full: "a folder", self.folder / "no/such": "exist"}
        if mount_tmpfs(full):
            self.addCleanup(subprocess.run, ["umount", full], check=True)
            (full / "all").write_bytes(bytes(4096))
            bad[full / "more"] = "space"
        else:
            print("the full disk is not tested: a tmpfs cannot be mounted here")
        refused, replaced = self.at_the_bench(), []
        for kind, (opening, dialog, verb) in WRITES.items():
            existing = self.folder / f"there-{kind}"
            existing.write_text("mine")
            replacing = [{"set": dialog + ".path", "value": str(existing)}, {"click": f"{dialog}.{verb}"},
                     {"expect": {"widgets": {dialog + ".problem": "~name", f"{dialog}.{verb}": "Replace"}}}]
            refused += opening
            for path, expected in bad.items():
                refused += [{"set": dialog + ".path", "value": str(path)}, {"click": f"{dialog}.{verb}"},
                            {"expect": {"widgets": {dialog + ".problem": "~" + expected}}}]
            refused += [*replacing, "key Escape; wait idle"]
            replaced += [*opening, *replacing, f"click {dialog}.{verb}; wait idle; expect notice ~{existing.name}"]
        self.assert_plays(refused, "reduction", "--step", "2")
        for kind in WRITES:
            self.assertEqual((self.folder / f"there-{kind}").read_text(), "mine")
        self.assert_plays([*self.at_the_bench(), *replaced], "reduction", "--step", "2")
        for kind in WRITES:
            self.assertNotEqual((self.folder / f"there-{kind}").read_bytes(), b"mine")

    def test_files_can_be_browsed_and_are_remembered(self):
        (self.folder / "below").mkdir()
        self.write("below/numbers.csv", "1\n2\n3\n4\n")
        opened = {"expect": {"values": {"elements": "4"}}}
        self.assert_plays(
            [
                *self.at_the_bench(), "click bench.input; click open.place.home; wait idle; click open.entry.0; wait idle",
                "see open.entry.0 numbers.csv; click open.entry.0; click open.entry.0; wait idle", opened],
            "reduction", "--step", "2")
        self.assert_plays(
            [
                *self.at_the_bench(), "click bench.input; click open.recent.0; click open.use; wait idle",
                opened, "click bench.input; click open.place.samples; wait idle",
                "see open.entry.0 pulses.csv"],
            "reduction", "--step", "2")

    def test_dropped_files_are_opened(self):
        self.write("mine.comp", "#version 450\nvoid main() {}\n")
        self.assert_plays(
            [
                *self.at_the_bench(), f"drop {self.folder / 'good.csv'}; wait idle",
                {"expect": {"values": {"elements": "3"}, "status": "ok"}}, f"drop {self.folder / 'picture.pdf'}",
                f"expect notice ~.glsl; drop {self.folder / 'mine.comp'}; expect kernel edited",
                f"drop {self.folder / 'none.csv'}; see open.problem ~such"],
            "reduction", "--step", "2")

    def test_file_on_the_command_line_is_opened(self):
        self.write("mine.comp", "#version 450\nvoid main() {}\n")
        self.write("mine.playground", "gridstride playground 1\nmodel m\ntensor a n fill ramp\nb = a + 1\nshow b\n")
        for file in ("mine.comp", "mine.playground"):
            self.assert_plays([f"wait idle; expect kernel edited; click stage.kernel; see kernel.title ~{file}"], self.folder / file)
        self.assertIn("no.comp", self.run_program(self.folder / "no.comp", code=2).stderr)

    @sanitized
    def test_undo_restores_a_text_and_its_file(self):
        opened = self.folder / "opened.comp"
        opened.write_text("#version 450\nvoid main() {}\n")
        saved = self.folder / "saved.comp"
        undo = ["click kernel.text; key Ctrl+Z; wait idle"]
        save = ["click kernel.save; wait idle; click kernel.accept; wait idle"]
        self.assert_plays(
            [*self.at_the_bench(), "click stage.kernel; click kernel.text; key Ctrl+End", {"type": "// mine\n"},
             f"wait idle; drop {opened}; wait idle; see kernel.title ~opened.comp",
             *undo, {"expect": {"widgets": {"kernel.text": "~// mine", "kernel.title": "~yours, edited"}}},
             f"click kernel.save; set kernel.path {opened}; click kernel.accept; see kernel.problem ~name",
             f"set kernel.path {saved}; click kernel.accept; wait idle",
             # Conversely, a saved text is saved again without a question.
             f"drop {opened}; wait idle", *undo, {"expect": {"widgets": {"kernel.title": "~in " + str(saved)}}}, *save,
             {"expect": {"notice": "~saved.comp"}},
             # Revert moves the keyboard focus to the text.
             "click kernel.revert; wait idle; expect kernel own; key Ctrl+Z",
             {"expect": {"kernel": "edited", "widgets": {"kernel.title": "~in " + str(saved)}}},
             # A shipped kernel is opened as a text without a file.
             "click kernel.open; click kernel.place.samples; wait idle; see kernel.folder ~/shaders/reduction",
             "set kernel.path tree_sequential.comp; click kernel.accept; wait idle",
             "see kernel.title tree_sequential.comp — yours, edited"],
            "reduction", "--step", "2")
        self.assertEqual(opened.read_text(), "#version 450\nvoid main() {}\n")
        self.assertIn("// mine", saved.read_text())


@sanitized
class Exit(WindowCase):
    def test_exit_does_not_wait_for_a_file_being_read(self):
        (self.folder / "large.csv").write_bytes(b"1\n" * MANY_ROWS)
        steps = [f"wait idle; click mode.bench; click bench.input; set open.path {self.folder / 'large.csv'}; click open.use",
                 {"expect": {"widgets": {"open.progress": "~ of "}}}]
        self.assert_plays(steps, "reduction", "--step", "2")


if __name__ == "__main__":
    unittest.main(verbosity=2)
