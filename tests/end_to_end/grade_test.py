"""A class: what is handed in, how it is judged again, and what a hostile hand-in cannot do."""

import html
import json
import pathlib
import re
import signal
import stat
import unittest
import xml.etree.ElementTree
import zipfile

from program import Case, WindowCase, sanitized

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LESSONS = SOURCE / "lessons"
RIGHT = """
void main() {
    for (uint e = gl_GlobalInvocationID.x; e < launch.count; e += launch.workgroup_count * gl_WorkGroupSize.x) {
        uint best = numbers[place_of(e)];
        if (place_of(e) > 0) best = min(best, numbers[place_of(e) - 1]);
        if (place_of(e) + 1 < launch.total) best = min(best, numbers[place_of(e) + 1]);
        smallest[place_of(e)] = best;
    }
}
"""
# The same, with other names, comments and line breaks.
EMPTY = "void main() {}"
COPIED = "// mine\n" + RIGHT.replace("best", "lowest").replace("; e <", ";\n e <")
PROGRAM = (SOURCE / "shaders/playground/alike.playground").read_text()
ASSIGNMENT = """format = 1
title = "Week <3>"
closes = 2026-12-04T18:00:00+01:00
[[lesson]]
id = "race_condition"
exercises = { smallest = 5 }
"""
WITH_PROGRAM = ASSIGNMENT + """[[lesson]]
id = "playground"
steps = [1]
exercises = { alike = 4 }
"""


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


class ClassCase(Case):
    def setUp(self):
        super().setUp()
        self.write("assignment.toml", ASSIGNMENT)
        (self.folder / "class").mkdir()

    def hand_in(self, file, number="1", name="A. Example", **texts):
        """Writes a hand-in as a student could forge it."""
        lessons = {"smallest": "race_condition", "alike": "playground"}
        entries = [{"lesson": lessons[exercise], "exercise": exercise, "hash": fnv(text), "text": text} for exercise, text in texts.items()]
        value = {"kind": "gridstride hand-in", "schema_version": 1, "assignment": "Week <3>", "name": name, "number": number,
                 "texts": entries, "app_version": "0.1.0", "when": "2026-12-01T10:00:00.000Z", "device": "D", "predictions": [], "made": [],
                 "attempts": [{"device": "D", "lesson": "race_condition", "id": "smallest", "count": 3}]}
        self.write(f"class/{file}", json.dumps(value))
        return value

    def grade(self, *arguments, csv="grades.csv", code=0, **options):
        return self.run_program("grade", "class", "--assignment", "assignment.toml", "--csv", csv, *arguments, code=code, **options)

    def rows(self, csv="grades.csv", exercise="smallest"):
        return {row["file"]: row for row in self.read_rows(csv) if row["exercise"] in (exercise, "")}


