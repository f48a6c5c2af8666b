"""Files that the program saves: written so that a power cut leaves them whole, read so that nothing in them can do harm, and
never written over by an older version. And what they and other names hold reaches no terminal as it is."""

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


def with_member(text, member="a"):
    """Nested inside what looks like a file of ours."""
    return '{"schema_version":1,"kind":"gridstride progress","' + member + '":' + text


class Files:
    """Of a case, by kind."""

    def config(self, name):
        path = pathlib.Path(self.environment["XDG_CONFIG_HOME"], "gridstride", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def cache(self, name):
        path = pathlib.Path(self.environment["XDG_CACHE_HOME"], "gridstride", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def progress_file(self, name="progress.json", **changes):
        path = self.folder / name
        path.write_text(json.dumps({**PROGRESS, **changes}))
        return path


class Deep(Files, Case):
    """JSON that is nested so deep that a reader which recurses runs out of stack."""

    own_cache = True

    def assert_set_aside(self, path, text, said):
        self.assertEqual(path.with_name(path.name + ".damaged").read_text(), text)
        self.assertIn(f"{path}.damaged", said)
        self.assert_mentions(said, 64)

    def test_each_file_that_is_read_without_being_asked_for(self):
        for text in (*NESTED, *map(with_member, NESTED)):
            with self.subTest(text[:40]):
                settings, tuned, ceilings = self.config("settings.json"), self.config("tuned.json"), self.cache("ceilings.json")
                session = self.config("sessions/s1-1-1.json")
                for path in (settings, tuned, ceilings, session, self.config("settings.json.1-1-1.change")):
                    path.write_text(text)
                said = self.run_program("progress", "--export", "out.json", code=0).stderr
                self.assert_set_aside(settings, text, said)
                result = self.run_program("run", "reduction", "--tuned", "--samples", 1, code=2)
                self.assert_set_aside(tuned, text, result.stderr)

        ceilings.write_text(with_member(NESTED[0], "a | b"))
        result = self.run_program("devices", "--json", code=0)
        self.assertTrue(json.loads(result.stdout), "no device is taken away")
        self.assert_set_aside(ceilings, with_member(NESTED[0], "a | b"), result.stderr)
        ceilings.write_text(NESTED[2])
        self.run_program("run", "reduction", "--elements", 1000, "--samples", 1, code=0)
        self.assertEqual([" | " in device for device in json.loads(ceilings.read_text())], [True])

    def test_each_file_that_is_named(self):
        for text in (*NESTED, *map(with_member, NESTED)):
            with self.subTest(text[:40]):
                self.write("deep.json", text)
                result = self.run_program("progress", "--import", "deep.json", code=5)
                self.assert_mentions(result.stderr, 64, "imported")
        self.run_program("screenshot", "reduction", "--output", "p.png", "--ui-script", "deep.json", code=5)

    def test_recorded_answers(self):
        program = self.copy_of_program()
        recorded = self.folder / "copy/share/gridstride/recorded"
        for number, text in enumerate(NESTED):
            (recorded / f"deep-{number}.json").write_text(text)
        self.run_program("screenshot", "reduction", "--output", "p.png", program=program, code=0)


class Newer(Files, Case):
    """Files that a newer version of the program wrote: they stay as they are, and that is said."""

    own_cache = True

    def assert_left_alone(self, path, text, said):
        self.assertEqual(path.read_text(), text)
        self.assert_mentions(said, path, "newer")

    def test_settings(self):
        settings, text = self.config("settings.json"), '{"schema_version": 3, "theme": {"name": "light"}}'
        settings.write_text(text)
        self.assert_left_alone(settings, text, self.run_program("progress", "--import", self.progress_file(), code=0).stderr)
        self.run_program("progress", "--export", "out.json", code=0)
        seen = self.json_in("out.json")["seen"]
        self.assertEqual([one["lesson"] for one in seen], ["reduction"], "what was imported is kept beside it")

    def test_stored_launches(self):
        tuned, text = self.config("tuned.json"), '{"schema_version": 2, "best": []}'
        tuned.write_text(text)
        result = self.run_program(*SWEEP, code=0)
        self.assert_left_alone(tuned, text, result.stderr)
        result = self.run_program("run", "reduction", "--tuned", code=5)
        self.assert_left_alone(tuned, text, result.stderr)

    def test_ceilings(self):
        ceilings, text = self.cache("ceilings.json"), '{"schema_version": 2, "devices": []}'
        ceilings.write_text(text)
        self.assert_left_alone(
            ceilings, text, self.run_program("run", "reduction", "--elements", 1000, "--samples", 1, code=0).stderr)
        self.assert_left_alone(ceilings, text, self.run_program("devices", code=0).stderr)

    def test_progress_and_recorded_answers(self):
        newer = self.progress_file(schema_version=4)
        text = newer.read_text()
        for way in ("--export", "--import"):
            result = self.run_program("progress", way, newer, code=5)
            self.assert_left_alone(newer, text, result.stderr)
        newer = self.folder / "recorded.json"
        newer.write_text('{"schema_version": 3, "answers": []}')
        result = self.run_program("record", "reduction", "--output", newer, code=5)
        self.assert_left_alone(newer, '{"schema_version": 3, "answers": []}', result.stderr)


class Window(Files, WindowCase):
    def test_what_happened_to_its_files_is_said(self):
        newer = {"settings.json": '{"schema_version": 7}', "tuned.json": '{"schema_version": 7}',
                 "sessions/s7-1-1.json": '{"schema_version": 7}'}
        for name, text in newer.items():
            self.config(name).write_text(text)
        result = self.assert_plays(["wait idle; expect notice ~newer; click course.card.reduction; wait idle"], "--size", "960x540")
        for name, text in newer.items():
            self.assertEqual(self.config(name).read_text(), text)
            self.assert_mentions(result.stderr, self.config(name), "newer")
            self.config(name).unlink()
        for text in NESTED[1], NESTED[2]:
            self.config("sessions/s7-1-1.json").write_text(text)
            result = self.assert_plays(["wait idle", {"expect": {"notice": "~s7-1-1.json"}}], "--size", "960x540")
            self.assertTrue(self.config("sessions/s7-1-1.json.damaged").exists())


class WindowOfALab(Files, WindowCase):
    own_cache = True

    def test_what_happened_to_the_labs_files_is_said_too(self):
        self.cache("ceilings.json").write_text(NESTED[1])
        result = self.assert_plays(["wait idle", {"expect": {"notice": f"~{self.cache('ceilings.json')}.damaged"}}],
                                   "reduction", "--size", "960x540")
        self.assertEqual(result.stderr.count("ceilings.json.damaged"), 1, "the log has it once")


class PowerCut(Files, WindowCase):
    """What a power cut leaves is what the disk was told to keep, in which order: the content, its name, and then what it
    replaces goes."""

    own_cache = True

    def setUp(self):
        super().setUp()
        library = os.environ.get("GRIDSTRIDE_FILE_CALLS_LIBRARY")
        if not library:
            self.skipTest("calls to the disk: GRIDSTRIDE_FILE_CALLS_LIBRARY names no library to preload")
        self.calls = self.folder.with_name(self.folder.name + ".calls")
        self.addCleanup(self.calls.unlink, missing_ok=True)
        self.environment.update(LD_PRELOAD=library, GRIDSTRIDE_FILE_CALLS_IN=str(self.folder),
                                GRIDSTRIDE_FILE_CALLS=str(self.calls))

    def assert_survives(self, *names):
        """All of these files were written, and each file that was."""
        calls = [line.split("\t") for line in self.calls.read_text().splitlines() if "mesa_shader_cache" not in line]
        renamed = set()
        for at, (call, path, to) in enumerate(calls):
            if call == "rename" and not to.endswith(tuple("123456789")) and ".damaged" not in to:
                before = [(other, where) for other, where, _ in calls[:at] if where == path]
                self.assertEqual(before[-1][0], "sync", f"{to} got its name before the disk had its content")
                folder = str(pathlib.Path(to).parent)
                self.assertIn(["sync", folder, ""], calls[at:], f"the name of {to} never came to the disk")
                renamed.add(pathlib.Path(to).name)
            if call == "write" and path.endswith(".runs"):
                self.assertIn(["sync", path, ""], calls[at:], "the last runs never came to the disk")
                renamed.add(".runs")
        for name in names:
            self.assertTrue(any(one.endswith(name) for one in renamed), f"{name} is not among {renamed}")

    def test_every_kind_of_file(self):
        numpy.save(self.folder / "numbers.npy", numpy.arange(100, dtype=numpy.uint32))
        self.run_program("progress", "--import", self.progress_file(), code=0)
        self.run_program("progress", "--export", "out.json", code=0)
        self.run_program(*SWEEP, "--csv", "rows.csv", code=0)
        self.run_program(
            "run", "reduction", "--input", "numbers.npy", "--samples", 1, "--save-output", "saved.npy", "--csv", "run.csv",
            code=0)
        self.assert_plays([*self.at_the_bench(), {"click": "stage.kernel"}, {"set": "kernel.text", "value": KERNEL},
                           {"wait": "idle"}], "reduction", "--step", "3")
        self.assert_survives("settings.json", "out.json", "tuned.json", "rows.csv", "run.csv", "saved.npy", "ceilings.json",
                             "-0.json", ".runs")


class Terminal(Files, Case):
    """Nothing that a terminal would obey, and nothing that turns the direction of writing, whatever a name holds."""

    HOSTILE = "a\x1b[31m\x1b]0;t\x07b\r\x9b2J\u202ec\u2066d\x7f"

    def assert_harmless(self, result):
        for name, text in {"stdout": result.stdout, "stderr": result.stderr}.items():
            for character in text:
                code = ord(character)
                bad = (code < 0x20 and character not in "\n\t") or 0x7F <= code <= 0x9F or \
                    0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
                self.assertFalse(bad, f"{name} of {result.args}: {character!r} in {text!r}")

    def hostile(self, ending, content, before=""):
        path = self.folder / (before + self.HOSTILE + ending)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def try_it(self, *arguments, code=None):
        result = self.run_program(*arguments)
        if code is not None:
            self.assertEqual(result.returncode, code, result.stderr)
        self.assert_harmless(result)
        return result

    def test_names_that_are_typed(self):
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
                result = self.try_it(*arguments)
                self.assertNotEqual(result.returncode, 0)
                self.assertTrue(result.stderr)
        self.environment["GRIDSTRIDE_LOG"] = self.HOSTILE
        self.try_it("list")

    def test_names_of_files(self):
        numpy.save(self.folder / "n.npy", numpy.arange(100, dtype=numpy.uint32))
        numbers = (self.folder / "n.npy").read_bytes()
        whole = self.hostile(".npy", numbers)
        for flag, path in {
            "--input": self.hostile(".csv", "x\n1\n"), "--csv": self.folder / ("no\x1b[2J" + self.HOSTILE) / "x.csv",
            "--save-output": self.hostile("-out.npy", ""), "--kernel": self.hostile(".comp", KERNEL),
        }.items():
            with self.subTest(flag):
                self.try_it("run", "reduction", "--samples", 1, flag, path)
        self.try_it("run", "reduction", "--samples", 1, "--input", whole, code=0)
        self.try_it("run", "reduction", "--samples", 1, "--input", whole, "--json", code=0)
        self.try_it("run", "reduction", "--samples", 1, "--input", whole, "--csv", "-", code=0)
        self.try_it("run", "reduction", "--samples", 1, "--input", self.folder / (self.HOSTILE + "missing.npy"), code=5)
        self.try_it("progress", "--import", self.folder / self.HOSTILE, code=5)
        self.try_it("progress", "--export", self.folder / (self.HOSTILE + ".json"), code=0)
        self.try_it("progress", "--import", self.folder / (self.HOSTILE + ".json"), code=0)
        self.try_it("compare", self.hostile("-a.csv", self.HOSTILE + "\n1\n"), whole)
        self.try_it("playground", self.hostile(".playground", "gridstride playground 1\nmodel m\nshow " + self.HOSTILE + "\n"))
        self.try_it("make", "reduction", "--kernel", self.hostile("-make.comp", KERNEL))

    def test_what_files_hold(self):
        header = b"{'descr': '\x1b[31m\xe2\x80\xae', 'fortran_order': False, 'shape': (4,), }".ljust(117) + b"\n"
        npy = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(16)
        (self.folder / "bad.npy").write_bytes(npy)
        self.write("bad.csv", self.HOSTILE.replace("\r", "") + "\n1\n" + self.HOSTILE.replace("\r", "") + "\n")
        (self.folder / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n\x1b[31m" + bytes(40))
        (self.folder / "bad.wav").write_bytes(b"RIFF\x1b[31mWAVE" + bytes(40))
        for name in ("bad.npy", "bad.csv", "bad.png", "bad.wav"):
            with self.subTest(name):
                self.assertNotEqual(self.try_it("run", "reduction", "--input", name).returncode, 0)
        for text in (KERNEL.replace("void", self.HOSTILE),
                     f'#version 450\n#include "{self.HOSTILE.replace(chr(13), "")}"\nvoid main() {{}}\n',
                     f"#version 450\n#error {self.HOSTILE}\n", f"#version 450\nvoid main() {{ {self.HOSTILE} x; }}\n"):
            self.write("bad.comp", text)
            self.assertNotEqual(self.try_it("run", "reduction", "--kernel", "bad.comp").returncode, 0)
            self.try_it("make", "reduction", "--kernel", "bad.comp")
            self.try_it("inspect", "reduction", "--kernel", "bad.comp")
        for line in ("show {}", "tensor {} 4", 'tensor t 4 fill file "{}"', "{} = {}", "model {}", "t = {} @ u", "expect {} = {}",
                     'save t as "{}"', "kernel {} {{", '"{}"', "t = f({})", "tensor t {}"):
            with self.subTest(line):
                text = line.replace("{{", "{").replace("{}", self.HOSTILE.replace("\r", ""))
                self.write("bad.playground", "gridstride playground 1\nmodel m\n" + text + "\n")
                self.assertNotEqual(self.try_it("playground", "bad.playground").returncode, 0)

    def test_what_saved_files_hold(self):
        self.run_program(*SWEEP, code=0)
        tuned = self.config("tuned.json")
        entries = json.loads(tuned.read_text())
        for member in ("driver", "when", "input"):
            changed = json.loads(json.dumps(entries))
            changed["tuned"][0][member] = self.HOSTILE
            tuned.write_text(json.dumps(changed))
            with self.subTest(member):
                self.try_it("run", "reduction", "--tuned", "--elements", 5000, "--samples", 1)
        self.config("settings.json").write_text('{"\x1b[2J')
        self.try_it("progress", "--export", "out.json", code=0)
        self.try_it("progress", "--import", self.progress_file(lesson=self.HOSTILE))


if __name__ == "__main__":
    unittest.main(verbosity=2)
