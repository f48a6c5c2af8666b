"""Saved files: a power cut leaves them intact, their contents can do no harm, and an older version never overwrites them. File
names and contents reach a terminal only in escaped form."""

import json
import os
import pathlib
import unittest

import numpy

from program import Case, WindowCase

DEEP = 100_000
NESTED = ("[" * DEEP, "[" * DEEP + "]" * DEEP, '{"a":' * DEEP, '{"a":' * DEEP + "0" + "}" * DEEP)
KERNEL = "#version 450\nvoid main() {}\n"
# A progress file of this version, as it is exported.
PROGRESS = {
    "kind": "gridstride progress", "schema_version": 3, "device": "", "lesson": "reduction",
    "seen": [{"device": "", "lesson": "reduction", "id": "one_number_out_of_many"}], "left": [], "predictions": [], "made": [],
    "kernels": [
        {
            "lesson": "reduction", "variant": "tree_sequential", "name": "mine.comp", "folder": "", "text": KERNEL,
            "path": "", "saved_text": "", "last_good": None}],
}
SWEEP = ("sweep", "reduction", "--elements", 5000, "--workgroup-size", "16,64,512", "--samples", 8)


def nest_in_member(text, member="a"):
    """The text as a member of an object that looks like a saved file."""
    return '{"schema_version":1,"kind":"gridstride progress","' + member + '":' + text


