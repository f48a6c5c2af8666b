"""Lessons that are folders of text, in the real program: run, judged, shown, and refused with file and line."""

import json
import os
import pathlib
import re
import shutil
import signal
import unittest

import numpy

from program import TIMEOUT, Case, WindowCase, wait_for_lab, wait_until

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LESSON = """format = 1
title = "Squares"
noun = "numbers"
elements = 1000
workgroup = [32]

[[parameter]]
id = "offset"
label = "Offset"
default = 3
min = 0
max = 100

[input.x]
type = "u32"
value = "integers(n, 1000)"

[output.squares]
type = "u32"

[output.roots]
type = "f32"

[[variant]]
id = "square"
title = "Squares"
summary = "Each invocation squares one number."
kernel = "square.comp"
expect.squares = "x * x + offset"
expect.roots = "sqrt(float(x))"

[[variant]]
id = "late"
title = "Without the offset"
summary = "It forgets the offset."
kernel = "late.comp"
wrong_on_purpose = true
expect.squares = "x * x + offset"

[[exercise]]
id = "cube"
title = "Cubes"
start = "late.comp"
solution = "cube.comp"
expect.squares = "x * x * x"
expect.roots = { value = "sqrt(float(x))", within = 1e-5 }

[fact.largest]
label = "Largest"
value = "largest(squares)"

[[picture]]
id = "squares"
title = "Squares"
kind = "bars"
of = "squares"
first = 32
"""
KERNEL = """void main() {{
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += launch.workgroup_count * gl_WorkGroupSize.x) {{
        squares[i] = {};
        roots[i] = sqrt(float(x[i]));
    }}
}}
"""
STORY = """---
chapter: 9 Your own
place: 1
question: What is a square?
minutes: 5
picture: squares
---
# Squares
## One each
<!-- id: one_each -->
Each invocation squares a number.

```plot squares
```

```kernel square.comp
```

## Cubes
<!-- id: cubes -->

```make cube
id: cube
hint: A cube is a product of three numbers.
hint: The square is there already.
hint: Multiply the square by the number.
require: matches
```
"""


def write_lesson(case, name="squares", toml=LESSON):
    folder = case.folder / "lessons" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lesson.toml").write_text(toml)
    for kernel, value in {"square": "x[i] * x[i] + offset", "late": "x[i] * x[i]", "cube": "x[i] * x[i] * x[i]"}.items():
        (folder / f"{kernel}.comp").write_text(KERNEL.format(value))
    (folder / "story.en.md").write_text(STORY)
    return folder


def translate(lesson):
    """Adds French texts to the lesson of write_lesson()."""
    toml = LESSON
    for english, french in (("Squares", "Carrés"), ("Offset", "Décalage"), ("Largest", "Le plus grand")):
        toml = toml.replace(f'"{english}"', f'{{ en = "{english}", fr = "{french}" }}')
    (lesson / "lesson.toml").write_text(toml)
    (lesson / "story.fr.md").write_text(STORY.replace("Squares", "Carrés").replace("squares a", "calcule le carré d'un"))