class AssignmentWindow(ClassCase, WindowCase):
    def test_course_page_shows_the_remaining_tasks_and_hides_locked_solutions(self):
        step = (LESSONS / "race_condition/story.en.md").read_text().split("```make smallest")[0].count("\n## ")
        self.assert_plays(["expect page course; see assignment.left ~0 of 5; see assignment.left ~2026-12-04 18:00",
                           "see assignment.left.race_condition ~smallest ○; screenshot course.png",
                           "click assignment.lesson.race_condition; expect page lesson"], "--assignment", ".", "--size", "1366x768")
        self.write("assignment.toml", ASSIGNMENT.replace("[[", "solutions_locked = true\n[[", 1))
        for arguments, is_shown in (((), True), (("--assignment", "."), False)):
            self.assert_plays(["see make.requirement.0 ~○"], "race_condition", "--step", step, "--ui-map", "map.json", *arguments)
            widgets = (self.folder / "map.json").read_text()
            self.assertIn('"story.hint"', widgets)
            self.assertEqual('"make.solution"' in widgets, is_shown)

    def test_hand_in_shows_the_file_that_it_writes(self):
        """The text comes from an earlier window, and a name is typed before anything is written."""
        file = self.folder / "17.json"
        kernel = {"lesson": "race_condition", "variant": "smallest", "name": "k.comp", "folder": "", "text": COPIED, "path": "",
                  "saved_text": "", "last_good": None}
        self.assert_plays(["click assignment.hand_in; see hand_in.missing ~smallest", "screenshot missing.png"], "--assignment", ".")
        self.write("in.json", json.dumps({"kind": "gridstride progress", "schema_version": 3, "device": "D", "lesson": "", "seen": [],
                                          "left": [], "predictions": [], "made": [], "kernels": [kernel]}))
        self.run_program("progress", "--import", "in.json", code=0)
        self.assert_plays(["click assignment.hand_in; set hand_in.name Zoë; set hand_in.number 17; wait idle; map shown.json",
                           "screenshot typed.png; click hand_in.save; see hand_in.file.path ~17.gridstride-hand-in.json",
                           f"set hand_in.file.path {self.folder}/none/17.json; click hand_in.file.write; see hand_in.file.problem ~none",
                           f"set hand_in.file.path {file}; click hand_in.file.write; see hand_in.written ~17.json; screenshot written.png"],
                          "--assignment", ".", "--size", "1366x768")
        written = self.read_json("17.json")
        self.assertEqual((written["name"], written["number"], written["texts"][0]["text"]), ("Zoë", "17", COPIED))
        shown = {one["text"].strip() for one in self.read_json("shown.json")["texts"]}
        for line in (file.read_text().splitlines()[index].strip() for index in (1, 4, 5)):
            self.assertIn(line, shown)
        self.write("class/17.json", file.read_text())
        self.grade()
        self.assertEqual(self.rows()["17.json"]["status"], "done")

    def test_raised_hands_choose_the_answer(self):
        """In the projector's view: the choice with the most hands is decided by a run, and both are shown."""
        self.assert_plays(["wait idle; key Shift+F11; set present.hands.0 7; set present.hands.1 12; set present.hands.2 x3",
                           "click present.reveal; see present.counted.0 7; see present.counted.1 12; see present.counted.2 0"], "race_condition", "--step", "1")
        self.assertEqual([one["choice"] for one in self.read_json("config/gridstride/settings.json")["predictions"]], [1])

    def test_dropped_assignment_is_opened(self):
        """Lessons beside it are loaded only after a question; without any, it is shown at once."""
        file = self.folder / "assignment.toml"
        self.assert_plays([f"wait idle; drop {file}; expect page course; see assignment.left ~0 of 5; expect notice ~Week"], "reduction")
        self.run_program("lesson", "new", "own", code=0)
        self.write("assignment.toml", ASSIGNMENT.replace("race_condition", "own").replace("smallest = 5", "own_exercise = 1"))
        self.assert_plays([f"wait idle; drop {self.folder}; see load_lessons.lessons ~own; click load_lessons.yes; expect notice ~own_exercise",
                           "screenshot wrong.png"], "reduction")
        self.write("assignment.toml", ASSIGNMENT.replace("race_condition", "own").split("exercises")[0])
        self.assert_plays([f"wait idle; drop {self.folder}; see load_lessons.lessons ~own; screenshot question.png",
                           "click load_lessons.no; expect page lesson",
                           f"drop {self.folder}; wait idle; click load_lessons.yes; see assignment.lesson.own ~Own; expect page course"], "reduction")


