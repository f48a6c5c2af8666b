"""A student goes through each lesson to its last page, by keyboard alone and by mouse alone, with right and wrong answers."""

import json
import pathlib
import re
import shutil
import unittest

from program import FULL, PATIENCE, WindowCase

LESSONS = pathlib.Path(__file__).resolve().parents[2] / "lessons"

# A right and a wrong answer, of the questions that arithmetic decides. The others are decided by times, by chance or by the
# device: of these nothing is known but that they are decided.
KNOWN = {
    ("reduction", "One number out of many"): ("79", "78"),  # 10 000 / 128, rounded up
    ("thread_index", "One text, many workers"): ("4096", "128"),
    ("thread_index", "Who am I"): ("389", "517"),  # 3 x 128 + 5; four workgroups stand before workgroup 4
    ("thread_index", "Half a launch"): (1, 0),
    ("thread_index", "Where they are missing"): (0, 1),
    ("thread_index", "Too many"): (2, 0),
    ("thread_index", "The guard"): ("24", "104"),  # 1 024 - 1 000
    ("thread_index", "What the guard does not do"): ("488", "0"),  # 1 000 - 512
    ("thread_index", "Rows and columns"): ("247", "235"),  # 19 x 13
    ("thread_index", "At the edges"): ("3232", "3200"),  # 304 x 208 - 300 x 200
    ("thread_index", "x and y mixed up"): (2, 0),  # 92 columns of 300
    ("thread_index", "Reading without waiting"): (2, 0),
    ("race_condition", "One addition for each workgroup"): ("64", "4096"),
    ("race_condition", "A neighbour's number"): (2, 0),
    ("race_condition", "Right by luck"): (1, 0),
    ("monte_carlo_pi", "Hits and misses"): ("3142", "2000"),  # 4 000 pi / 4, within 4 standard deviations
    ("monte_carlo_pi", "Numbers without a memory"): (0, 1),
    ("monte_carlo_pi", "From a word to a number"): (2, 1),  # of 67 million points some touch the circle
    ("monte_carlo_pi", "Nothing comes, little goes"): ("80", "4"),  # 20 counts
    ("monte_carlo_pi", "One estimate and its interval"): ("68", "100"),
    ("monte_carlo_pi", "A hundred times as many"): (1, 0),
    ("monte_carlo_pi", "A billion points"): (1, 0),
    ("monte_carlo_pi", "A bad generator"): (1, 0),
    ("grid_stride", "The busiest invocation"): ("123", "122"),  # 1 000 003 / 8 192, rounded up
    ("grid_stride", "The next element"): ("4800", "96"),  # 50 x 96
    ("grid_stride", "The last round"): ("579", "7613"),  # 1 000 003 - 122 x 8 192
    ("grid_stride", "Every grid is right"): (0, 2),
    ("grid_stride", "Sectors"): ("8", "1"),  # eight f32 to a sector
    ("grid_stride", "Too large to be squared"): (2, 0),  # of numbers up to 1e30, none in 10^10 is below 1.8e19
    ("transfers", "Bytes that cross"): ("12000036", "4000012"),  # three arrays of 1 000 003 f32
    ("transfers", "Which trips are in vain"): ("12000036", "8000024"),  # three trips
    ("coalescing", "A row for each invocation"): (1, 2),
    ("coalescing", "A row for each workgroup"): ("8", "32"),  # 32 bytes / 4
    ("coalescing", "Every so many"): (1, 2),
    ("coalescing", "Start at byte 4"): (1, 2),
    ("coalescing", "Sixteen bytes a lane"): (2, 1),
    ("gaussian", "A million small questions"): (1, 0),  # 0.9973, the area from -3 to 3
    ("gaussian", "One invocation, one element"): ("5", "25"),  # 1 / 0.2
    ("hidden_layer", "One layer, three steps"): ("0.24", "0.5"),  # tanh takes a little off a half of a half
    ("matmul", "One number of the product"): ("128", "64"),  # a row and a column of 64
    ("matmul", "Fetch it once for all"): ("8", "16"),  # 128 / 16
    ("matmul", "Several results for each"): ("2", "8"),  # 64 / 32
    ("matmul", "What comes next is on its way"): ("5", "8"),  # 64 / 16, and one before
    ("tensor_graph", "One after another"): ("7", "6"),
    ("tensor_graph", "One submission"): (0, 2),
    ("tensor_graph", "Lifetimes"): ("3", "65"),  # the input, and two places
    ("tensor_graph", "In place"): (1, 2),
    ("tensor_graph", "Fused"): (1, 0),
    ("tensor_graph", "Broadcasting"): ("4", "5"),  # a, b, c and y
    ("tensor_graph", "Two who read"): (2, 0),
    ("softmax", "Shares of one"): ("0.001", "0.37"),  # a thousand nearly equal numbers
    ("softmax", "A hundred more"): (1, 2),
    ("softmax", "As the definition is written"): (2, 0),  # exp(100) is no f32
    ("softmax", "Three passes"): (2, 1),
    ("softmax", "Where fusion ends"): ("1.75", "2"),  # a quarter is kept
    ("quantise_int8", "256 places"): ("0.5", "1"),
    ("quantise_int8", "What is saved"): ("1052672", "1048576"),  # 1024 x 1024, and four bytes for each of 1024 rows
    ("quantise_int8", "Where 0 stands"): (2, 0),
    ("quantise_int8", "One large weight"): (0, 2),  # 100 / 127 is four fifths of a deviation
    ("quantise_int8", "A step for each row"): (0, 2),
    ("quantise_int8", "A thousand small errors"): (0, 1),
    ("playground", "A text that runs"): (0, 2),
    ("playground", "What is right?"): (0, 1),
    ("playground", "One line on the CPU"): ("1049600", "787456"),  # 4 matrices of 256 x 256, and a row
    ("playground", "What sharing saves"): (2, 0),
    ("zero_suppression", "Who owns which bytes?"): ("400000", "200000"),  # 2 bytes in and 2 out, 100 000 times
    ("zero_suppression", "Zeros take room too"): (0, 3),  # 6 bytes in place of 2, for more than a third of them
}