class TextLesson(Case):
    def setUp(self):
        super().setUp()
        self.lesson = write_lesson(self)

    def run_json(self, *arguments, code=0):
        result = self.run_program("run", "squares", "--lessons", self.lesson, "--samples", 2, "--json", *arguments, code=code)
        return json.loads(result.stdout)

    def test_variant_is_run_and_judged(self):
        report = self.run_json("--offset", 7, "--elements", 12345, "--workgroup-size", 96)
        self.assertEqual(report["status"], "ok", report)
        self.assertEqual(report["parameters"]["offset"], 7)
        self.assertEqual(report["launch"]["invocations"], 129 * 96)
        self.assertLessEqual(report["result"]["largest"], 999 * 999 + 7)
        self.assertGreater(report["result"]["largest"], 990 * 990)
        self.assertNotIn("clamped", json.dumps(report["notes"]))
        mine = self.write("mine.comp", KERNEL.format("x[i] * x[i] + offset"))
        self.assertIn("clamped", json.dumps(self.run_json("--kernel", mine)["notes"]))

    def test_lessons_of_a_folder_are_listed(self):
        write_lesson(self, "others")
        listed = json.loads(self.run_program("list", "--json", "--lessons", self.folder / "lessons").stdout)["lessons"]
        self.assertLessEqual({"squares", "others", "reduction"}, {one["id"] for one in listed})
        squares = next(one for one in listed if one["id"] == "squares")
        self.assertEqual([one["id"] for one in squares["variants"]], ["square", "late"])

    def test_texts_are_in_the_language_of_the_user(self):
        translate(self.lesson)
        for language, expected in (("en", "Offset"), ("fr", "Décalage"), ("de", "Offset")):
            listed = self.run_program("list", "--json", "--lessons", self.lesson, GRIDSTRIDE_LANG=language, code=0).stdout
            squares = next(one for one in json.loads(listed)["lessons"] if one["id"] == "squares")
            self.assertIn(expected, [parameter["label"] for parameter in squares["parameters"]])

    def test_wrong_kernel_is_a_mismatch(self):
        self.assertEqual(self.run_json("--variant", "late")["status"], "wrong_on_purpose")
        (self.lesson / "square.comp").write_text(KERNEL.format("x[i] * x[i] + offset + (i == 777 ? 1 : 0)"))
        report = self.run_json(code=1)
        self.assertEqual(report["status"], "mismatch")
        self.assertEqual(report["compare"]["first_mismatch"]["index"], 777)
        self.assertEqual(report["compare"]["first_mismatch"]["output"], "squares")

    def test_unwritten_output_is_found(self):
        (self.lesson / "square.comp").write_text("void main() { if (gl_GlobalInvocationID.x == 0) squares[0] = x[0]; }")
        report = self.run_json(code=1)
        self.assertIn(report["status"], ("unwritten", "mismatch"))

    def test_own_kernel_replaces_the_variants(self):
        self.write("mine.comp", KERNEL.format("offset + x[i] * x[i]"))
        self.assertEqual(self.run_json("--kernel", self.folder / "mine.comp")["status"], "ok")
        self.write("mine.comp", KERNEL.format("offset"))
        self.assertEqual(self.run_json("--kernel", self.folder / "mine.comp", code=1)["status"], "mismatch")
        self.write("mine.comp", KERNEL.format("missing[i]"))
        result = self.run_program("run", "squares", "--lessons", self.lesson, "--kernel", self.folder / "mine.comp", code=None)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("mine.comp:3: error: missing is neither declared nor an array", result.stderr)

    def test_out_of_bounds_access_does_no_harm(self):
        (self.lesson / "square.comp").write_text(KERNEL.format("x[i + 1000000000u] + offset"))
        self.assertEqual(self.run_json(code=1)["status"], "mismatch")

    def test_kernel_is_printed(self):
        result = self.run_program("run", "squares", "--lessons", self.lesson, "--print-kernel")
        self.assertEqual(result.stdout, (self.lesson / "square.comp").read_text())

    def test_mistakes_are_reported_with_file_and_line(self):
        (self.lesson / "lesson.toml").write_text(LESSON.replace("x * x + offset", "x * y").replace("min = 0", "min = 4"))
        result = self.run_program("run", "squares", "--lessons", self.lesson, code=2)
        self.assertEqual(result.stdout, "")
        self.assertIn(f"{self.lesson}/lesson.toml:10: default = 3 is not between min = 4 and max = 100.", result.stderr)
        (self.lesson / "lesson.toml").write_text(LESSON.replace("x * x + offset", "x * y"))
        result = self.run_program("run", "squares", "--lessons", self.lesson, code=2)
        self.assertIn('lesson.toml:29: In the expression "x * y": There is no array or parameter y.', result.stderr)

    def test_id_that_exists_is_refused(self):
        other = write_lesson(self, "reduction")
        result = self.run_program("list", "--json", "--lessons", other, code=0)
        self.assertIn("There is a lesson reduction already", result.stderr)
        self.assertNotIn('"title":"Squares"', result.stdout)
        result = self.run_program("run", "reduction", "--lessons", other, code=2)
        self.assertEqual(result.stdout, "")
        self.assert_mentions(result.stderr, "lesson reduction already", str(other))
        # As the value of an option, the id names no lesson.
        self.run_program("run", "transfers", "--elements", 1000, "--samples", 1, "--csv", "reduction", "--lessons", other, code=0)
        twin = shutil.copytree(self.lesson, self.folder / "elsewhere/squares")
        result = self.run_program("run", "squares", "--lessons", self.lesson, "--lessons", twin, code=2)
        for named in (self.lesson, twin, "not loaded"):
            self.assertIn(str(named), result.stderr)

    def test_broken_lesson_leaves_the_others_of_its_folder(self):
        write_lesson(self, "broken", toml=LESSON.replace("x * x + offset", "x * y"))
        result = self.run_program("run", "squares", "--lessons", self.folder / "lessons", "--samples", 2, "--json", code=0)
        self.assertEqual(json.loads(result.stdout)["status"], "ok")
        self.assertIn("broken/lesson.toml:29:", result.stderr)

    def test_folder_without_lesson_is_refused(self):
        result = self.run_program("list", "--lessons", self.folder / "nowhere", code=5)
        self.assertIn("There is no folder", result.stderr)


