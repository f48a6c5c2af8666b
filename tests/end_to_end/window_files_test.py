"""Files that do not answer, cannot be read or cannot be written, in every place where the window uses one."""

import os
import pathlib
import subprocess
import unittest

from program import PATIENCE, WindowCase, sanitized, wait_until

SPARSE_BYTES = 3 << 30
MANY_ROWS = 60_000_000
MANY_TIMES = 600_000

# Where a file is read: how the dialog is opened, its field, its button, its problem, and the ending of its files.
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


def can_mount(folder):
    return subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", folder], capture_output=True).returncode == 0


class FilesCase(WindowCase):
    screen = "1024x640"  # a software driver draws it in two thirds of the time


class Files(FilesCase):
    def setUp(self):
        super().setUp()
        self.write("good.csv", "1\n2\n3\n")

    def bad_files(self, place, ending):
        """Name of a file: what is to be said of it."""
        folder = self.folder / place
        folder.mkdir()

        def name(what):
            return folder / (what + ending)

        os.mkfifo(name("pipe"))
        name("folder").mkdir()
        name("zero").symlink_to("/dev/zero")
        with open(name("sparse"), "wb") as file:
            file.truncate(SPARSE_BYTES)
        bad = {name("pipe"): "a pipe", name("folder"): "a folder", name("zero"): "a device",
               name("none"): "such"}
        if ending in READ_WHOLE:
            bad[name("sparse")] = "most"
        if os.geteuid() != 0:
            locked = folder / "locked"
            locked.mkdir(mode=0)
            self.addCleanup(locked.chmod, 0o700)
            bad[locked / ("file" + ending)] = "permission"
        return bad

    def frames(self):
        return [float(row["wall_ms"]) for row in self.rows("frames.csv")]

    @sanitized
    def test_what_cannot_be_read_is_said_and_the_window_goes_on(self):
        steps, files = self.at_the_bench(), 0
        for place, (opening, field, verb, problem, ending) in READS.items():
            steps += opening
            if place == "comparison":
                steps.append({"set": "compare.b", "value": str(self.folder / "good.csv")})
            for path, said in self.bad_files(place, ending).items():
                steps += [{"set": field, "value": str(path)}, {"click": verb}, {"expect": {"widgets": {problem: "~" + said}}}]
                files += 1
            # The rest of the window is as it was.
            steps += ["key Escape; click stage.picture; click bench.run; wait idle; expect status ok"]
        self.assert_plays(steps, "reduction", "--step", "2", "--frame-log", "frames.csv")
        self.assertGreater(len(self.frames()), 3 * files)

    def test_reading_shows_how_far_it_is_and_is_given_up(self):
        large = self.folder / "large.csv"
        large.write_bytes(b"1\n" * MANY_ROWS)
        shown = {"expect": {"widgets": {"open.progress": "~ of "}}}
        steps = [f"wait idle; click bench.input; set open.path {large}; click open.use", shown,
                 "click open.cancel; wait idle", {"expect": {"values": {"elements": "1048576"}}},
                 # What was typed is still there, and Escape gives up and closes.
                 {"click": "open.use"}, shown, "key Escape; click stage.kernel; wait idle",
                 {"expect": {"values": {"elements": "1048576"}}},
                 # The third time it is let through.
                 f"click bench.input; set open.path {self.folder / 'good.csv'}; click open.use; wait idle",
                 {"expect": {"values": {"elements": "3"}, "status": "ok"}}]
        self.assert_plays([*self.at_the_bench(), "set bench.elements 1048576", *steps], "reduction", "--step", "2",
                          "--frame-log", "frames.csv")

    def large_comparison(self):
        """Two files of times for the window's comparison, the first of them large."""
        self.run_program("run", "reduction", "--csv", "b.csv")
        heading, row = (self.folder / "b.csv").read_text().splitlines()[:2]
        large = self.folder / "large.csv"
        with open(large, "w", encoding="utf-8") as file:
            file.write(heading + "\n")
            for _ in range(MANY_TIMES // 1000):
                file.write((row + "\n") * 1000)
        return large, [f"click runs.compare; set compare.a {large}; set compare.b {self.folder / 'b.csv'}",
                       "click compare.compare"]

    def test_a_comparison_is_given_up_while_it_reads(self):
        _, reads = self.large_comparison()
        reading = {"expect": {"widgets": {"compare.reading": "~Reading large.csv"}}}
        self.assert_plays(
            [
                *self.at_the_bench(), *reads, reading, "click compare.cancel; wait idle; click compare.compare", reading,
                "key Escape; click bench.run; wait idle; expect status ok; click runs.compare",
                f"set compare.a {self.folder / 'b.csv'}; click compare.compare; wait idle; see compare.summary ~1"],
            "reduction", "--step", "2", "--frame-log", "frames.csv")

    def shortened_while_read(self, large, steps):
        """Plays them, and takes the file away as soon as it is open."""
        process = self.start_script(steps, "reduction", "--step", 2)

        def is_open():
            if process.poll() is not None:
                raise AssertionError(process.communicate()[1])
            for file in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
                try:
                    if os.readlink(file) == str(large):
                        return True
                except OSError:  # closed by now
                    pass
            return False

        wait_until(is_open, "the file is being read")
        os.truncate(large, 0)
        large.unlink()
        _, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, stderr)

    def test_a_file_that_vanishes_while_it_is_read(self):
        large = self.folder / "large.csv"
        large.write_bytes(b"1\n" * MANY_ROWS)
        self.shortened_while_read(large, [
            *self.at_the_bench(), f"click bench.input; set open.path {large}; click open.use; wait idle",
            "see open.problem ~shortened it; key Escape; click bench.run; wait idle; expect status ok",
        ])

    def test_a_comparison_whose_file_vanishes_while_it_is_read(self):
        large, reads = self.large_comparison()
        self.shortened_while_read(large, [
            *self.at_the_bench(), *reads, "wait idle; see compare.problem ~shortened it; key Escape; click bench.run",
            "wait idle; expect status ok"])

    def test_what_cannot_be_written_is_said_and_a_file_is_replaced_only_when_told_twice(self):
        full = self.folder / "full"
        full.mkdir()
        os.mkfifo(self.folder / "pipe")
        (self.folder / "zero").symlink_to("/dev/zero")
        bad = {self.folder / "pipe": "a pipe", self.folder / "zero": "a pipe",
               full: "a folder", self.folder / "no/such": "exist"}
        if can_mount(full):
            self.addCleanup(subprocess.run, ["umount", full], check=True)
            (full / "all").write_bytes(bytes(4096))
            bad[full / "more"] = "space"
        else:
            print("no full disk: a tmpfs cannot be mounted here")
        refused, replaced = self.at_the_bench(), []
        for place, (opening, dialog, verb) in WRITES.items():
            there = self.folder / f"there-{place}"
            there.write_text("mine")
            replacing = [{"set": dialog + ".path", "value": str(there)}, {"click": f"{dialog}.{verb}"},
                     {"expect": {"widgets": {dialog + ".problem": "~name", f"{dialog}.{verb}": "Replace"}}}]
            refused += opening
            for path, said in bad.items():
                refused += [{"set": dialog + ".path", "value": str(path)}, {"click": f"{dialog}.{verb}"},
                            {"expect": {"widgets": {dialog + ".problem": "~" + said}}}]
            refused += [*replacing, "key Escape; wait idle"]
            replaced += [*opening, *replacing, f"click {dialog}.{verb}; wait idle; expect notice ~{there.name}"]
        self.assert_plays(refused, "reduction", "--step", "2")
        for place in WRITES:
            self.assertEqual((self.folder / f"there-{place}").read_text(), "mine")
        self.assert_plays([*self.at_the_bench(), *replaced], "reduction", "--step", "2")
        for place in WRITES:
            self.assertNotEqual((self.folder / f"there-{place}").read_bytes(), b"mine")

    def test_files_are_clicked_through_and_remembered(self):
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

    def test_files_are_dropped(self):
        self.write("mine.comp", "#version 450\nvoid main() {}\n")
        self.assert_plays(
            [
                *self.at_the_bench(), f"drop {self.folder / 'good.csv'}; wait idle",
                {"expect": {"values": {"elements": "3"}, "status": "ok"}}, f"drop {self.folder / 'picture.pdf'}",
                f"expect notice ~.glsl; drop {self.folder / 'mine.comp'}; expect kernel edited",
                f"drop {self.folder / 'none.csv'}; see open.problem ~such"],
            "reduction", "--step", "2")

    @sanitized
    def test_undo_brings_a_text_back_with_its_file(self):
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
             # And the other way: what was saved is saved again without a question.
             f"drop {opened}; wait idle", *undo, {"expect": {"widgets": {"kernel.title": "~in " + str(saved)}}}, *save,
             {"expect": {"notice": "~saved.comp"}},
             # Revert gives the keyboard to the text.
             "click kernel.revert; wait idle; expect kernel own; key Ctrl+Z",
             {"expect": {"kernel": "edited", "widgets": {"kernel.title": "~in " + str(saved)}}},
             # What came with Gridstride is opened as a text without a file.
             "click kernel.open; click kernel.place.samples; wait idle; see kernel.folder ~/shaders/reduction",
             "set kernel.path tree_sequential.comp; click kernel.accept; wait idle",
             "see kernel.title tree_sequential.comp — yours, edited"],
            "reduction", "--step", "2")
        self.assertEqual(opened.read_text(), "#version 450\nvoid main() {}\n")
        self.assertIn("// mine", saved.read_text())


@sanitized
class Ending(FilesCase):
    def test_the_program_does_not_wait_for_what_it_reads(self):
        (self.folder / "large.csv").write_bytes(b"1\n" * MANY_ROWS)
        steps = [f"wait idle; click mode.bench; click bench.input; set open.path {self.folder / 'large.csv'}; click open.use",
                 {"expect": {"widgets": {"open.progress": "~ of "}}}]
        self.assert_plays(steps, "reduction", "--step", "2")


if __name__ == "__main__":
    unittest.main(verbosity=2)
