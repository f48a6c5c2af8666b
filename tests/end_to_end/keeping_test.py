"""Autosave: the work done in a window is restored after the window ends, whatever ended it."""

import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

from program import FULL, GRIDSTRIDE, TIMEOUT, WindowCase, wait_until

# A kernel of the reduction. A comment added at its end numbers the edit.
KERNEL = (pathlib.Path(GRIDSTRIDE).parents[1] / "share/gridstride/shaders/reduction/tree_sequential.comp").read_text()
# Seconds. The window saves typing once a second; a busy machine gets this much longer.
AUTOSAVE_INTERVAL = 1.0
SLACK = 2.0
# The smallest window that shows everything costs a software driver the least; the tests look at saved files only.
SMALL = ("--size", "960x540")


def edited_kernel(number):
    return KERNEL + f"// edit {number}\n"


def type_steps(number):
    return [{"set": "kernel.text", "value": edited_kernel(number)}, f"see kernel.text ~// edit {number}"]


def suspended_children(pid):
    children = [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [child for child in children if pathlib.Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"]


class Autosave(WindowCase):
    def open_window(self, steps):
        return self.start_script([{"samples": 2}, *steps], "reduction", "--step", 3, *SMALL, "--deadline", 2 * TIMEOUT)

    def kernel_tab_steps(self):
        return [*self.at_the_bench(), "click stage.kernel"]

    def edit_and_run_steps(self, edits, first=0):
        """Steps that edit the kernel, run it and export all runs, repeatedly. A screenshot is written once its edit is visible."""
        steps = self.kernel_tab_steps()
        for number in range(first, first + edits):
            steps += [*type_steps(number), f"screenshot edit-{number}.png; click bench.run; wait idle",
                      *self.export_steps(f"runs-{number}.csv")]
        return steps + [{"wait": 4 * TIMEOUT}]

    def export_steps(self, name):
        return [f"click runs.export; set export.path {self.folder / name}; click export.write; expect notice ~{name}"]

    def restore_steps(self, name):
        """Steps that restore the session of an earlier window and export all runs."""
        return ["wait idle; see kept.words ~kernel; click kept.go_on; wait idle; expect kernel edited, lesson reduction",
                *self.export_steps(name)]

    def session_files(self):
        return list(self.folder.glob("config/gridstride/sessions/*.json"))

    def saved_kernels(self):
        """The kernel texts that are saved."""
        progress = self.folder / "progress.json"
        self.run_program("progress", "--export", progress, code=0)
        return [kernel["text"] for kernel in json.loads(progress.read_text())["kernels"]]

    def restore(self, name):
        """Restores the session in the next window. Returns the rows that it exports and the saved kernel texts."""
        self.assert_plays(self.restore_steps(name), "reduction", "--step", "1", *SMALL)
        return self.read_rows(name), self.saved_kernels()

    def last_exported_rows(self):
        """The rows of the last export of the window."""
        files = sorted(self.folder.glob("runs-*.csv"), key=lambda file: file.stat().st_mtime)
        return self.read_rows(files[-1].name) if files else []

    def assert_runs_restored(self, before, rows):
        """Every row that the first window exported is among the rows."""
        after = {(row["run_id"], row["sample"], row["kernel_ns"]) for row in rows}
        lost = [row for row in before if (row["run_id"], row["sample"], row["kernel_ns"]) not in after]
        self.assertEqual(lost, [])

    def assert_typing_restored(self, ended_at, texts):
        """Every edit that was visible more than a second before the window ended is saved."""
        shown = [int(re.search(r"\d+", file.name)[0]) for file in self.folder.glob("edit-*.png")
                 if file.stat().st_mtime < ended_at - AUTOSAVE_INTERVAL - SLACK]
        self.assertEqual(len(texts), 1)
        saved_edit = int(re.search(r"// edit (\d+)", texts[0])[1])
        self.assertGreaterEqual(saved_edit, max(shown, default=0))
        self.assertEqual(texts[0], edited_kernel(saved_edit))

    def assert_restored(self, ended_at, rows, texts):
        self.assert_runs_restored(self.last_exported_rows(), rows)
        self.assert_typing_restored(ended_at, texts)

    def delete_files(self, *more):
        for pattern in ("edit-*.png", "runs-*.csv", "after.csv", *more):
            for file in self.folder.glob(pattern):
                file.unlink()

    def test_killed_window_loses_at_most_one_second_of_typing(self):
        """Each window restores the session of the previous one, which was killed, and is killed itself."""
        rng = random.Random(20)
        kills, edits = 100 if FULL else 2, 40
        before, restore_steps = [], []
        for first in range(0, kills * edits, edits):
            window = self.open_window([*restore_steps, *self.edit_and_run_steps(edits, first)])
            # From then on there is something to save.
            wait_until(lambda: list(self.folder.glob(f"edit-{first}.png")) or window.poll() is not None, "the window works")
            wait_until(lambda: self.session_files(), "a session is saved")
            time.sleep(1.2 + rng.random() * 3)
            self.assertIsNone(window.poll(), "the script has ended")
            ended_at = time.time()
            window.kill()
            window.wait()
            if restore_steps:
                self.assert_runs_restored(before, self.read_rows("after.csv"))
            self.assert_typing_restored(ended_at, self.saved_kernels())
            before, restore_steps = self.last_exported_rows() or before, self.restore_steps("after.csv")
            self.delete_files()
        rows, _ = self.restore("after.csv")
        self.assert_runs_restored(before, rows)

    def test_signals_end_the_window_like_its_close_button(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT) if FULL else (signal.SIGHUP,):
            with self.subTest(number=number):
                self.delete_files("config/gridstride/sessions/*")
                window = self.open_window(self.edit_and_run_steps(1))
                wait_until(lambda: list(self.folder.glob("runs-0.csv")) or window.poll() is not None, "the window has exported a run")
                window.send_signal(number)
                _, stderr = window.communicate(timeout=TIMEOUT)
                self.assertEqual(window.returncode, 0, stderr)
                rows, texts = self.restore("after.csv")
                self.assertEqual(texts, [edited_kernel(0)])
                self.assert_restored(time.time(), rows, texts)

    def test_two_windows_save_separate_sessions(self):
        first = self.open_window(self.edit_and_run_steps(1))
        wait_until(lambda: list(self.folder.glob("runs-0.csv")) or first.poll() is not None, "the window has exported a run")
        # The second window neither sees nor takes over the session of the first.
        self.assert_plays(self.at_the_bench("histogram"), "histogram")
        first.terminate()
        first.communicate(timeout=TIMEOUT)
        sessions = self.session_files()
        self.assertEqual(len(sessions), 2)
        self.assertEqual({json.loads(file.read_text())["lesson"] for file in sessions}, {"reduction", "histogram"})

    def test_not_now_keeps_the_session_and_the_menu_offers_it_again(self):
        window = self.open_window(self.edit_and_run_steps(1))
        wait_until(lambda: list(self.folder.glob("runs-0.csv")) or window.poll() is not None, "the window has exported a run")
        # The last second of typing may be lost, and everything here may happen within that second.
        wait_until(lambda: "// edit 0" in "".join(file.read_text() for file in self.session_files()), "the kernel is saved")
        window.kill()
        window.wait()
        self.assert_plays([
            "wait idle; see kept.words ~kernel; click kept.not_now; wait idle; expect kernel own; click top.view",
            "click view.earlier; see kept.words ~kernel",
        ], "reduction", "--step", "2")  # the question of step 2 is open, so this window starts no run
        rows, texts = self.restore("after.csv")
        self.assertEqual(texts, [edited_kernel(0)])

    def test_suspended_window_that_holds_the_settings_lock_blocks_no_other(self):
        config = self.folder / "config/gridstride"
        config.mkdir(parents=True)
        (config / "settings.json").write_text("{}")
        # The process takes the lock and is suspended while holding it.
        suspended = subprocess.Popen(["flock", str(config / "settings.json.lock"), "sh", "-c", "kill -STOP $$"])
        self.addCleanup(suspended.wait)
        self.addCleanup(suspended.kill)
        wait_until(lambda: suspended_children(suspended.pid), "the process is suspended")
        self.assert_plays([
            *self.at_the_bench(),
            {"wait": 2.5},  # the window saves its settings every two seconds
            "key Ctrl+R; click mode.learn",
        ], "reduction", "--step", "3")
        self.assertEqual((config / "settings.json").read_text(), "{}", "the suspended process may still write it")
        # The next window has the new settings all the same, and a window that gets the lock merges them.
        self.assert_plays(["wait idle; expect mode learn, lesson reduction, step 3; click mode.bench"])
        for child in suspended_children(suspended.pid):
            os.kill(child, signal.SIGCONT)
        suspended.wait()
        self.assert_plays(["wait idle; expect mode bench; click mode.learn"])
        layout = json.loads((config / "settings.json").read_text())["layout"]
        self.assertEqual((layout["arrangement"], layout["runs_open_in_bench"]), ("learn", False))
        self.assertEqual(list(config.glob("*.change")), [])

    def test_autosave_recovers_when_a_full_disk_has_space_again(self):
        disk = self.folder / "small"
        disk.mkdir()
        if not shutil.which("mount") or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True).returncode != 0:
            self.skipTest("no file system can be mounted here to fill up")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)])
        self.environment["XDG_CONFIG_HOME"] = str(disk)
        (disk / "filler").write_bytes(bytes(1 << 19))
        # Without an export, which would show a notice of its own.
        steps = [*self.kernel_tab_steps(), *type_steps(0), "expect notice ~moment; screenshot said.png",
                 "expect notice ~again; screenshot again.png", {"wait": 4 * TIMEOUT}]
        # The disk is full before the first run.
        with open(disk / "filler", "ab", buffering=0) as filler, contextlib.suppress(OSError):
            while True:
                filler.write(bytes(4096))
        window = self.open_window(steps)
        wait_until(lambda: (self.folder / "said.png").exists() or window.poll() is not None, "the full disk is reported")
        self.assertIsNone(window.poll())
        (disk / "filler").unlink()
        wait_until(lambda: (self.folder / "again.png").exists() or window.poll() is not None, "the recovery is reported")
        # Typing is saved within the next second.
        wait_until(lambda: any("// edit 0" in file.read_text() for file in disk.glob("gridstride/sessions/*.json")),
                   "the kernel is saved")
        window.kill()
        window.wait()
        rows, texts = self.restore("after.csv")
        self.assertEqual(texts, [edited_kernel(0)])
        self.assert_restored(time.time(), rows, texts)