class Question:
    """A `predict` fence; `block` is its place in its step."""

    def __init__(self, lesson, step, title, block, text):
        self.step, self.block = step, block
        fields = re.findall(r"^(\w+):", text, re.MULTILINE)
        self.kind = next(kind for kind in ("choice", "guess", "item", "mark") if kind in fields)
        self.parts = fields.count(self.kind)
        usual = {"choice": (0, self.parts - 1), "guess": ("40000", "7"), "item": (0, 1), "mark": (0.7, 0.2)}
        self.on_last_page = f"last.question.{step}.{block}"
        self.known = (lesson, title) in KNOWN
        self.answers = KNOWN.get((lesson, title), usual[self.kind])

    def __eq__(self, other):
        return (self.step, self.block) == (other.step, other.block)

    def widget(self, part=None):
        name = {"choice": "predict", "guess": "guess", "item": "order", "mark": "mark"}[self.kind]
        return f"story.{name}.{self.block}" + ("" if part is None else f".{part}")


def without_spaces(words):
    """Lines are parted anywhere."""
    return re.sub(r"\s", "", words)


def steps_of(lesson):
    """The questions of each step. Its blocks are parted by empty lines outside of fences."""
    text = (LESSONS / lesson / "story.en.md").read_text()
    steps = []
    for number, step in enumerate(re.split(r"^## ", text, flags=re.MULTILINE)[1:]):
        title, _, body = step.partition("\n")
        blocks = re.findall(r"^```.*?^```|^\S.*?(?=\n\n|\n*\Z)", body, re.MULTILINE | re.DOTALL)
        steps.append([Question(lesson, number + 1, title, block, fence) for block, fence in enumerate(blocks)
                      if fence.startswith("```predict")])
    return steps


def by_mouse(question, answer):
    if question.kind == "choice":
        given = [{"click": question.widget(answer)}]
    elif question.kind == "guess":
        names = {".": "point"}
        given = [{"click": question.widget(names.get(key, key))} for key in answer]
    elif question.kind == "item":
        given = [{"click": question.widget(0) + ".down"}, {"click": question.widget(0) + ".up"}][: 2 - answer]
    else:
        given = [{"drag": question.widget(part), "from": 0.5, "to": answer} for part in range(question.parts)]
    return [*given, {"click": "story.decide"}]


def by_keyboard(question, answer):
    if question.kind == "choice":
        given = [{"key": "Tab"}] * (answer + 1) + [{"key": "Space"}]
    elif question.kind == "guess":
        given = [{"key": "Tab"}, {"type": answer}]
    elif question.kind == "item":
        given = [{"key": "Tab"}, {"key": "Ctrl+Down"}, {"key": "Ctrl+Up"}][: 3 - answer]
    else:
        given = [{"key": "Tab"}, {"key": "Right" if answer > 0.5 else "Left"}] * question.parts
    return [*given, {"key": "F5"}]


def to_next(answered, question, is_open):
    """Goes on from a question, or passes over it while it is open. Tab comes first to what takes its answer, then to Back,
    which the first step has not, then to Next."""
    if answered is by_mouse:
        return [{"click": "story.next"}]
    stops = {"guess": 1, "item": 3 * question.parts - 1}.get(question.kind, question.parts) if is_open else 0
    return [{"key": "Tab"}] * (stops + (1 if question.step == 1 else 2)) + [{"key": "Space"}]