class SavedFilePaths:
    """Paths of saved files in the folders of a test case."""

    def config_path(self, name):
        path = pathlib.Path(self.environment["XDG_CONFIG_HOME"], "gridstride", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def cache_path(self, name):
        path = pathlib.Path(self.environment["XDG_CACHE_HOME"], "gridstride", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write_progress(self, name="progress.json", **changes):
        path = self.folder / name
        path.write_text(json.dumps({**PROGRESS, **changes}))
        return path


class DeeplyNestedJson(SavedFilePaths, Case):
    """JSON that is nested so deeply that a recursive reader would exhaust its stack."""

    private_cache = True

    def assert_set_aside(self, path, text, message):
        self.assertEqual(path.with_name(path.name + ".damaged").read_text(), text)
        self.assertIn(f"{path}.damaged", message)
        self.assert_mentions(message, 64)

    def test_files_that_are_read_implicitly(self):
        for text in (*NESTED, *map(nest_in_member, NESTED)):
            with self.subTest(text[:40]):
                settings, tuned = self.config_path("settings.json"), self.config_path("tuned.json")
                ceilings = self.cache_path("ceilings.json")
                session = self.config_path("sessions/s1-1-1.json")
                for path in (settings, tuned, ceilings, session, self.config_path("settings.json.1-1-1.change")):
                    path.write_text(text)
                message = self.run_program("progress", "--export", "out.json", code=0).stderr
                self.assert_set_aside(settings, text, message)
                result = self.run_program("run", "reduction", "--tuned", "--samples", 1, code=2)
                self.assert_set_aside(tuned, text, result.stderr)

        ceilings.write_text(nest_in_member(NESTED[0], "a | b"))
        result = self.run_program("devices", "--json", code=0)
        self.assertTrue(json.loads(result.stdout), "devices are still listed")
        self.assert_set_aside(ceilings, nest_in_member(NESTED[0], "a | b"), result.stderr)
        ceilings.write_text(NESTED[2])
        self.run_program("run", "reduction", "--elements", 1000, "--samples", 1, code=0)
        self.assertEqual([" | " in device for device in json.loads(ceilings.read_text())], [True])

    def test_files_named_on_the_command_line(self):
        for text in (*NESTED, *map(nest_in_member, NESTED)):
            with self.subTest(text[:40]):
                self.write("deep.json", text)
                result = self.run_program("progress", "--import", "deep.json", code=5)
                self.assert_mentions(result.stderr, 64, "imported")
        self.run_program("screenshot", "reduction", "--output", "p.png", "--ui-script", "deep.json", code=5)

    def test_recorded_answers(self):
        program = self.copy_program()
        recorded = self.folder / "copy/share/gridstride/recorded"
        for number, text in enumerate(NESTED):
            (recorded / f"deep-{number}.json").write_text(text)
        self.run_program("screenshot", "reduction", "--output", "p.png", program=program, code=0)


class NewerVersions(SavedFilePaths, Case):
    """Files that a newer version of the program wrote stay unchanged, and a message says so."""

    private_cache = True

    def assert_left_alone(self, path, text, message):
        self.assertEqual(path.read_text(), text)
        self.assert_mentions(message, path, "newer")

    def test_settings(self):
        settings, text = self.config_path("settings.json"), '{"schema_version": 3, "theme": {"name": "light"}}'
        settings.write_text(text)
        self.assert_left_alone(settings, text, self.run_program("progress", "--import", self.write_progress(), code=0).stderr)
        self.run_program("progress", "--export", "out.json", code=0)
        seen = self.read_json("out.json")["seen"]
        self.assertEqual([one["lesson"] for one in seen], ["reduction"], "imported progress is saved beside the settings")

    def test_stored_launches(self):
        tuned, text = self.config_path("tuned.json"), '{"schema_version": 2, "best": []}'
        tuned.write_text(text)
        result = self.run_program(*SWEEP, code=0)
        self.assert_left_alone(tuned, text, result.stderr)
        result = self.run_program("run", "reduction", "--tuned", code=5)
        self.assert_left_alone(tuned, text, result.stderr)

    def test_ceilings(self):
        ceilings, text = self.cache_path("ceilings.json"), '{"schema_version": 2, "devices": []}'
        ceilings.write_text(text)
        self.assert_left_alone(
            ceilings, text, self.run_program("run", "reduction", "--elements", 1000, "--samples", 1, code=0).stderr)
        self.assert_left_alone(ceilings, text, self.run_program("devices", code=0).stderr)

    def test_progress_and_recorded_answers(self):
        newer = self.write_progress(schema_version=4)
        text = newer.read_text()
        for flag in ("--export", "--import"):
            result = self.run_program("progress", flag, newer, code=5)
            self.assert_left_alone(newer, text, result.stderr)
        newer = self.folder / "recorded.json"
        newer.write_text('{"schema_version": 3, "answers": []}')
        result = self.run_program("record", "reduction", "--output", newer, code=5)
        self.assert_left_alone(newer, '{"schema_version": 3, "answers": []}', result.stderr)


class Window(SavedFilePaths, WindowCase):
    def test_newer_and_damaged_files_are_reported(self):
        newer = {"settings.json": '{"schema_version": 7}', "tuned.json": '{"schema_version": 7}',
                 "sessions/s7-1-1.json": '{"schema_version": 7}'}
        for name, text in newer.items():
            self.config_path(name).write_text(text)
        result = self.assert_plays(["wait idle; expect notice ~newer; click course.card.reduction; wait idle"], "--size", "960x540")
        for name, text in newer.items():
            self.assertEqual(self.config_path(name).read_text(), text)
            self.assert_mentions(result.stderr, self.config_path(name), "newer")
            self.config_path(name).unlink()
        for text in NESTED[1], NESTED[2]:
            self.config_path("sessions/s7-1-1.json").write_text(text)
            result = self.assert_plays(["wait idle", {"expect": {"notice": "~s7-1-1.json"}}], "--size", "960x540")
            self.assertTrue(self.config_path("sessions/s7-1-1.json.damaged").exists())


class LabNotices(SavedFilePaths, WindowCase):
    private_cache = True

    def test_damaged_file_of_the_lab_is_reported(self):
        self.cache_path("ceilings.json").write_text(NESTED[1])
        result = self.assert_plays(["wait idle", {"expect": {"notice": f"~{self.cache_path('ceilings.json')}.damaged"}}],
                                   "reduction", "--size", "960x540")
        self.assertEqual(result.stderr.count("ceilings.json.damaged"), 1, "the log reports it once")


class PowerCut(SavedFilePaths, WindowCase):
    """A power cut leaves what was synced to the disk before: first the content, then the rename, which replaces the old file."""

    private_cache = True

    def setUp(self):
        super().setUp()
        library = os.environ.get("GRIDSTRIDE_FILE_CALLS_LIBRARY")
        if not library:
            self.skipTest("GRIDSTRIDE_FILE_CALLS_LIBRARY names no library to preload that logs file calls")
        self.calls = self.folder.with_name(self.folder.name + ".calls")
        self.addCleanup(self.calls.unlink, missing_ok=True)
        self.environment.update(LD_PRELOAD=library, GRIDSTRIDE_FILE_CALLS_IN=str(self.folder),
                                GRIDSTRIDE_FILE_CALLS=str(self.calls))

    def assert_durable(self, *names):
        """Asserts that these files were written, and that every file that was written was synced in the right order."""
        calls = [line.split("\t") for line in self.calls.read_text().splitlines() if "mesa_shader_cache" not in line]
        renamed = set()
        for index, (call, path, destination) in enumerate(calls):
            if call == "rename" and not destination.endswith(tuple("123456789")) and ".damaged" not in destination:
                before = [(operation, target) for operation, target, _ in calls[:index] if target == path]
                self.assertEqual(before[-1][0], "sync", f"{destination} was renamed before its content was synced")
                folder = str(pathlib.Path(destination).parent)
                self.assertIn(["sync", folder, ""], calls[index:], f"the folder of {destination} was never synced")
                renamed.add(pathlib.Path(destination).name)
            if call == "write" and path.endswith(".runs"):
                self.assertIn(["sync", path, ""], calls[index:], "the last runs were never synced")
                renamed.add(".runs")
        for name in names:
            self.assertTrue(any(file_name.endswith(name) for file_name in renamed), f"{name} is not among {renamed}")

    def test_every_kind_of_file(self):
        numpy.save(self.folder / "numbers.npy", numpy.arange(100, dtype=numpy.uint32))
        self.run_program("progress", "--import", self.write_progress(), code=0)
        self.run_program("progress", "--export", "out.json", code=0)
        self.run_program(*SWEEP, "--csv", "rows.csv", code=0)
        self.run_program(
            "run", "reduction", "--input", "numbers.npy", "--samples", 1, "--save-output", "saved.npy", "--csv", "run.csv",
            code=0)
        self.assert_plays([*self.at_the_bench(), {"click": "stage.kernel"}, {"set": "kernel.text", "value": KERNEL},
                           {"wait": "idle"}], "reduction", "--step", "3")
        self.assert_durable("settings.json", "out.json", "tuned.json", "rows.csv", "run.csv", "saved.npy", "ceilings.json",
                            "-0.json", ".runs")


class Terminal(SavedFilePaths, Case):
    """No control character and no character that changes the direction of writing reaches a terminal, whatever a name contains."""

    HOSTILE = "a\x1b[31m\x1b]0;t\x07b\r\x9b2J\u202ec\u2066d\x7f"

    def assert_harmless(self, result):
        for name, text in {"stdout": result.stdout, "stderr": result.stderr}.items():
            for character in text:
                code = ord(character)
                bad = (code < 0x20 and character not in "\n\t") or 0x7F <= code <= 0x9F or \
                    0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
                self.assertFalse(bad, f"{name} of {result.args}: {character!r} in {text!r}")

    def write_hostile(self, ending, content, before=""):
        path = self.folder / (before + self.HOSTILE + ending)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run_harmless(self, *arguments, code=None):
        result = self.run_program(*arguments)
        if code is not None:
            self.assertEqual(result.returncode, code, result.stderr)
        self.assert_harmless(result)
        return result

    def test_arguments(self):
        for arguments in (
            (self.HOSTILE,), ("run", self.HOSTILE), ("run", "reduction", "--variant", self.HOSTILE),
            ("run", "reduction", "--elements", self.HOSTILE), ("run", "reduction", "--" + self.HOSTILE, 1),
            ("run", "reduction", self.HOSTILE), ("sweep", "reduction", "--workgroup-size", self.HOSTILE),
            ("make", self.HOSTILE), ("make", "reduction", "--step", self.HOSTILE), ("inspect", self.HOSTILE),
            ("inspect", "reduction", "--workgroups", self.HOSTILE), ("list", self.HOSTILE), ("check", self.HOSTILE),
            ("record", self.HOSTILE, "--output", "x.json"), ("screenshot", self.HOSTILE, "--output", "x.png"),
            ("run", "reduction", "--device", self.HOSTILE), ("screenshot", "reduction", "--output", "x.png", "--lang", self.HOSTILE),
        ):
            with self.subTest(arguments):
                result = self.run_harmless(*arguments)
                self.assertNotEqual(result.returncode, 0)
                self.assertTrue(result.stderr)
        self.environment["GRIDSTRIDE_LOG"] = self.HOSTILE
        self.run_harmless("list")

    def test_file_names(self):
        numpy.save(self.folder / "n.npy", numpy.arange(100, dtype=numpy.uint32))
        numbers = (self.folder / "n.npy").read_bytes()
        whole = self.write_hostile(".npy", numbers)
        for flag, path in {
            "--input": self.write_hostile(".csv", "x\n1\n"), "--csv": self.folder / ("no\x1b[2J" + self.HOSTILE) / "x.csv",
            "--save-output": self.write_hostile("-out.npy", ""), "--kernel": self.write_hostile(".comp", KERNEL),
        }.items():
            with self.subTest(flag):
                self.run_harmless("run", "reduction", "--samples", 1, flag, path)
        self.run_harmless("run", "reduction", "--samples", 1, "--input", whole, code=0)
        self.run_harmless("run", "reduction", "--samples", 1, "--input", whole, "--json", code=0)
        self.run_harmless("run", "reduction", "--samples", 1, "--input", whole, "--csv", "-", code=0)
        self.run_harmless("run", "reduction", "--samples", 1, "--input", self.folder / (self.HOSTILE + "missing.npy"), code=5)
        self.run_harmless("progress", "--import", self.folder / self.HOSTILE, code=5)
        self.run_harmless("progress", "--export", self.folder / (self.HOSTILE + ".json"), code=0)
        self.run_harmless("progress", "--import", self.folder / (self.HOSTILE + ".json"), code=0)
        self.run_harmless("compare", self.write_hostile("-a.csv", self.HOSTILE + "\n1\n"), whole)
        self.run_harmless("playground", self.write_hostile(".playground", "gridstride playground 1\nmodel m\nshow " + self.HOSTILE + "\n"))
        self.run_harmless("make", "reduction", "--kernel", self.write_hostile("-make.comp", KERNEL))

    def test_contents_of_input_files(self):
        header = b"{'descr': '\x1b[31m\xe2\x80\xae', 'fortran_order': False, 'shape': (4,), }".ljust(117) + b"\n"
        npy = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(16)
        (self.folder / "bad.npy").write_bytes(npy)
        self.write("bad.csv", self.HOSTILE.replace("\r", "") + "\n1\n" + self.HOSTILE.replace("\r", "") + "\n")
        (self.folder / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n\x1b[31m" + bytes(40))
        (self.folder / "bad.wav").write_bytes(b"RIFF\x1b[31mWAVE" + bytes(40))
        for name in ("bad.npy", "bad.csv", "bad.png", "bad.wav"):
            with self.subTest(name):
                self.assertNotEqual(self.run_harmless("run", "reduction", "--input", name).returncode, 0)
        for text in (KERNEL.replace("void", self.HOSTILE),
                     f'#version 450\n#include "{self.HOSTILE.replace(chr(13), "")}"\nvoid main() {{}}\n',
                     f"#version 450\n#error {self.HOSTILE}\n", f"#version 450\nvoid main() {{ {self.HOSTILE} x; }}\n"):
            self.write("bad.comp", text)
            self.assertNotEqual(self.run_harmless("run", "reduction", "--kernel", "bad.comp").returncode, 0)
            self.run_harmless("make", "reduction", "--kernel", "bad.comp")
            self.run_harmless("inspect", "reduction", "--kernel", "bad.comp")
        for line in ("show {}", "tensor {} 4", 'tensor t 4 fill file "{}"', "{} = {}", "model {}", "t = {} @ u", "expect {} = {}",
                     'save t as "{}"', "kernel {} {{", '"{}"', "t = f({})", "tensor t {}"):
            with self.subTest(line):
                text = line.replace("{{", "{").replace("{}", self.HOSTILE.replace("\r", ""))
                self.write("bad.playground", "gridstride playground 1\nmodel m\n" + text + "\n")
                self.assertNotEqual(self.run_harmless("playground", "bad.playground").returncode, 0)

    def test_contents_of_saved_files(self):
        self.run_program(*SWEEP, code=0)
        tuned = self.config_path("tuned.json")
        entries = json.loads(tuned.read_text())
        for member in ("driver", "when", "input"):
            changed = json.loads(json.dumps(entries))
            changed["tuned"][0][member] = self.HOSTILE
            tuned.write_text(json.dumps(changed))
            with self.subTest(member):
                self.run_harmless("run", "reduction", "--tuned", "--elements", 5000, "--samples", 1)
        self.config_path("settings.json").write_text('{"\x1b[2J')
        self.run_harmless("progress", "--export", "out.json", code=0)
        self.run_harmless("progress", "--import", self.write_progress(lesson=self.HOSTILE))


if __name__ == "__main__":
    unittest.main(verbosity=2)