class LessonCommand(Case):
    def test_new_lesson_passes_its_check(self):
        self.run_program("lesson", "new", "brighter_pictures")
        self.assertIn('title = "Brighter pictures"', (self.folder / "brighter_pictures/lesson.toml").read_text())
        result = self.run_program("lesson", "check", "brighter_pictures", code=0)
        self.assertIn("No errors in brighter_pictures.", result.stdout)
        result = self.run_program("run", "brighter_pictures", "--lessons", "brighter_pictures", "--samples", 2, code=0)
        self.assertIn("equal", result.stdout)
        result = self.run_program("lesson", "new", "brighter_pictures", code=5)
        self.assertIn("exists already", result.stderr)

    def test_variants_run_over_a_grid_of_settings(self):
        lesson = write_lesson(self)
        (lesson / "cube.comp").write_text(KERNEL.format("x[i] * x[i]"))
        refusal = '\n[[remark]]\nwhen = "workgroup_size == 1"\nseverity = "refusal"\ntext = "One is too few."\n'
        (lesson / "lesson.toml").write_text(LESSON + refusal)
        result = self.run_program("lesson", "check", "--run", lesson, code=1)
        self.assertRegex(result.stderr, r"(?s)squares cube: elements = \d+.*squares cube: refused, .*workgroup_size = 1,.*: One is too few\.")

    def test_mistakes_that_only_a_run_shows_are_found(self):
        """A wrong solution, a starter that is one, an access outside an array, and a known wrong guess that is right."""
        lesson = write_lesson(self)
        beyond = "    if (x[launch.count] == 12345) squares[0] = 1;\n}"
        question = "```predict\nid: how_many\nquestion: How many?\nvalue: elements\nguess: numbers | within 0\nnear: 1000 | No.\nafter: {value}.\n```\n\n"
        (lesson / "square.comp").write_text(KERNEL.format("x[i] * x[i] + offset").rstrip()[:-1] + beyond)
        (lesson / "cube.comp").write_text(KERNEL.format("x[i] * x[i]"))
        (lesson / "late.comp").write_text(KERNEL.format("x[i] * x[i] * x[i]"))
        (lesson / "story.en.md").write_text(STORY.replace("## Cubes", question + "## Cubes"))
        result = self.run_program("lesson", "check", "--run", lesson, code=1)
        for expected in ("squares cube: ", "accesses outside an array", "near: 1000 is the right answer",
                         "late.comp already meets every requirement"):
            self.assertIn(expected, result.stderr)

    def test_kernels_of_solutions_and_later_launches_are_compiled(self):
        lesson = write_lesson(self)
        (lesson / "cube.comp").write_text(KERNEL.format("y[i]"))
        self.assertIn("cube.comp:3", self.run_program("lesson", "check", lesson, code=1).stdout)
        sums = shutil.copytree(SOURCE / "tests/text_lesson/folders/sums", self.folder / "sums")
        (sums / "total.comp").write_text("void main() { total[0] = partial[y]; }")
        self.assertIn("total.comp:1", self.run_program("lesson", "check", sums, code=1).stdout)

    def test_sums_along_an_axis(self):
        for axis, loop in ((0, "uint j = i % 4; j <= i; j += 4"), (1, "uint j = i / 4 * 4; j <= i; ++j")):
            toml = LESSON.replace('expect.squares = "x * x + offset"', f'expect.squares = "reshape(cumsum(reshape(x, rows x 4), {axis}), n)"')
            toml = toml.replace("[input.x]", '[define]\nrows = "n / 4"\n\n[input.x]')
            lesson = write_lesson(self, toml=toml, name=f"squares_{axis}")
            kernel = KERNEL.format("0").replace("roots[i] =", f"for ({loop}) squares[i] += x[j];\n        roots[i] =")
            (lesson / "square.comp").write_text(kernel)
            run = ("run", lesson.name, "--lessons", lesson, "--elements", 100, "--samples", 1)
            self.assertEqual(self.run_json(*run)["status"], "ok")

    def test_halves_are_read_and_written(self):
        toml = LESSON.replace('[output.roots]\ntype = "f32"', '[output.roots]\ntype = "f16"')
        toml = toml.replace("[output.squares]", '[input.h]\ntype = "f16"\nvalue = "f16(uniform(n) * 60000 - 100)"\n\n[output.squares]')
        toml = toml.replace('"sqrt(float(x))"', '"f16(sqrt(maximum(h, 0)) * 2)"').replace("within = 1e-5", 'within = "1 ulp"')
        lesson = write_lesson(self, toml=toml)
        for kernel in ("square", "late", "cube"):
            text = (lesson / f"{kernel}.comp").read_text()
            (lesson / f"{kernel}.comp").write_text(text.replace("sqrt(float(x[i]))", "float16_t(sqrt(max(float(h[i]), 0)) * 2)"))
        self.run_program("lesson", "check", "--run", lesson, code=0)
        run = ("run", "squares", "--lessons", lesson, "--samples", 2)
        self.assertEqual(self.run_json(*run)["status"], "ok")
        accesses = json.loads(self.run_program("inspect", "squares", "--lessons", lesson, "--json", code=0).stdout)
        self.assertIn("h", json.dumps(accesses))
        for wrong in ("* 2.01", "* 2 + 0.5"):
            text = (lesson / "square.comp").read_text()
            (lesson / "square.comp").write_text(text.replace("* 2)", wrong + ")"))
            mismatch = self.run_json(*run, code=1)["compare"]["first_mismatch"]
            self.assertEqual(mismatch["output"], "roots")
            (lesson / "square.comp").write_text(text)

    def test_launches_scratch_files_and_conditions_are_right(self):
        lesson = shutil.copytree(SOURCE / "tests/text_lesson/folders/sums", self.folder / "sums")
        result = self.run_program("lesson", "check", "--run", lesson, code=0)
        self.assertRegex(result.stdout, r"sums +two +[1-9]\d* +0 ")
        report = json.loads(self.run_program("run", "sums", "--lessons", lesson, "--samples", 2, "--json", code=0).stdout)
        self.assertEqual((report["status"], report["launch"]["dispatches"]), ("ok", 2))
        (lesson / "total.comp").write_text("void main() { if (gl_GlobalInvocationID.x == 0) total[0] = partial[0]; }\n")
        self.run_program("run", "sums", "--lessons", lesson, "--samples", 2, code=1)

    def test_lessons_that_ship_pass_their_check(self):
        shipped = pathlib.Path(os.environ["GRIDSTRIDE"]).resolve().parents[1] / "share/gridstride/lessons"
        lessons = [file.parent for file in shipped.glob("*/lesson.toml")]
        self.assertTrue(lessons)
        for lesson in lessons:
            self.run_program("lesson", "check", lesson, code=0)

    def test_each_error_of_kernels_and_story_has_its_place(self):
        lesson = write_lesson(self)
        (lesson / "square.comp").write_text(KERNEL.format("missing"))
        (lesson / "story.en.md").write_text(STORY.replace("<!-- id: one_each -->\n", ""))
        result = self.run_program("lesson", "check", lesson, code=1)
        self.assertIn(f"{lesson}/square.comp:3: ", result.stdout)
        self.assertRegex(result.stdout, rf"{lesson}/story.en.md:9: .*id")
        (lesson / "late.comp").write_text("void mian() { squares[0] = x[0]; roots[0] = 1; }")
        self.assertRegex(self.run_program("lesson", "check", lesson, code=1).stdout, rf"{lesson}/late.comp:1: .*void main\(\)")
        (lesson / "late.comp").write_text("// " + "a" * 70000)
        self.assertRegex(self.run_program("lesson", "check", lesson, code=1).stdout, rf"lesson.toml:\d+: .*{lesson}/late.comp.* 64.KiB")
        write_lesson(self)
        (lesson / "square.comp").write_text(KERNEL.format("missing"))
        (lesson / "story.en.md").unlink()
        result = self.run_program("lesson", "check", lesson, code=1)
        self.assertIn("has no story.en.md", result.stdout)
        write_lesson(self)
        translate(lesson)
        self.run_program("lesson", "check", lesson, code=0)
        (lesson / "story.fr.md").write_text(STORY.replace("id: cubes", "id: les_cubes"))
        result = self.run_program("lesson", "check", lesson, code=1)
        self.assertRegex(result.stdout, r"story.fr.md:19: .*the ids must be the same in all languages")


    def test_options_of_commands_are_no_parameters(self):
        """Parameters are options, too, of every command that takes a lesson."""
        options = set()
        for command in ("run", "sweep", "inspect", "explain", "make", "check"):
            said = self.run_program(command, "--help", code=0).stdout
            options |= {option.replace("-", "_") for option in re.findall(r"--([a-z][a-z-]+)", said)}
        options |= {option.replace("-", "_") for option in re.findall(r"--(lang|lessons)", self.run_program("--help", code=0).stdout)}
        self.assertLess({"samples", "save_output", "lang", "lessons"}, options)
        declared = "".join(f'[[parameter]]\nid = "{option}"\nlabel = "A"\ndefault = 1\nmin = 1\nmax = 2\n' for option in sorted(options))
        lesson = write_lesson(self, toml=LESSON.replace("[input.x]", declared + "[input.x]", 1))
        said = self.run_program("lesson", "check", lesson, code=1).stdout
        self.assertEqual({option for option in options if f"cannot have the id {option}," not in said}, set())