def obstruct(kind, path):
    """Puts something that is not the expected file at the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        (path / "mine").mkdir(parents=True)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "nothing":
        path.symlink_to(path.with_name("is not there"))
    elif kind == "folder without rights":
        path.mkdir(mode=0o500)
    else:
        with open(path, "wb") as file:
            file.truncate(3 << 30)


class ObstructedFiles(WindowCase):
    """Files that the window saves by itself: whatever is at their paths, the window starts, works and saves."""

    file_names = ("settings.json", "settings.json.lock", "settings.json.1-1-1.change", "sessions/1-1-1.runs", "sessions/1-1-1.json",
                  "sessions/2-2-2.runs", "sessions/3-3-3.json", "sessions/.gridstride-1-1.tmp")

    def test_obstructed_files_lose_nothing(self):
        for kind in ("pipe", "folder", "device", "nothing", "sparse file"):
            with self.subTest(kind):
                self.environment["XDG_CONFIG_HOME"] = str(self.folder / kind)
                for name in self.file_names:
                    obstruct(kind, self.folder / kind / "gridstride" / name)
                self.assert_plays(["wait idle; click course.card.reduction; click mode.bench; click stage.kernel",
                                   *type_steps(0), {"key": "Escape"}], *SMALL)
                progress = self.folder / f"{kind}.progress"
                self.run_program("progress", "--export", progress, code=0)
                found = json.loads(progress.read_text())
                self.assertEqual([kernel["text"] for kernel in found["kernels"]], [edited_kernel(0)])
                self.assertIn("reduction", [seen["lesson"] for seen in found["seen"]])

    def test_obstructed_folder_is_reported_and_window_continues(self):
        # Root may write to a folder without write permission.
        for kind in ("pipe", "device", "sparse file", *(["folder without rights"] if os.geteuid() != 0 else [])):
            with self.subTest(kind):
                self.environment["XDG_CONFIG_HOME"] = str(self.folder / kind)
                obstruct(kind, self.folder / kind / "gridstride")
                self.assert_plays(
                    [
                        "wait idle; click course.card.reduction; click mode.bench; click stage.kernel", *type_steps(0),
                        "expect notice ~moment; key Escape; click mode.learn; expect mode learn"],
                    *SMALL)


class DeadMount(WindowCase):
    """The settings folder does not answer, from the first access on. Folders beside it do, because the Vulkan loader reads
    there and would wait."""

    def setUp(self):
        super().setUp()
        library = os.environ.get("GRIDSTRIDE_DEAD_MOUNT_LIBRARY")
        if not library:
            self.skipTest("GRIDSTRIDE_DEAD_MOUNT_LIBRARY names no library to preload that simulates a dead mount")
        self.dead = self.folder / "config/gridstride"
        self.settings = self.dead / "settings.json"
        self.settings.parent.mkdir(parents=True)
        self.settings.write_text(
            json.dumps(
                {
                    "schema_version": 1, "theme": "light", "layout": {"arrangement": "bench"}, "device": "",
                    "lesson": "histogram", "seen": [{"device": "", "lesson": "histogram", "step": 0}], "left": [],
                    "predictions": [], "made": []}))
        self.before = self.settings.read_bytes()
        self.environment.update(LD_PRELOAD=library, GRIDSTRIDE_DEAD_MOUNT=str(self.dead))

    def open_window(self, steps):
        return self.start_script(["see settings.waits ~cannot be read", *steps], *SMALL,
                                 "--deadline", 2 * TIMEOUT, "--frame-log", "frames.csv")

    def let_mount_answer(self):
        self.dead.with_name("gridstride.answers").touch()

    def assert_exits_with_0(self, window):
        _, stderr = window.communicate(timeout=TIMEOUT)
        self.assertEqual(window.returncode, 0, stderr)

    def test_window_reports_the_wait_and_continues_when_the_mount_answers(self):
        window = self.open_window([
            # Keys reach the window again.
            f"wait 1; screenshot {self.folder / 'waits.png'}; expect lesson histogram, page lesson, mode bench; key F1",
            {"key": "Escape"},
        ])
        wait_until(lambda: (self.folder / "waits.png").exists() or window.poll() is not None, "the window has drawn")
        self.assertIsNone(window.poll())
        self.let_mount_answer()
        self.assert_exits_with_0(window)
        self.assertEqual(json.loads(self.settings.read_text())["theme"], "light")

    def test_window_that_continues_without_settings_does_not_overwrite_them(self):
        window = self.open_window([
            # The window saves its settings every two seconds.
            "click settings.without; expect page course, mode learn; click course.card.reduction; wait idle; wait 2.5",
            f"screenshot {self.folder / 'without.png'}; wait 1",
        ])
        wait_until(lambda: (self.folder / "without.png").exists() or window.poll() is not None, "the window is in use")
        self.assertEqual(self.settings.read_bytes(), self.before)
        self.let_mount_answer()
        self.assert_exits_with_0(window)
        now = json.loads(self.settings.read_text())
        self.assertEqual((now["theme"], now["layout"]["arrangement"], now["lesson"]), ("light", "bench", "reduction"))
        self.assertIn("histogram", [seen["lesson"] for seen in now["seen"]])
        self.assertIn("reduction", [seen["lesson"] for seen in now["seen"]])

    def test_window_that_ends_while_waiting_changes_nothing(self):
        self.assert_exits_with_0(self.open_window(["wait 1"]))
        self.assertEqual(self.settings.read_bytes(), self.before)


class Progress(WindowCase):
    def test_predictions_and_kernels_are_exported_and_imported(self):
        self.assert_plays(
            [
                "wait idle; click story.guess.5; type 79; key F5; wait idle; expect predictions_decided 1; click stage.kernel",
                {"set": "kernel.text", "value": edited_kernel(1)}, "wait idle; click top.view; click view.save_progress",
                f"set progress.path {self.folder / 'window.json'}; click progress.accept", "expect notice ~1 kernel"],
            "reduction", "--step", "1")
        result = self.run_program("progress", "--export", "command.json", code=0)
        self.assertIn("Wrote 1 prediction and 1 kernel to command.json.", result.stdout)
        ours, theirs = (self.read_json(name) for name in ("command.json", "window.json"))
        self.assertEqual(ours["predictions"], theirs["predictions"])
        self.assertEqual(ours["kernels"], theirs["kernels"])
        self.assertEqual((ours["predictions"][0]["step"], ours["predictions"][0]["id"]), (1, "one_number_out_of_many_guess"))
        self.assertTrue(ours["predictions"][0]["question"])
        self.assertTrue(ours["predictions"][0]["answer"].startswith("79"))

        # Another machine: its window offers to restore the kernel.
        self.environment["XDG_CONFIG_HOME"] = str(self.folder / "other")
        result = self.run_program("progress", "--import", "command.json")
        self.assertIn("Imported 1 prediction and 1 kernel from command.json.", result.stdout)
        result = self.run_program("progress", "--import", "command.json")
        self.assertIn("Imported 0 predictions and 0 kernels", result.stdout)
        self.assert_plays(
            [
                "wait idle", {"expect": {"predictions_decided": 1, "widgets": {"kept.words": "~kernel"}}},
                "click kept.go_on; click stage.kernel",
                {"expect": {"kernel": "edited", "widgets": {"kernel.text": "~// edit 1"}}}],
            "reduction", "--step", "1")

    def test_question_is_decided_in_the_background_and_after_a_restart(self):
        answer = "wait idle; click story.predict.8.0; key F5"
        self.assert_plays([f"{answer}; click story.next; wait idle; expect step 4, predictions_decided 1"], "reduction", "--step", "3")
        slow_run = [{"samples": 10_000}, answer]
        for killed in (False, True):
            home = self.folder / f"home {killed}"
            self.environment["XDG_CONFIG_HOME"] = str(home)

            def pending_ids():
                file = home / "gridstride/settings.json"
                predictions = json.loads(file.read_text())["predictions"] if file.exists() else []
                return [prediction["id"] for prediction in predictions if prediction.get("pending")]

            if killed:
                window = self.start_script([*slow_run, {"wait": 4 * TIMEOUT}], "reduction", "--step", "3")
                wait_until(pending_ids, "the answer is saved")
                window.kill()
                window.communicate()
            else:
                self.assert_plays(slow_run, "reduction", "--step", "3")
            self.assertEqual(pending_ids(), ["workgroup_memory_choice"])
            self.assert_plays(["wait idle; expect predictions_decided 1"], "histogram")
            self.assertEqual(pending_ids(), [])

    def test_damaged_progress_file_is_refused_and_changes_nothing(self):
        self.environment["XDG_CONFIG_HOME"] = str(self.folder / "none")
        for text in ("", "{}", '{"kind":"gridstride progress","schema_version":1,"predictions":[{}],"kernels":[]}', "\0" * 99):
            self.write("bad.json", text)
            result = self.run_program("progress", "--import", "bad.json", code=5)
            self.assert_mentions(result.stderr, "imported")
        self.assertEqual(self.run_program("progress", "--import", "missing.json").returncode, 5)
        self.assertEqual(self.run_program("progress").returncode, 2)
        self.assertEqual(self.run_program("progress", "--import", "a", "--export", "b").returncode, 2)
        self.assertEqual(self.run_program("progress", "--export", "no/such/folder.json").returncode, 5)
        self.assertFalse((self.folder / "none").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