def few_of(asked, answered):
    """The first question of every second kind, the other kinds by the other way: all of them are minutes of runs."""
    kinds = {}
    for question in asked:
        kinds.setdefault(question.kind, question)
    return list(kinds.values())[answered is by_mouse :: 2]


class Student(WindowCase):
    screen = "1366x768"

    def walk(self, lesson, answered, theme, right, passes_over):
        """Goes through the lesson. Gives its questions, each with what its last page says of it."""
        steps = steps_of(lesson)
        asked = [question for questions in steps for question in questions]
        script = [{"patience": PATIENCE}, {"samples": 1}, {"wait": "idle"}]
        decided = 0
        for step, questions in enumerate(steps, 1):
            script.append({"expect": {"step": step, "asks_first": bool(questions), "at_end": False}})
            for question in questions:
                is_last = question is questions[-1]
                if question in passes_over:
                    script += to_next(answered, question, True)
                    continue
                decided += 1
                script += answered(question, question.answers[0 if right else 1])
                script += [{"wait": "idle"}, {"expect": {"predictions_decided": decided, "asks_first": not is_last}}]
                if not is_last:
                    script += to_next(answered, question, False)
            if not questions or questions[-1] not in passes_over:
                script.append({"click": "story.next"} if answered is by_mouse else {"key": "PageDown"})
        script += [{"wait": "idle"}, {"expect": {"at_end": True, "step": len(steps)}}]
        # The student is there. What follows looks at what is written there, from top to bottom.
        for question in asked:
            script += [{"map": f"{len(script)}.json"}, {"wheel": question.on_last_page, "by": -2}]
        script.append({"map": "end.json"})
        self.assert_plays(script, lesson, "--size", self.screen, "--theme", theme)

        shown = [json.loads((self.folder / step["map"]).read_text()) for step in script if "map" in step]
        values = {widget["id"]: widget["value"] for one in shown for widget in one["widgets"]}
        drawn = [without_spaces("".join(text["text"] for text in one["texts"])) for one in shown]
        said = [values[question.on_last_page] for question in asked]
        for words in said:
            self.assertTrue(any(without_spaces(words[1:]) in one for one in drawn), words)
        counts = {mark: sum(words[0] == mark for words in said) for mark in "✓✗○–"}
        named = (("✗", "not"), ("○", "undecided"), ("–", "passed over"))
        parts = [f"{counts['✓']} as you said", *(f"{counts[mark]} {what}" for mark, what in named if counts[mark])]
        self.assertEqual(values["last.counts"], f"{len(said)} questions: {', '.join(parts)}.")
        return list(zip(asked, said))

    def check(self, lesson, answered, theme, right):
        for folder in ("config", "state"):
            shutil.rmtree(self.folder / folder, ignore_errors=True)
        asked = [question for questions in steps_of(lesson) for question in questions]
        passes_over = [] if FULL else [question for question in asked if question not in few_of(asked, answered)]
        came_out = self.walk(lesson, answered, theme, right, passes_over)
        for question, words in came_out:
            if question in passes_over:
                self.assertEqual(words, "– Passed over.")
            elif question.known:
                self.assertRegex(words, "^✓ As you said: ." if right else "^✗ You said: .* It came out: .")
            else:
                self.assertRegex(words, "^(✓ As you said: |✗ You said: .* It came out: |○ Too close to call here. You said: ).")
        # What is kept says the same, and that every step was seen.
        kept = json.loads((self.folder / "config/gridstride/settings.json").read_text())
        marks = {"right": "✓", "wrong": "✗", "undecided": "○"}
        outcomes = [marks[one["outcome"]["result"]] if "outcome" in one else "–" for one in kept["predictions"]]
        self.assertEqual(sorted(outcomes), sorted(words[0] for _, words in came_out))
        self.assertEqual(len(kept["seen"]), len(steps_of(lesson)))

    def test_each_lesson_can_be_gone_through_by_keyboard_alone_and_by_mouse_alone(self):
        lessons = sorted(path.parent.name for path in LESSONS.glob("*/story.en.md"))
        for number, lesson in enumerate(lessons):
            for answered in (by_keyboard, by_mouse):
                settings = [(theme, right) for right in (True, False) for theme in ("dark", "light")]
                first = (number + (answered is by_mouse) * 3) % 4
                for theme, right in settings if FULL else settings[first : first + 1]:
                    with self.subTest(lesson=lesson, theme=theme, right=right, by=answered.__name__):
                        self.check(lesson, answered, theme, right)


if __name__ == "__main__":
    unittest.main()