class LessonWindow(WindowCase):
    def test_mistakes_in_kernel_and_story_keep_the_last_version(self):
        """They have their lines, also when the lesson is opened later, and the story stays that of before."""
        lesson, other = write_lesson(self), write_lesson(self, "others")
        window = self.start_script(
            ["wait idle; expect status ok; map ready.json",
             "see lesson.errors ~square.comp:3:; expect status ok; map kernel.json",
             "see lesson.errors ~story.en.md:9:; expect status ok; map story.json; wait 1",
             "click top.course; click course.card.others; wait idle; see lesson.errors ~lesson.toml:29:",
             "click top.course; click course.card.squares; wait idle; see lesson.errors ~story.en.md:; expect steps 2, status ok"],
            "squares", "--lessons", lesson.parent)
        wait_until((self.folder / "ready.json").exists, "the lesson ran")
        kernel = (lesson / "square.comp").read_text()
        (lesson / "square.comp").write_text(KERNEL.format("missing"))
        wait_until((self.folder / "kernel.json").exists, "the kernel's mistake was shown")
        (lesson / "square.comp").write_text(kernel)
        (lesson / "story.en.md").write_text(STORY.replace("<!-- id: one_each -->\n", ""))
        wait_until((self.folder / "story.json").exists, "the story's mistake was shown")
        (lesson / "story.en.md").write_text(STORY.replace("<!-- id: one_each -->\n", "").replace("```make cube", "```predict"))
        (other / "lesson.toml").write_text(LESSON.replace("x * x + offset", "x * y"))
        said = window.communicate(timeout=2 * TIMEOUT)[1]
        self.assertEqual(window.returncode, 0, said)

    def test_pictures_of_a_trace_say_what_the_kernel_does(self):
        """The noun names elements of the domain, not of other arrays, and not every kernel with barriers adds."""
        lesson = write_lesson(self, toml=LESSON + """
[input.firsts]
type = "u32"
shape = ["n + 1"]
value = "iota(n + 1)"

[[picture]]
id = "who"
title = "Who"
kind = "access"
of = "firsts"

[[picture]]
id = "numbers"
title = "Numbers"
kind = "access"
of = "x"

[[picture]]
id = "tile"
title = "Tile"
kind = "levels"
""")
        (lesson / "square.comp").write_text("""shared uint tile[gl_WorkGroupSize.x];
void main() {
    const uint i = gl_GlobalInvocationID.x, me = gl_LocalInvocationID.x;
    tile[me] = firsts[min(i, launch.count)];
    barrier();
    if (me % 2 == 0) {
        const uint own = tile[me], other = tile[me + 1];
        tile[me] = min(own, other);
        tile[me + 1] = max(own, other);
    }
    barrier();
    if (i >= launch.count) return;
    squares[i] = x[i] * x[i] + offset + 0 * tile[me];
    roots[i] = sqrt(float(x[i]));
}
""")
        for plots, expected in (("who, tile", ("Invocation 0 accesses 1 element in total", "\"reads and writes\"")),
                                ("numbers", ("Invocation 0 accesses 1 number in total",))):
            (lesson / "story.en.md").write_text(STORY.replace("```plot squares", f"```set\nelements = 64\n```\n\n```plot {plots}"))
            self.assert_plays(["wait idle; expect status ok; wait 1; wait idle; map map.json"], "squares", "--lessons", lesson)
            shown = json.dumps([one["text"] for one in self.read_json("map.json")["texts"]])
            for words in expected:
                self.assertIn(words, shown)
            self.assertNotIn("clamped", shown)

    def test_broken_lesson_is_shown_beside_the_others(self):
        write_lesson(self)
        broken = write_lesson(self, "broken", toml=LESSON.replace("x * x + offset", "x * y"))
        window = self.start_script(
            ["see course.faulty.broken ~lesson.toml:29:; map broken.json",
             "click course.card.broken; wait idle; expect lesson broken, status ok"],
            "--lessons", self.folder / "lessons")
        wait_until((self.folder / "broken.json").exists, "the mistake was shown")
        (broken / "lesson.toml").write_text(LESSON)
        said = window.communicate(timeout=2 * TIMEOUT)[1]
        self.assertEqual(window.returncode, 0, said)

    def test_saved_file_is_loaded_again(self):
        """A valid change is shown and run; a mistake is shown with its line, and the last valid version stays open."""
        lesson = write_lesson(self)
        window = self.start_script(
            ["wait idle; expect status ok; map ready.json",
             "expect status mismatch; map wrong.json",
             "see lesson.errors ~lesson.toml:29:; expect status mismatch; map broken.json",
             "expect status ok", {"screenshot": "window.png"}],
            "squares", "--lessons", lesson)
        wait_until((self.folder / "ready.json").exists, "the lesson ran")
        kernel = (lesson / "square.comp").read_text()
        (lesson / "square.comp").write_text(kernel.replace("offset", "offset + 1"))
        wait_until((self.folder / "wrong.json").exists, "the changed kernel ran")
        (lesson / "lesson.toml").write_text(LESSON.replace("x * x + offset", "x * y"))
        wait_until((self.folder / "broken.json").exists, "the mistake was shown")
        (lesson / "square.comp").write_text(kernel)
        (lesson / "lesson.toml").write_text(LESSON)
        said = window.communicate(timeout=2 * TIMEOUT)[1]
        self.assertEqual(window.returncode, 0, said)

    def test_texts_are_in_the_language_of_the_option(self):
        """Those of the story, of the lesson, of a parameter, and of a fact, which the lab names."""
        lesson = write_lesson(self)
        translate(lesson)
        self.assert_plays(["wait idle; map story.json; click mode.bench; wait idle; expect status ok; map bench.json"], "squares",
                          "--lang", "fr", "--lessons", lesson)
        self.assertIn("calcule le carré", (self.folder / "story.json").read_text())
        self.assert_mentions((self.folder / "bench.json").read_text(), "Décalage", "Carrés", "le plus grand")

    def test_last_valid_version_runs_without_its_files(self):
        """Its first run, also of what it includes and of its data, a run in a new lab, and one when the folder is gone."""
        toml = LESSON.replace('value = "integers(n, 1000)"', 'file = "x.npy"').replace("elements = 1000", "elements = 300000")
        lesson = write_lesson(self, toml=toml)
        numpy.save(lesson / "x.npy", numpy.arange(300000, dtype="<u4"))
        (lesson / "square.comp").write_text('#include "power.glsl"\n' + KERNEL.format("power(x[i]) + offset"))
        (lesson / "power.glsl").write_text("uint power(uint x) { return x * x; }")
        window = self.start_script(
            ["wait idle; map ready.json; wait 2",
             "click course.card.squares; see lesson.errors ~lesson.toml:; wait idle; expect status ok; map broken.json; wait 2",
             "click mode.bench; set bench.offset 5; wait idle; expect status ok; map restarted.json; wait 2",
             "set bench.offset 6; wait idle; expect status ok; click stage.kernel; see kernel.text ~power.glsl"],
            "--lessons", lesson)
        wait_until((self.folder / "ready.json").exists, "the window is open")
        (lesson / "power.glsl").write_text("uint power(uint x) { return x; }")
        (lesson / "square.comp").write_text(KERNEL.format("missing"))
        (lesson / "x.npy").write_bytes(b"")
        wait_until((self.folder / "broken.json").exists, "the lesson ran")
        os.kill(wait_for_lab(window), signal.SIGKILL)
        wait_until((self.folder / "restarted.json").exists, "another lab ran it")
        shutil.rmtree(lesson)
        said = window.communicate(timeout=2 * TIMEOUT)[1]
        self.assertEqual(window.returncode, 0, said)

    def test_folder_that_disappears_leaves_the_lesson_open(self):
        lesson = write_lesson(self)
        window = self.start_script(
            ["wait idle; expect status ok; map ready.json",
             "see lesson.errors ~squares\" is gone. Put it back; map gone.json; click story.next; wait idle"],
            "squares", "--lessons", lesson)
        wait_until((self.folder / "ready.json").exists, "the lesson ran")
        shutil.rmtree(lesson)
        said = window.communicate(timeout=2 * TIMEOUT)[1]
        self.assertEqual(window.returncode, 0, said)
        self.assertIn("squares[i] = x[i] * x[i] + offset", "".join(one["text"] for one in self.read_json("gone.json")["texts"]))


