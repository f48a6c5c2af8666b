"""What a person did in the window is there again after its end, whatever ended it."""

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

from program import FULL, GRIDSTRIDE, PATIENCE, WindowCase, wait_until

# A kernel of the reduction, with a line that says how often it was edited.
KERNEL = (pathlib.Path(GRIDSTRIDE).parents[1] / "share/gridstride/shaders/reduction/tree_sequential.comp").read_text()
# The window keeps what is typed once a second; this much more has a machine that is busy.
LAST_TYPING = 1.0
SLACK = 2.0
# What is looked at is what is kept: the smallest window that shows all, which costs a software driver the least.
SMALL = ("--size", "960x540")


def edited(number):
    return KERNEL + f"// edit {number}\n"


def typing(number):
    return [{"set": "kernel.text", "value": edited(number)}, f"see kernel.text ~// edit {number}"]


def children_that_are_stopped(pid):
    children = [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [child for child in children if pathlib.Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"]


class Keeping(WindowCase):
    def open_window(self, steps):
        return self.start_script([{"samples": 2}, *steps], "reduction", "--step", 3, *SMALL, "--deadline", 2 * PATIENCE)

    def at_the_kernel(self):
        return [*self.at_the_bench(), "click stage.kernel"]

    def at_work(self, edits, first=0):
        """Types into the kernel, runs it and exports all runs, again and again. Pictures tell when what was there."""
        steps = self.at_the_kernel()
        for number in range(first, first + edits):
            steps += [*typing(number), f"screenshot edit-{number}.png; click bench.run; wait idle",
                      *self.exporting(f"runs-{number}.csv")]
        return steps + [{"wait": 4 * PATIENCE}]

    def exporting(self, name):
        return [f"click runs.export; set export.path {self.folder / name}; click export.write; expect notice ~{name}"]

    def going_on(self, name):
        """With what an earlier window left: all runs into a file."""
        return ["wait idle; see kept.words ~kernel; click kept.go_on; wait idle; expect kernel edited, lesson reduction",
                *self.exporting(name)]

    def kept(self):
        return list(self.folder.glob("config/gridstride/sessions/*.json"))

    def rows_of(self, name):
        return self.rows(name)

    def kernels(self):
        """The texts that are kept."""
        progress = self.folder / "progress.json"
        self.run_program("progress", "--export", progress, code=0)
        return [kernel["text"] for kernel in json.loads(progress.read_text())["kernels"]]

    def go_on(self, name):
        """In the next window: its rows, and the text of its kernel."""
        self.assert_plays(self.going_on(name), "reduction", "--step", "1", *SMALL)
        return self.rows_of(name), self.kernels()

    def exported(self):
        """The rows of the window's last export."""
        files = sorted(self.folder.glob("runs-*.csv"), key=lambda file: file.stat().st_mtime)
        return self.rows_of(files[-1].name) if files else []

    def assert_runs_kept(self, before, rows):
        """All runs that the first window had exported."""
        after = {(row["run_id"], row["sample"], row["kernel_ns"]) for row in rows}
        lost = [row for row in before if (row["run_id"], row["sample"], row["kernel_ns"]) not in after]
        self.assertEqual(lost, [])

    def assert_typing_kept(self, ended_at, texts):
        """All that was typed more than a second before its end."""
        shown = [int(re.search(r"\d+", file.name)[0]) for file in self.folder.glob("edit-*.png")
                 if file.stat().st_mtime < ended_at - LAST_TYPING - SLACK]
        self.assertEqual(len(texts), 1)
        kept = int(re.search(r"// edit (\d+)", texts[0])[1])
        self.assertGreaterEqual(kept, max(shown, default=0))
        self.assertEqual(texts[0], edited(kept))

    def assert_kept(self, ended_at, rows, texts):
        self.assert_runs_kept(self.exported(), rows)
        self.assert_typing_kept(ended_at, texts)

    def start_over(self, *more):
        for pattern in ("edit-*.png", "runs-*.csv", "after.csv", *more):
            for file in self.folder.glob(pattern):
                file.unlink()

    def test_nothing_but_the_last_second_of_typing_is_lost_whenever_it_is_killed(self):
        """Each window goes on with what the one before left when it was killed, and is killed in its turn."""
        chance = random.Random(20)
        kills, edits = 100 if FULL else 4, 40
        before, going_on = [], []
        for first in range(0, kills * edits, edits):
            window = self.open_window([*going_on, *self.at_work(edits, first)])
            # From then on there is something to keep.
            wait_until(lambda: list(self.folder.glob(f"edit-{first}.png")) or window.poll() is not None, "it is at work")
            wait_until(lambda: self.kept(), "it keeps something")
            time.sleep(1.2 + chance.random() * 3)
            self.assertIsNone(window.poll(), "the script has ended")
            ended_at = time.time()
            window.kill()
            window.wait()
            if going_on:
                self.assert_runs_kept(before, self.rows_of("after.csv"))
            self.assert_typing_kept(ended_at, self.kernels())
            before, going_on = self.exported() or before, self.going_on("after.csv")
            self.start_over()
        rows, _ = self.go_on("after.csv")
        self.assert_runs_kept(before, rows)

    def test_signals_end_it_as_its_button_does(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT) if FULL else (signal.SIGHUP,):
            with self.subTest(number=number):
                self.start_over("config/gridstride/sessions/*")
                window = self.open_window(self.at_work(1))
                wait_until(lambda: list(self.folder.glob("runs-0.csv")) or window.poll() is not None, "it has run")
                window.send_signal(number)
                _, said = window.communicate(timeout=PATIENCE)
                self.assertEqual(window.returncode, 0, said)
                rows, texts = self.go_on("after.csv")
                self.assertEqual(texts, [edited(0)])
                self.assert_kept(time.time(), rows, texts)

    def test_two_windows_keep_their_own(self):
        first = self.open_window(self.at_work(1))
        wait_until(lambda: list(self.folder.glob("runs-0.csv")) or first.poll() is not None, "it has run")
        # The second neither sees what the first keeps nor takes it.
        self.assert_plays(self.at_the_bench("histogram"), "histogram")
        first.terminate()
        first.communicate(timeout=PATIENCE)
        sessions = self.kept()
        self.assertEqual(len(sessions), 2)
        self.assertEqual({json.loads(file.read_text())["lesson"] for file in sessions}, {"reduction", "histogram"})

    def test_not_now_leaves_it_and_the_menu_offers_it_again(self):
        window = self.open_window(self.at_work(1))
        wait_until(lambda: list(self.folder.glob("runs-0.csv")) or window.poll() is not None, "it has run")
        # The last second of typing may be lost, and all of this may be done within it.
        wait_until(lambda: "// edit 0" in "".join(file.read_text() for file in self.kept()), "it keeps the kernel")
        window.kill()
        window.wait()
        self.assert_plays([
            "wait idle; see kept.words ~kernel; click kept.not_now; wait idle; expect kernel own; click top.view",
            "click view.earlier; see kept.words ~kernel",
        ], "reduction", "--step", "2")  # its question is open, so this window has no run of its own
        rows, texts = self.go_on("after.csv")
        self.assertEqual(texts, [edited(0)])

    def test_nobody_waits_for_a_window_that_was_stopped_while_it_wrote_the_settings(self):
        config = self.folder / "config/gridstride"
        config.mkdir(parents=True)
        (config / "settings.json").write_text("{}")
        # It holds the lock from then on, and is stopped.
        stopped = subprocess.Popen(["flock", str(config / "settings.json.lock"), "sh", "-c", "kill -STOP $$"])
        self.addCleanup(stopped.wait)
        self.addCleanup(stopped.kill)
        wait_until(lambda: children_that_are_stopped(stopped.pid), "it is stopped")
        self.assert_plays([
            *self.at_the_bench(),
            {"wait": 2.5},  # the window remembers every two seconds
            "key Ctrl+R; click mode.learn",
        ], "reduction", "--step", "3")
        self.assertEqual((config / "settings.json").read_text(), "{}", "the stopped one may write it when it goes on")
        # The next window knows all the same, and the one that has the lock takes it in.
        self.assert_plays(["wait idle; expect mode learn, lesson reduction, step 3; click mode.bench"])
        for child in children_that_are_stopped(stopped.pid):
            os.kill(child, signal.SIGCONT)
        stopped.wait()
        self.assert_plays(["wait idle; expect mode bench; click mode.learn"])
        layout = json.loads((config / "settings.json").read_text())["layout"]
        self.assertEqual((layout["arrangement"], layout["runs_open_in_bench"]), ("learn", False))
        self.assertEqual(list(config.glob("*.change")), [])

    def test_a_full_disk_costs_nothing_once_there_is_room(self):
        disk = self.folder / "small"
        disk.mkdir()
        if not shutil.which("mount") or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True).returncode != 0:
            self.skipTest("a full disk: no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)])
        self.environment["XDG_CONFIG_HOME"] = str(disk)
        (disk / "filler").write_bytes(bytes(1 << 19))
        # Without the export, which has a notice of its own.
        steps = [*self.at_the_kernel(), *typing(0), "expect notice ~moment; screenshot said.png",
                 "expect notice ~again; screenshot again.png", {"wait": 4 * PATIENCE}]
        # Its first run comes when the disk is full.
        with open(disk / "filler", "ab", buffering=0) as filler, contextlib.suppress(OSError):
            while True:
                filler.write(bytes(4096))
        window = self.open_window(steps)
        wait_until(lambda: (self.folder / "said.png").exists() or window.poll() is not None, "it says so")
        self.assertIsNone(window.poll())
        (disk / "filler").unlink()
        wait_until(lambda: (self.folder / "again.png").exists() or window.poll() is not None, "it says so")
        # What was typed in the last second before is kept in the next.
        wait_until(lambda: any("// edit 0" in file.read_text() for file in disk.glob("gridstride/sessions/*.json")),
                   "the kernel is kept")
        window.kill()
        window.wait()
        rows, texts = self.go_on("after.csv")
        self.assertEqual(texts, [edited(0)])
        self.assert_kept(time.time(), rows, texts)


def put_in_place(what, path):
    """Something else than the file that is looked for there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        (path / "mine").mkdir(parents=True)
    elif what == "device":
        path.symlink_to("/dev/zero")
    elif what == "nothing":
        path.symlink_to(path.with_name("is not there"))
    elif what == "folder without rights":
        path.mkdir(mode=0o500)
    else:
        with open(path, "wb") as file:
            file.truncate(3 << 30)


class InPlaceOfKeptFiles(WindowCase):
    """What the window keeps without being asked: whatever stands there, it starts, goes on, and keeps what is done."""

    kept = ("settings.json", "settings.json.lock", "settings.json.1-1-1.change", "sessions/1-1-1.runs", "sessions/1-1-1.json",
            "sessions/2-2-2.runs", "sessions/3-3-3.json", "sessions/.gridstride-1-1.tmp")

    def test_something_else_stands_there(self):
        for what in ("pipe", "folder", "device", "nothing", "sparse file"):
            with self.subTest(what):
                self.environment["XDG_CONFIG_HOME"] = str(self.folder / what)
                for name in self.kept:
                    put_in_place(what, self.folder / what / "gridstride" / name)
                self.assert_plays(["wait idle; click course.card.reduction; click mode.bench; click stage.kernel",
                                   *typing(0), {"key": "Escape"}], *SMALL)
                progress = self.folder / f"{what}.progress"
                self.run_program("progress", "--export", progress, code=0)
                found = json.loads(progress.read_text())
                self.assertEqual([kernel["text"] for kernel in found["kernels"]], [edited(0)])
                self.assertIn("reduction", [seen["lesson"] for seen in found["seen"]])

    def test_nothing_can_be_kept_there(self):
        # Root may do everything.
        for what in ("pipe", "device", "sparse file", *(["folder without rights"] if os.geteuid() != 0 else [])):
            with self.subTest(what):
                self.environment["XDG_CONFIG_HOME"] = str(self.folder / what)
                put_in_place(what, self.folder / what / "gridstride")
                self.assert_plays(
                    [
                        "wait idle; click course.card.reduction; click mode.bench; click stage.kernel", *typing(0),
                        "expect notice ~moment; key Escape; click mode.learn; expect mode learn"],
                    *SMALL)


class DeadMount(WindowCase):
    """The folder with the settings does not answer, from the first look at it. What lies beside it does: the loader of
    Vulkan reads there too, and it would wait."""

    def setUp(self):
        super().setUp()
        library = os.environ.get("GRIDSTRIDE_DEAD_MOUNT_LIBRARY")
        if not library:
            self.skipTest("a dead mount: GRIDSTRIDE_DEAD_MOUNT_LIBRARY names no library to preload")
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
                                 "--deadline", 2 * PATIENCE, "--frame-log", "frames.csv")

    def answer(self):
        self.dead.with_name("gridstride.answers").touch()

    def assert_ends_well(self, window):
        _, said = window.communicate(timeout=PATIENCE)
        self.assertEqual(window.returncode, 0, said)

    def test_the_window_says_what_it_waits_for_and_goes_on_when_it_answers(self):
        window = self.open_window([
            # The keys are the window's again.
            f"wait 1; screenshot {self.folder / 'waits.png'}; expect lesson histogram, page lesson, mode bench; key F1",
            {"key": "Escape"},
        ])
        wait_until(lambda: (self.folder / "waits.png").exists() or window.poll() is not None, "it draws")
        self.assertIsNone(window.poll())
        self.answer()
        self.assert_ends_well(window)
        self.assertEqual(json.loads(self.settings.read_text())["theme"], "light")

    def test_a_window_that_goes_on_without_them_does_not_overwrite_them(self):
        window = self.open_window([
            # The window remembers every two seconds.
            "click settings.without; expect page course, mode learn; click course.card.reduction; wait idle; wait 2.5",
            f"screenshot {self.folder / 'without.png'}; wait 1",
        ])
        wait_until(lambda: (self.folder / "without.png").exists() or window.poll() is not None, "it is used")
        self.assertEqual(self.settings.read_bytes(), self.before)
        self.answer()
        self.assert_ends_well(window)
        now = json.loads(self.settings.read_text())
        self.assertEqual((now["theme"], now["layout"]["arrangement"], now["lesson"]), ("light", "bench", "reduction"))
        self.assertIn("histogram", [seen["lesson"] for seen in now["seen"]])
        self.assertIn("reduction", [seen["lesson"] for seen in now["seen"]])

    def test_a_window_that_nobody_waits_for_ends_and_changes_nothing(self):
        self.assert_ends_well(self.open_window(["wait 1"]))
        self.assertEqual(self.settings.read_bytes(), self.before)


class Progress(WindowCase):
    def test_predictions_and_kernels_go_into_a_file_and_back(self):
        self.assert_plays(
            [
                "wait idle; click story.guess.5; type 79; key F5; wait idle; expect predictions_decided 1; click stage.kernel",
                {"set": "kernel.text", "value": edited(1)}, "wait idle; click top.view; click view.save_progress",
                f"set progress.path {self.folder / 'window.json'}; click progress.accept", "expect notice ~1 kernel"],
            "reduction", "--step", "1")
        result = self.run_program("progress", "--export", "command.json", code=0)
        self.assertIn("Wrote 1 prediction and 1 kernel to command.json.", result.stdout)
        ours, theirs = (self.json_in(name) for name in ("command.json", "window.json"))
        self.assertEqual(ours["predictions"], theirs["predictions"])
        self.assertEqual(ours["kernels"], theirs["kernels"])
        self.assertEqual((ours["predictions"][0]["step"], ours["predictions"][0]["id"]), (1, "one_number_out_of_many_guess"))
        self.assertTrue(ours["predictions"][0]["question"])
        self.assertTrue(ours["predictions"][0]["answer"].startswith("79"))

        # Another machine: there it is offered.
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

    def test_a_question_is_decided_while_the_person_is_elsewhere_and_after_a_restart(self):
        ask = "wait idle; click story.predict.8.0; key F5"
        self.assert_plays([f"{ask}; click story.next; wait idle; expect step 4, predictions_decided 1"], "reduction", "--step", "3")
        long = [{"samples": 10_000}, ask]
        for killed in (False, True):
            home = self.folder / f"home {killed}"
            self.environment["XDG_CONFIG_HOME"] = str(home)

            def pending():
                file = home / "gridstride/settings.json"
                known = json.loads(file.read_text())["predictions"] if file.exists() else []
                return [one["id"] for one in known if one.get("pending")]

            if killed:
                window = self.start_script([*long, {"wait": 4 * PATIENCE}], "reduction", "--step", "3")
                wait_until(pending, "the answer is kept")
                window.kill()
                window.communicate()
            else:
                self.assert_plays(long, "reduction", "--step", "3")
            self.assertEqual(pending(), ["workgroup_memory_choice"])
            self.assert_plays(["wait idle; expect predictions_decided 1"], "histogram")
            self.assertEqual(pending(), [])

    def test_what_is_damaged_is_refused_and_changes_nothing(self):
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