class HandIn(ClassCase):
    def test_hand_in_contains_only_the_assignment_and_is_shown_first(self):
        self.write("mine.comp", RIGHT)
        kernel = {"lesson": "race_condition", "variant": "smallest", "name": "k.comp", "folder": "/home/secret", "text": COPIED,
                  "path": "/home/secret/k.comp", "saved_text": "", "last_good": None}
        other = {**kernel, "variant": "plain"}
        key = {"device": "D", "lesson": "race_condition"}
        question = re.search(r"^```predict\nid: (\w+)", (LESSONS / "race_condition/story.en.md").read_text(), re.M)[1]
        elsewhere = re.search(r"^```predict\nid: (\w+)", (LESSONS / "thread_index/story.en.md").read_text(), re.M)[1]
        self.write("in.json", json.dumps({
            "kind": "gridstride progress", "schema_version": 3, "device": "D", "lesson": "", "seen": [], "left": [],
            "predictions": [{**key, "id": question, "choice": 0}, {**key, "lesson": "thread_index", "id": elsewhere, "choice": 0}],
            "made": [{**key, "id": "smallest"}], "kernels": [kernel, other]}))
        self.run_program("progress", "--import", "in.json", code=0)
        arguments = ("hand-in", "--assignment", ".", "--name", "Zoë", "--number", "7", "--output", "class/a.json")
        shown = self.run_program(*arguments, code=0)
        self.assertEqual(shown.stdout, (self.folder / "class/a.json").read_text())
        self.assertNotIn("secret", shown.stdout, "no path of the student's machine")
        file = json.loads(shown.stdout)
        self.assertEqual([(one["exercise"], one["text"], one["hash"]) for one in file["texts"]], [("smallest", COPIED, fnv(COPIED))])
        self.assertEqual([one["id"] for one in file["predictions"]], [question])
        self.assertEqual((file["name"], file["number"], file["device"]), ("Zoë", "7", "D"))
        self.run_program(*arguments, "--kernel", "smallest=mine.comp", code=0)
        self.assertEqual(self.read_json("class/a.json")["texts"][0]["text"], RIGHT)
        refused = self.run_program(*arguments, "--kernel", "smalest=mine.comp", code=2)
        self.assert_mentions(refused.stderr, "smalest", "smallest")

    def test_answers_give_points_only_for_participation(self):
        for text, points in ((ASSIGNMENT, "0"), (ASSIGNMENT.replace("[[", 'answers = "participation"\nanswer_points = 6\n[[', 1), "2")):
            self.write("assignment.toml", text.replace("exercises", "steps = [1, 2, 3]\nexercises"))
            value = self.hand_in("a.json")
            self.grade(csv=f"{points}.csv")
            count = int(self.rows(f"{points}.csv", "answers")["a.json"]["question_count"])
            story = (LESSONS / "race_condition/story.en.md").read_text()
            questions = re.findall(r"^```predict\nid: (\w+)", story, re.M)[:count]
            third = questions[:count // 3]
            value["predictions"] = [{"lesson": "race_condition", "id": one, "guess": "x"} for one in [*third, "made_up"]]
            self.write("class/a.json", json.dumps(value))
            self.grade(csv=f"{points}.csv")
            row = self.rows(f"{points}.csv", "answers")["a.json"]
            self.assertEqual((row["answers_reported"], row["points"]), (str(len(third)), str(int(points) * 3 * len(third) // count)))


@sanitized
class Grade(ClassCase):
    def test_class_with_every_kind_of_hand_in_is_graded(self):
        """All kinds of hand-ins in one folder: each has its row, and the others are graded."""
        self.write("assignment.toml", WITH_PROGRAM)
        self.hand_in("a_right.json", "1", smallest=RIGHT, alike=PROGRAM)
        self.hand_in("b_copied.json", "2", "=cmd|' /C calc'!A0", smallest=COPIED)
        self.hand_in("c_wrong.json", "3", "Mal\tory\x1b[2J<script>", smallest=RIGHT.replace("min(best", "max(best"),
                     alike=PROGRAM + '\nsave cosine as "stolen.npy"\n')
        self.hand_in("d_empty.json", "4", smallest=EMPTY, alike='gridstride playground 1\nmodel a\ntensor p 4 fill file "../grades.csv"\nscore = p\n')
        self.hand_in("f_outside.json", "6", smallest="void main() { for (uint i = 0; i < 100; ++i) smallest[i * 1000000] = 1; }")
        self.hand_in("g_include.json", "7", smallest='#include "smallest.comp"\n')
        self.hand_in("h_file.json", "8", smallest=f'#include "{self.folder}/class/a_right.json"\nvoid main() {{}}')
        self.hand_in("i_nothing.json", "9", alike=PROGRAM + '\nmodel more\ntensor q 4 fill file "absent.npy"\nsum_of_q = q\n')
        self.hand_in("r_misspelt.json", "11", smallest="void main() {\n    smalest[0] = 1;\n}")
        forged = self.hand_in("j_forged.json", "10", smallest=RIGHT)
        forged["texts"][0]["text"] += " "
        self.write("class/j_forged.json", json.dumps(forged))
        self.write("class/k_cut.json", json.dumps(forged)[:200])
        self.write("class/l_foreign.json", '{"kind": "something"}')
        self.write("class/m_deep.json", "[" * 100_000)
        self.write("class/n_bytes.json", bytes(range(256)))
        with open(self.folder / "class/o_huge.json", "wb") as huge:
            huge.truncate(1 << 30)
        (self.folder / "class/p_link.json").symlink_to(self.folder / "class/a_right.json")
        (self.folder / "class/q_folder").mkdir()
        result = self.grade("--report", "pages")
        rows, programs = self.rows(), self.rows(exercise="alike")
        status = {file: (row["status"], row["points"]) for file, row in rows.items()}
        self.assertEqual(status["a_right.json"], ("done", "5"), rows["a_right.json"])
        self.assertEqual(status["b_copied.json"], ("done", "5"))
        self.assertEqual(rows["a_right.json"]["attempts_reported"], "3")
        self.assertEqual(rows["a_right.json"]["when_reported"], "2026-12-01T10:00:00.000Z")
        for file in ("c_wrong", "d_empty", "f_outside", "g_include", "h_file", "r_misspelt"):
            self.assertEqual(status[f"{file}.json"], ("failed", "0"), rows[f"{file}.json"])
        self.assertEqual(status["i_nothing.json"], ("missing", "0"))
        self.assertEqual({file: row["same_as"] for file, row in rows.items() if row["same_as"]},
                         {"a_right.json": "b_copied.json", "b_copied.json": "a_right.json"})
        for file in "jklmnopq":
            row = next(row for name, row in rows.items() if name.startswith(file))
            self.assertEqual((row["status"], row["points"], row["exercise"]), ("unreadable", "0", ""), row)
        self.assert_mentions(rows["o_huge.json"]["remark"], "4")
        self.assertIn("smallest", rows["j_forged.json"]["remark"])
        # What is found names the place and the size, and no seed.
        self.assertIn("says", rows["c_wrong.json"]["first_failure"])
        self.assertNotRegex(rows["c_wrong.json"]["first_failure"] + rows["f_outside.json"]["first_failure"], r"seed")
        self.assertIn("smallest.comp", rows["g_include.json"]["first_failure"])
        self.assert_mentions(rows["r_misspelt.json"]["first_failure"], "compile", "Line", 2, "smalest")
        # Programs neither save files nor read others than the assignment's data.
        self.assertEqual({file: row["status"] for file, row in programs.items() if row["exercise"] and row["status"] != "missing"},
                         {"a_right.json": "done", "c_wrong.json": "failed", "d_empty.json": "failed",
                          "i_nothing.json": "failed"})
        self.assertIn("absent.npy", programs["i_nothing.json"]["first_failure"])
        self.assertIn("stolen.npy", programs["c_wrong.json"]["first_failure"])
        self.assertIn("../grades.csv", programs["d_empty.json"]["first_failure"])
        self.assertEqual(list(self.folder.rglob("stolen.npy")), [])
        # Texts of students are neither formulas nor HTML nor terminal sequences.
        self.assertEqual(rows["b_copied.json"]["name"][:2], "'=")
        self.assertNotIn("\x1b", result.stdout + (self.folder / "grades.csv").read_text())
        page = (self.folder / "pages/0003.html").read_text()
        self.assertNotIn("<script>", page)
        self.assertIn("&lt;script&gt;", page)
        self.assertIn("default-src 'none'; img-src data:; style-src 'unsafe-inline'", page)
        self.assertNotIn(rows["a_right.json"]["seed"], page)
        # The requirements are those of the exercise's card, in words.
        self.assertRegex(page, "<li>✗ Equal to the CPU's result[^<]*: failed<br>[^<]*says".replace("'", "&#39;"))
        self.assertNotIn("matches:", page)
        # The place where the first case is wrong is drawn, and of the teacher's machine no folder is named.
        picture = html.unescape(re.search(r'src="data:image/svg\+xml,([^"]*)"', page)[1])
        first, last = map(int, re.search(r"elements (\d+) to (\d+) of smallest", picture).groups())
        self.assertIn("crimson", picture)
        self.assertIn(int(re.search(r"smallest\[(\d+)\]", rows["c_wrong.json"]["first_failure"])[1]), range(first, last + 1))
        xml.etree.ElementTree.fromstring(picture)
        self.assertNotIn("data:image", (self.folder / "pages/0001.html").read_text())
        for row in self.read_rows("grades.csv"):
            self.assertNotIn(str(self.folder), str(row))
        for page in (self.folder / "pages").iterdir():
            own_words = re.sub("<pre>.*?</pre>", "", page.read_text(), flags=re.S)  # without the student's text
            self.assertNotIn(str(self.folder), own_words)
        self.assertEqual(len(list((self.folder / "pages").iterdir())), 9, "a page for each hand-in that can be read")

    def test_endless_loop_ends_at_the_deadline(self):
        self.hand_in("a_looping.json", "1", smallest=RIGHT.replace("    for (", "    while (numbers[0] < 4000000000u) {}\n    for (", 1))
        self.hand_in("b_nothing.json", "2")
        self.grade("--deadline", 2)
        rows = self.rows()
        self.assertEqual({file: row["points"] for file, row in rows.items()}, {"a_looping.json": "0", "b_nothing.json": "0"})
        self.assertIn(rows["a_looping.json"]["status"], ("timed_out", "failed"), "a software driver ends loops by itself")


class Zip(ClassCase):
    def pack(self, *entries):
        """Writes class.zip of names, or ZipInfos, and contents."""
        with zipfile.ZipFile(self.folder / "class.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in entries:
                archive.writestr(name, content)

    def grade_zip(self, csv, code=0):
        return self.run_program("grade", "class.zip", "--assignment", ".", "--seed", 7, "--csv", csv, code=code)

    def test_each_archive_entry_is_one_row_and_nothing_is_extracted(self):
        text = json.dumps(self.hand_in("a.json", "1", smallest=RIGHT))
        link = zipfile.ZipInfo("link.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        before = set(self.folder.rglob("*"))
        self.pack(("1_Zoë/17.json", text), ("empty.json", self.hand_in_text("2")), ("../up.json", text), ("/abs.json", text),
                  ("a/../../b.json", text), (link, "class/a.json"), ("bomb.json", b" " * (64 << 20)), ("cut.json", text[:100]),
                  (".hidden.json", text), ("folder/", ""))
        self.grade_zip("grades.csv")
        rows = self.rows()
        self.assertEqual({name: row["status"] for name, row in rows.items()},
                         {"1_Zoë/17.json": "done", "empty.json": "failed", "../up.json": "unreadable", "/abs.json": "unreadable",
                          "a/../../b.json": "unreadable", "link.json": "unreadable", "bomb.json": "unreadable", "cut.json": "unreadable"})
        self.assert_mentions(rows["bomb.json"]["remark"], "4")
        self.assertEqual(set(self.folder.rglob("*")) - before - {self.folder / "class.zip", self.folder / "grades.csv"}, set())

    def hand_in_text(self, number):
        text = json.dumps(self.hand_in("other.json", number, smallest=EMPTY))
        (self.folder / "class/other.json").unlink()
        return text

    def test_invalid_and_too_large_archives_are_refused(self):
        self.write("class.zip", "text")
        self.assertIn("class.zip", self.grade_zip("a.csv", code=5).stderr)
        self.pack(*((f"{number}.json", "") for number in range(10_001)))
        self.assert_mentions(self.grade_zip("b.csv", code=5).stderr, "class.zip", "files")


class Pack(ClassCase, WindowCase):
    """A teacher's folder, and what students get of it."""

    def setUp(self):
        super().setUp()
        (self.folder / "teacher").mkdir()
        self.run_program("lesson", "new", "teacher/own", code=0)
        self.own = self.folder / "teacher/own"
        lesson = (self.own / "lesson.toml").read_text()
        self.solution = (self.own / "add_one.comp").read_text()
        self.write("teacher/own/lesson.toml", lesson.replace('expect.products = "numbers * factor + 1"', 'expect = "withheld"'))
        self.write("teacher/own/withheld.toml", '[add_one]\nproducts = { kernel = "secret.comp" }\n')
        self.write("teacher/own/secret.comp", '#include "secret.glsl"\n')
        self.write("teacher/own/secret.glsl", """void main() {
    for (uint e = gl_GlobalInvocationID.x; e < launch.count; e += launch.workgroup_count * gl_WorkGroupSize.x) {
        products[e] = 1;
        for (uint i = 0; i < factor; ++i) products[e] += numbers[e];
    }
}
""")
        self.write("teacher/own/notes.md", "The answer is + 1.")
        self.write("teacher/own/data.npy", "")
        self.write("teacher/assignment.toml", ASSIGNMENT.replace("race_condition", "own").replace("smallest", "add_one"))

    def pack(self, *arguments, code=0):
        return self.run_program("lesson", "pack", "teacher", "--for", "students", *arguments, code=code)

    def test_student_folder_has_no_solutions_or_withheld_references(self):
        self.run_program("lesson", "check", "teacher", code=0)
        self.pack("--output", "students.zip")
        self.pack()
        names = {"assignment.toml", "own/lesson.toml", "own/story.en.md", "own/per_element.comp", "own/add_one_start.comp"}
        with zipfile.ZipFile(self.folder / "students.zip") as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(set(archive.namelist()), names)
            archive.extractall(self.folder / "unpacked")
        packed = self.folder / "teacher_students"
        self.assertEqual({str(path.relative_to(packed)) for path in packed.rglob("*.*")}, names)
        for name in names:
            self.assertEqual((packed / name).read_bytes(), (self.folder / "unpacked" / name).read_bytes())
        self.run_program("lesson", "check", packed, code=0)
        self.assertIn("teacher_students", self.pack(code=5).stderr)
        self.assertIn("packed", self.run_program("lesson", "pack", packed, "--for", "students", "--output", "again", code=2).stderr)

    def test_lesson_toml_of_students_does_not_contain_the_answer(self):
        lesson = (self.own / "lesson.toml").read_text()
        lesson += '\n[define]\nanswer = "scaled + 1"  # the answer\nscaled = "numbers * factor"\nshown = "factor"\n'
        own_definition = 'expect = "withheld"\ndefine.scaled = "factor * numbers"'
        self.write("teacher/own/lesson.toml",
                   lesson.replace('label = "Largest product"', 'label = "Largest # \\" # shown"').replace('expect = "withheld"', own_definition))
        self.write("teacher/own/withheld.toml", '[add_one]\nproducts = "answer"\n')
        (self.folder / "teacher/data/numbers").mkdir(parents=True)
        self.write("teacher/data/numbers/a.npy", b"\x93NUMPY")
        self.run_program("lesson", "check", "teacher", code=0)
        self.pack()
        packed = (self.folder / "teacher_students/own/lesson.toml").read_text()
        self.assertNotRegex(packed, "answer|scaled|A lesson is this file|its kernel is")
        self.assertIn('label = "Largest # \\" # shown"', packed)
        self.assertIn('shown = "factor"', packed)
        self.assertEqual((self.folder / "teacher_students/data/numbers/a.npy").read_bytes(), (self.folder / "teacher/data/numbers/a.npy").read_bytes())
        self.write("teacher/own/lesson.toml", lesson.replace('answer = "scaled + 1"', "").replace("[define]", '[define]\n"answer" = "numbers + 1"'))
        self.assert_mentions(self.pack("--output", "again", code=2).stderr, "answer", "line")

    def test_withheld_references_are_judged_only_in_the_teachers_folder(self):
        self.pack("--output", "students")
        self.write("mine.comp", self.solution + "// mine\n")
        make = ("make", "own", "--step", "add_one", "--kernel", "mine.comp", "--json", "--lessons")
        found = json.loads(self.run_program(*make, "students", code=1).stdout)["requirements"][0]
        self.assertEqual(found["status"], "undecided")
        self.assertIn("not judged here", found["found"])
        for text, status, points in ((self.solution, "done", "5"), (self.solution.replace("+ 1", "+ 2"), "failed", "0")):
            value = self.hand_in("a.json")
            value["texts"] = [{"lesson": "own", "exercise": "add_one", "hash": fnv(text), "text": text}]
            self.write("class/a.json", json.dumps(value))
            self.run_program("grade", "class", "--assignment", "teacher", "--csv", f"{status}.csv", code=0)
            row = self.rows(f"{status}.csv", "add_one")["a.json"]
            self.assertEqual((row["status"], row["points"]), (status, points), row)
        self.run_program("grade", "class", "--assignment", "students", "--csv", "students.csv", code=0)
        row = self.rows("students.csv", "add_one")["a.json"]
        self.assertEqual((row["status"], row["points"]), ("undecided", ""))
        self.assert_plays([f"wait idle; drop {self.folder / 'mine.comp'}; wait idle; click make.check; see result.verdict ~not judged here",
                           "see make.requirement.0 ~not judged here; map map.json; screenshot withheld.png"],
                          "own", "--lessons", "students", "--step", "add_one", "--size", "1366x768")
        self.assert_plays(["see assignment.left.own ~add_one ○ 5 points, 1 check"], "--assignment", "students")
        self.assertNotIn("make.solution", (self.folder / "map.json").read_text())

    def test_packing_a_needed_solution_is_refused(self):
        lesson = (self.own / "lesson.toml").read_text()
        self.write("teacher/own/lesson.toml", lesson.replace('expect = "withheld"', 'expect = "withheld"\nsolution = "per_element.comp"'))
        self.assert_mentions(self.pack("--output", "students", code=2).stderr, "per_element.comp", "own")
        self.write("teacher/own/lesson.toml", lesson)
        self.write("teacher/own/withheld.toml", '[add_two]\nproducts = "numbers"\n')
        wrong = self.run_program("lesson", "check", "teacher", code=1).stdout
        self.assert_mentions(wrong, "lesson.toml", "withheld.toml", "add_one", "add_two")
        self.assertFalse((self.folder / "students").exists())

    def test_lesson_check_reports_errors_of_the_assignment(self):
        self.write("teacher/assignment.toml", ASSIGNMENT.replace("race_condition", "own").replace("smallest", "largest"))
        self.assert_mentions(self.run_program("lesson", "check", "teacher", code=1).stdout, "assignment.toml:6", "largest", "add_one")


class TimedRequirements(ClassCase):
    def test_times_count_only_on_the_named_kind_of_device(self):
        self.run_program("lesson", "new", "own", code=0)
        story = (self.folder / "own/story.en.md").read_text()
        slow = "kernel_ns / kernel_ns(variant = per_element) > 1000"
        self.write("own/story.en.md", story.replace("require: matches", f"require: matches\nrequire: {slow} | Slow"))
        text = (self.folder / "own/add_one.comp").read_text() + "// mine\n"
        value = self.hand_in("a.json")
        value["texts"] = [{"lesson": "own", "exercise": "add_one", "hash": fnv(text), "text": text}]
        self.write("class/a.json", json.dumps(value))
        here = "cpu" if self.run_json("run", "own", "--lessons", "own", "--samples", 1)["device"]["is_cpu"] else "gpu"
        for kind in ("none", "cpu", "gpu"):
            assignment = ASSIGNMENT.replace("race_condition", "own").replace("smallest", "add_one")
            self.write("assignment.toml", assignment.replace("[[", f'timed_on = "{kind}"\n[[', 1))
            self.grade(csv=f"{kind}.csv")
            row = self.rows(f"{kind}.csv", "add_one")["a.json"]
            self.assertEqual((row["status"], row["points"]), ("failed", "0") if kind == here else ("done", "5"), row)
            self.assertIn(slow, row["first_failure" if kind == here else "undecided"])


class Runs(ClassCase):
    def setUp(self):
        super().setUp()
        for number in range(4):
            self.hand_in(f"{number}.json", str(number), smallest=EMPTY)

    def test_all_shards_together_are_one_run(self):
        self.hand_in("2.json", "2", smallest=RIGHT.replace("min(best", "max(best"))
        refused = self.grade("--shard", "1/2", code=2)
        self.assertIn("--seed", refused.stderr)
        self.grade("--seed", 7)
        for part in (1, 2):
            self.grade("--seed", 7, "--shard", f"{part}/2", csv=f"{part}.csv")
        parts = self.read_rows("1.csv") + self.read_rows("2.csv")
        self.assertEqual(sorted(map(str, parts)), sorted(map(str, self.read_rows("grades.csv"))))
        self.assertIn("0/2", self.grade("--shard", "0/2", code=2).stderr)

    def test_sweep_and_check_take_shards(self):
        def sweep(*arguments):
            self.run_program("sweep", "grid_stride", "--workgroup-size", "32,64,96", "--elements", 1000, "--samples", 1, "--csv", "s.csv",
                             *arguments, code=0)
            return {row["workgroup_size"] for row in self.read_rows("s.csv")}

        def rows_of(*arguments):
            self.run_program("sweep", "grid_stride", "--workgroup-size", "32,64,96", "--elements", 1000, "--samples", 10, "--csv", "s.csv",
                             *arguments, code=0)
            return [(row["workgroup_size"], row["sample"]) for row in self.read_rows("s.csv")]

        parts = rows_of("--shard", "1/2") + rows_of("--shard", "2/2")
        self.assertEqual(sorted(parts), sorted(rows_of("--shard", "1/1")))
        self.assertGreater(len(rows_of()), len(parts), "it measures its best cells again")
        self.assertEqual((sweep("--shard", "1/2"), sweep("--shard", "2/2")), ({"32", "96"}, {"64"}))
        self.assertIn("3", self.run_program("sweep", "grid_stride", "--workgroup-size", "32,64,96", "--shard", "4/4", code=2).stderr)
        # The longest list is divided.
        self.assertEqual([sweep("--workgroup-count", "1,2,3,4", "--shard", f"{part}/4") for part in (1, 4)], [{"32", "64", "96"}] * 2)
        self.run_program("lesson", "new", "own", code=0)

        parts = [self.run_program("check", "own", "--lessons", "own", "--shard", f"{part}/2", code=0).stdout for part in (1, 2)]
        self.assertEqual([re.findall(r"^own +(\w+)", part, re.M) for part in parts], [["add_one"], ["per_element"]])

    def test_interrupted_run_is_resumed(self):
        self.grade("--seed", 7, csv="whole.csv")
        process = self.start("grade", "class", "--assignment", "assignment.toml", "--csv", "grades.csv", "--seed", 7)
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 4)
        graded = self.rows()
        self.assertIn("0.json", graded)
        self.assertLess(len(graded), 4)
        # A row that is there is kept, as long as its file is the same.
        text = (self.folder / "grades.csv").read_text()
        self.write("grades.csv", text.replace("was never written", "was kept", 1))
        self.grade()
        rows = self.rows()
        self.assertIn("kept", rows["0.json"]["first_failure"])
        self.assertEqual([list(row.values())[:11] for row in self.read_rows("grades.csv")],
                         [list(row.values())[:11] for row in self.read_rows("whole.csv")])
        self.hand_in("0.json", "0")
        self.grade()
        self.assertEqual(self.rows()["0.json"]["status"], "missing")
        self.assert_mentions(self.grade("--seed", 8, code=2).stderr, "seed")
        self.write("assignment.toml", ASSIGNMENT.replace("= 5", "= 6"))
        self.assertIn("grades.csv", self.grade(code=2).stderr)

    def test_resumed_run_completes_the_pages(self):
        """A page has more than the CSV, and its number belongs to another file when files are added or removed."""
        self.hand_in("0.json", "0", "Student 0", smallest=RIGHT.replace("min(best", "max(best"))
        self.grade("--seed", 7)
        self.grade("--report", "pages")
        pages = self.folder / "pages"
        whole = (pages / "0001.html").read_text()
        self.assert_mentions(whole, "Student", "failed")
        self.assertIn("data:image", whole)
        (pages / "0001.html").unlink()
        before = (pages / "0002.html").stat().st_mtime_ns
        self.grade("--report", "pages")
        self.assertEqual((pages / "0001.html").read_text(), whole)
        self.assertEqual((pages / "0002.html").stat().st_mtime_ns, before, "it is not judged again")
        # Points that the teacher typed stay, also if the page is written again.
        text = (self.folder / "grades.csv").read_text()
        self.write("grades.csv", re.sub(r"(,0\.json,.*,failed),0,", r"\1,3,", text, count=1))
        (pages / "0001.html").unlink()
        self.grade("--report", "pages")
        self.assertEqual(self.rows()["0.json"]["points"], "3")
        self.assertIn("3 of 5 points", (pages / "0001.html").read_text())
        self.grade("--report", "pages", "--seed", 8, "--shard", "1/4", csv="again.csv")
        self.assertIn("0 of 5 points", (pages / "0001.html").read_text(), "judged again: its page is new")
        (self.folder / "class/0.json").unlink()
        self.write("class/3.json", "cut")
        self.write("pages/0005.html", "mine")
        self.grade("--report", "pages")
        self.assertNotIn("Student 0", (pages / "0001.html").read_text())
        self.assertIn("· 1<", (pages / "0001.html").read_text())
        self.assertEqual({page.name for page in pages.iterdir()}, {"0001.html", "0002.html", "0005.html"},
                         "no page of another student, and no file of the teacher's is removed")

    def test_the_last_file_of_a_list_counts(self):
        self.hand_in("1.json", "0")
        self.assertEqual(set(self.rows_of("")), {"0.json", "1.json", "2.json", "3.json"})
        self.assertIn("number", self.rows("all.csv")["0.json"]["remark"])
        self.assertEqual(set(self.rows_of('received = ["1.json", "0.json"]\n')), {"0.json", "2.json", "3.json"})

    def rows_of(self, received):
        self.write("assignment.toml", ASSIGNMENT.replace("[[", received + "[[", 1))
        csv = "listed.csv" if received else "all.csv"
        self.grade(csv=csv)
        return self.rows(csv)

    def test_json_has_a_key_for_each_column(self):
        self.hand_in("0.json", "0", smallest=RIGHT)
        report = self.run_json("grade", "class", "--assignment", ".", "--csv", "grades.csv", "--seed", 7)
        self.assertEqual(list(report["rows"][0]), list(self.read_rows("grades.csv")[0]))
        page = (SOURCE / "assets/manual/assignments.md").read_text()
        table = re.search(r"\| Column of grades.*?\n\n", page, re.S)[0].splitlines()[2:]
        self.assertEqual([name for line in table if line for name in re.findall(r"`(\w+)`", line.split("|")[1])],
                         list(report["rows"][0]))
        self.assertEqual((report["seed"], report["rows"][0]["points"]), (7, 5))


if __name__ == "__main__":
    unittest.main()