class DroppedFolder(WindowCase):
    """Folders that are dropped on the window, and the setting Lesson folders."""

    screen = "1366x768"

    def settings(self):
        return self.read_json("config/gridstride/settings.json")

    def write_settings(self, *folders, **others):
        path = self.folder / "config/gridstride/settings.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"schema_version": 2, "lesson_folders": [{"path": str(folder)} for folder in folders],
                                    **others}))

    def test_dropped_lesson_is_loaded_after_a_question(self):
        """The lab, which started before, runs the lesson; the window loads it again when a file changes, and at the next start."""
        lesson = write_lesson(self)
        window = self.start_script(
            [f"wait idle; drop {lesson}; see load_lessons.lessons ~1 lesson: squares; see load_lessons.folder ~{lesson}",
             "click load_lessons.no; expect lesson reduction",
             f"drop {lesson / 'lesson.toml'}; see load_lessons.at_start off; click load_lessons.at_start; click load_lessons.yes",
             "expect lesson squares, page lesson, notice ~1 lesson; wait idle; expect status ok; map ready.json",
             "expect status mismatch; map wrong.json; expect status ok"], "reduction")
        wait_until((self.folder / "ready.json").exists, "the lesson ran")
        kernel = (lesson / "square.comp").read_text()
        (lesson / "square.comp").write_text(kernel.replace("offset", "offset + 1"))
        wait_until((self.folder / "wrong.json").exists, "the changed kernel ran")
        (lesson / "square.comp").write_text(kernel)
        said = window.communicate(timeout=2 * TIMEOUT)[1]
        self.assertEqual(window.returncode, 0, said)
        self.assertEqual(self.settings()["lesson_folders"], [{"path": str(lesson)}])
        self.assert_plays([
            "wait idle; expect lesson squares, status ok; click top.view; click view.lesson_folders",
            f"see folders.path.0 {lesson}; see folders.state.0 ~squares; click folders.remove.0; see folders.empty ~No folder",
            "click folders.close; expect lesson squares; wait idle"])
        self.assertEqual(self.settings()["lesson_folders"], [])
        self.assert_plays(["wait idle; expect page course"])

    def test_several_lessons_appear_in_the_course(self):
        write_lesson(self, "cubes")
        write_lesson(self, "squares")
        self.assert_plays([
            f"wait idle; drop {self.folder / 'lessons'}; see load_lessons.lessons ~2 lessons: cubes, squares",
            "click load_lessons.yes; expect page course; click course.card.cubes; expect lesson cubes; wait idle; expect status ok"],
            "reduction")
        self.assertEqual(self.settings()["lesson_folders"], [])

    def test_errors_keep_the_open_lesson_and_its_question(self):
        lesson, same = write_lesson(self), write_lesson(self, "reduction")
        (lesson / "lesson.toml").write_text(LESSON.replace("x * x + offset", "x * y"))
        gone, empty, file = write_lesson(self, "gone"), self.folder / "empty", self.folder / "notes.txt"
        empty.mkdir()
        file.write_text("A note.")
        window = self.start_script([
            f"wait idle; drop {lesson}; wait idle; click load_lessons.yes; see load_lessons.errors ~lesson.toml:29:",
            "expect lesson reduction; map wrong.json; wait 3; click load_lessons.yes; expect lesson squares; wait idle",
            f"drop {same}; wait idle; click load_lessons.yes; see load_lessons.errors ~There is a lesson reduction already",
            "key Escape; expect lesson squares",
            f"drop {gone}; wait idle; see load_lessons.lessons ~gone; map asked.json; wait 3",
            "click load_lessons.yes; see load_lessons.errors ~There is no folder; click load_lessons.no",
            f"drop {empty}; see load_lessons.errors ~has no lesson; click load_lessons.no",
            f"drop {file}; expect notice ~lesson's folder; expect lesson squares, status ok"], "reduction")
        wait_until((self.folder / "wrong.json").exists, "the mistake was shown")
        (lesson / "lesson.toml").write_text(LESSON)
        wait_until((self.folder / "asked.json").exists, "the folder was found")
        shutil.rmtree(gone)
        said = window.communicate(timeout=2 * TIMEOUT)[1]
        self.assertEqual(window.returncode, 0, said)

    def test_folder_is_added_by_its_path(self):
        lesson = write_lesson(self)
        self.assert_plays([
            "wait idle; click top.view; click view.lesson_folders; see folders.empty ~No folder",
            "set folders.path squares; click folders.add; see folders.problem ~whole path",
            f"set folders.path {lesson}/nowhere; click folders.add; see folders.problem ~There is no folder",
            "set folders.path ~/lessons; click folders.add; see load_lessons.at_start on; click load_lessons.yes",
            "see folders.state.0 ~1 lesson: squares; click folders.close; expect page course; click course.card.squares",
            "wait idle; expect lesson squares, status ok"])
        self.assertEqual(self.settings()["lesson_folders"], [{"path": str(lesson.parent)}])

    def test_folder_that_fails_does_not_prevent_the_start(self):
        lesson, broken = write_lesson(self), write_lesson(self, "broken")
        (broken / "lesson.toml").write_text("title")
        missing = self.folder / "missing"
        self.write_settings(broken, missing, lesson)
        self.assert_plays([
            "wait idle; expect page course; click course.lesson_folders; see folders.state.0 ~broken/lesson.toml:1:",
            f"see folders.path.1 {missing}; see folders.state.1 ~There is no folder; see folders.state.2 ~1 lesson: squares",
            "click folders.remove.1; click folders.close; click course.card.squares; wait idle; expect status ok"])
        self.assertEqual(self.settings()["lesson_folders"], [{"path": str(broken)}, {"path": str(lesson)}])

    def test_folder_on_a_dead_mount_does_not_block_the_window(self):
        """The window works meanwhile, the other folder too, and offers the last lesson once the mount responds."""
        library = os.environ.get("GRIDSTRIDE_DEAD_MOUNT_LIBRARY")
        if not library:
            self.skipTest("GRIDSTRIDE_DEAD_MOUNT_LIBRARY names no library to preload that simulates a dead mount")
        squares, cubes = write_lesson(self), self.folder / "cubes"
        shutil.copytree(squares, cubes)
        self.write_settings(squares, cubes, lesson="squares")
        self.environment.update(LD_PRELOAD=library, GRIDSTRIDE_DEAD_MOUNT=str(squares.parent))
        waits = "click top.view; click view.lesson_folders; see folders.state.0 ~Reading; see folders.state.1 ~1 lesson: cubes"
        window = self.start_script(
            [f"expect page course; {waits}; click folders.close; map waits.json",
             "click course.continue; expect lesson squares; wait idle; expect status ok; map loaded.json; wait 2"])
        wait_until((self.folder / "waits.json").exists, "the window is in use")
        (self.folder / "lessons.answers").touch()
        wait_until((self.folder / "loaded.json").exists, "the lesson ran")
        (self.folder / "lessons.answers").unlink()
        said = window.communicate(timeout=TIMEOUT)[1]
        self.assertEqual(window.returncode, 0, said)
        self.assert_plays([f"{waits}; click folders.close; wait 1"])


if __name__ == "__main__":
    unittest.main()
