"""The program in French: its catalogue fits the sources, and a whole lesson shows nothing in English."""

import json
import pathlib
import re
import subprocess
import unittest

from program import Case, WindowCase

ROOT = pathlib.Path(__file__).parents[2]
CATALOGUE = ROOT / "po/fr.po"
KEYWORDS = ("tr", "tr_later", "counted:2,3", "tr_plural:1,2")
TEXT = r"(?:\"(?:\\.|[^\"\\])*\"\s*)+"


def join_text(text):
    return "".join(re.findall(r'"((?:\\.|[^"\\])*)"', text))


def read_messages(po):
    """Returns [[msgid, msgid_plural, …], [msgstr, …]] of each message."""
    messages = []
    for block in po.split("\n\n"):
        # Lines of other kinds are comments.
        block = "\n".join(line for line in block.split("\n") if not line.startswith("#"))
        ids = [join_text(text) for text in re.findall(rf"^msgid(?:_plural)? ({TEXT})", block, re.MULTILINE)]
        if ids and ids[0]:
            messages.append([ids, [join_text(text) for text in re.findall(rf"^msgstr(?:\[\d\])? ({TEXT})", block, re.MULTILINE)]])
    return messages


def marked_texts(*folders):
    """The messages of the sources in these folders, as xgettext finds them."""
    sources = sorted(str(path.relative_to(ROOT)) for folder in folders for path in (ROOT / folder).rglob("*.*")
                     if path.suffix in (".cpp", ".h"))
    result = subprocess.run(["xgettext", "-L", "C++", "--from-code=UTF-8", "-k", *(f"-k{keyword}" for keyword in KEYWORDS),
                             "--no-wrap", "-o", "-", *sources], cwd=ROOT, capture_output=True, text=True, check=True)
    return read_messages(result.stdout)


def placeholders(text):
    """The numbers of the values that a pattern shows. Its formats may differ, as dates do."""
    found = re.findall(r"\{([^{}:]*)[^{}]*\}", text.replace("{{", "").replace("}}", ""))
    return sorted(name or str(number) for number, name in enumerate(found))


class Catalogue(unittest.TestCase):
    def setUp(self):
        self.messages = read_messages(CATALOGUE.read_text())

    def test_messages_exist_in_the_sources(self):
        marked = {ids[0]: ids for ids, _ in marked_texts("src", "app")}
        self.assertGreater(len(marked), 1000)
        self.assertEqual([ids for ids, _ in self.messages if ids[:2] != marked.get(ids[0], [])[:2]], [],
                         "these are not in the sources: change or delete them")

    def test_placeholders_and_edges_are_those_of_the_english_text(self):
        for ids, texts in self.messages:
            with self.subTest(ids[0]):
                for text in texts:
                    self.assertNotEqual(text, "")
                    self.assertEqual(placeholders(text), placeholders(ids[0]))
                    self.assertEqual(text.endswith(" "), ids[0].endswith(" "))
                    self.assertEqual(text.startswith(" "), ids[0].startswith(" "))

    def test_punctuation_is_french(self):
        for _, texts in self.messages:
            for text in texts:
                # Before : a no-break space; before ; ? ! a narrow one; « and » have no-break spaces inside.
                self.assertNotRegex(text, r" [:;?!»]|« ", text)

    def test_chapters_of_the_course_have_translations(self):
        stories = [path.read_text() for path in (ROOT / "lessons").glob("*/story*.en.md")]
        chapters = {found[1] for text in stories if (found := re.search(r"^chapter: \d+ (.+)$", text, re.MULTILINE))}
        self.assertGreater(len(chapters), 1)
        self.assertEqual(chapters - {ids[0] for ids, _ in self.messages}, set())

    def test_findings_of_traces_and_limits_have_translations(self):
        marked = {ids[0] for ids, _ in marked_texts("src/explain", "src/trace", "src/ui/limits")}
        self.assertGreater(len(marked), 100)
        self.assertEqual(marked - {ids[0] for ids, _ in self.messages}, set())

    def test_msgfmt_accepts_it(self):
        result = subprocess.run(["msgfmt", "--check", "-o", "/dev/null", CATALOGUE], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))


# English words that are no French ones, in texts of the window.
ENGLISH = re.compile(r"\b(the|of|with|your|and|is|are|this|that|not|run|runs|workgroup|workgroups|kernel|elements|answer|next|back|"
                     r"written|measured|open|close|time|times|bench|picture|grid|size)\b", re.IGNORECASE)
# Names of the field, of other interfaces and of files, code, and what is not translated, as the manual says.
KEPT = re.compile(r".*(\.comp\b|gl_|[\[\]{};=#]|//)|^(llvmpipe|NVIDIA|Gridstride|[a-z_]+$|picture \d|workgroup \d)")


class French(Case):
    def map_windows(self, script, *arguments, step="one_text_many_workers", **environment):
        """Plays the script. Returns the maps of its steps {"map": ""}, in order."""
        maps = [step for step in script if step == {"map": ""}]
        for number, step_with_map in enumerate(maps):
            step_with_map["map"] = f"{number}.json"
        self.write("script.json", json.dumps({"steps": [{"samples": 2}, {"patience": 300}, {"wait": "idle"}, *script]}))
        self.run_program("screenshot", "thread_index", "--step", step, "--ui-script", "script.json", "--size", "1366x768",
                         "--output", "window.png", *arguments, code=0, **environment)
        return [self.read_json(f"{number}.json") for number in range(len(maps))]

    def map_step(self, *arguments, **environment):
        return self.map_windows([{"map": ""}], *arguments, **environment)[0]

    def texts(self, window):
        return [text["text"] for text in window["texts"]]

    def assert_french(self, windows):
        """Asserts that no text is cut off or English."""
        english = []
        for window in windows:
            for text in window["texts"]:
                # What is partly scrolled away lies under the edge of its panel; code scrolls sideways.
                is_whole = text["seen_height"] >= text["height"] - 3
                if text["text"].strip() and is_whole and not KEPT.match(text["text"]):
                    self.assertGreaterEqual(text["seen_width"], text["width"] - 2, text["text"])
                if ENGLISH.search(text["text"]) and not KEPT.match(text["text"]):
                    english.append(text["text"])
        self.assertEqual(english, [])

    def test_each_step_of_the_lesson(self):
        steps = re.findall(r"<!-- id: (\w+) -->", (ROOT / "lessons/thread_index/story.fr.md").read_text())
        self.assertEqual(len(steps), 14)
        script = []
        for _ in steps:
            script += [{"wait": "idle"}, {"map": ""}, {"key": "Right"}]
        self.assert_french(self.map_windows(script, "--lang", "fr"))

    def test_tabs_dialogs_and_pages(self):
        script = [{"click": "strip.skip"}, {"wait": "idle"}, {"key": "F5"}, {"wait": "idle"}, {"map": ""}]
        for tab in ("inside", "timings", "launch", "kernel", "sweep", "picture"):
            script += [{"click": f"stage.{tab}"}, {"wait": "idle"}, {"map": ""}]
        script += [{"click": "mode.bench"}, {"wait": "idle"}, {"map": ""}, {"key": "Ctrl+S"}, {"wait": 0.5}, {"map": ""},
                   {"key": "Escape"}, {"wait": 0.2}, {"key": "F1"}, {"wait": 0.3}, {"map": ""}, {"key": "Escape"}, {"wait": 0.2},
                   {"click": "top.view"}, {"wait": 0.3}, {"map": ""}]
        self.assert_french(self.map_windows(script, "--lang", "fr", step="where_they_are_missing"))

    def test_missing_translation_shows_english(self):
        program = self.copy_program()
        catalogue = self.folder / "copy/share/locale/fr/LC_MESSAGES/gridstride.mo"
        self.executable = program
        self.assertIn("Prédire, puis exécuter", self.texts(self.map_step("--lang", "fr")))
        po = CATALOGUE.read_text().replace('msgid "Predict, then run"', 'msgid "no text of the program"')
        # A translation that does not fit its values is not used either.
        po = po.replace('msgstr "{} sur {}"', 'msgstr "{} sur {} {} {}"')
        self.write("broken.po", po)
        subprocess.run(["msgfmt", "-o", catalogue, self.folder / "broken.po"], check=True)
        texts = self.texts(self.map_step("--lang", "fr"))
        self.assertIn("Predict, then run", texts)
        self.assertIn("1 of 14", texts)
        self.assertIn("← Retour", texts)
        catalogue.unlink()
        texts = self.texts(self.map_step("--lang", "fr"))
        self.assertIn("← Back", texts)
        self.assertIn("Indice de fil", texts, "lessons do not need the catalogue")

    def test_locale_and_environment_do_not_matter(self):
        for environment in ({"LC_ALL": "C"}, {"LC_ALL": "C.UTF-8"}, {"LANGUAGE": "de:en", "LANG": "de_DE.UTF-8"}):
            with self.subTest(environment):
                self.assertIn("← Retour", self.texts(self.map_step("--lang", "fr", **environment)))
        self.assertIn("← Retour", self.texts(self.map_step(GRIDSTRIDE_LANG="fr")))
        self.assertIn("← Back", self.texts(self.map_step(LANGUAGE="fr", LANG="fr_FR.UTF-8")))

    def test_widgets_have_the_same_ids(self):
        def ids(language):
            window = self.map_windows([{"click": "mode.bench"}, {"wait": "idle"}, {"map": ""}], "--lang", language)[0]
            return [widget["id"] for widget in window["widgets"]]

        self.assertEqual(ids("fr"), ids("en"))

    def test_find_ignores_accents(self):
        for typed, found in (("etape suivante", "Étape suivante"), ("ÉTAPE", "Étape"), ("barriere", "barrière")):
            with self.subTest(typed):
                script = [{"key": "Ctrl+K"}, {"wait": 0.2}, {"type": typed}, {"wait": 0.2}, {"map": ""}]
                window = self.map_windows(script, "--lang", "fr")[0]
                rows = [widget["value"] for widget in window["widgets"] if widget["id"].startswith("palette.found.")]
                self.assertIn(found, rows[0])

    def test_every_command_takes_the_language(self):
        listed = {language: self.run_json("list", "--lang", language) for language in ("en", "fr")}
        names = {language: next(one for one in lessons["lessons"] if one["id"] == "thread_index")
                 for language, lessons in listed.items()}
        self.assertEqual((names["en"]["title"], names["fr"]["title"]), ("Thread index", "Indice de fil"))
        self.assertEqual(names["en"].keys(), names["fr"].keys())
        reports = [self.run_json("run", "thread_index", "--samples", 1, "--csv", f"{language}.csv", "--lang", language)
                   for language in ("en", "fr")]
        self.assertEqual(reports[0].keys(), reports[1].keys())
        self.assertEqual(reports[0]["status"], reports[1]["status"])
        heads = [(self.folder / f"{language}.csv").read_text().splitlines()[0] for language in ("en", "fr")]
        self.assertEqual(heads[0], heads[1])
        starter = self.run_program("make", "thread_index", "--lang", "fr", code=0).stdout
        self.assertEqual(starter, self.run_program("make", "thread_index", code=0).stdout, "kernels are the same")
        result = self.run_program("run", "thread_index", "--lang", "nl", code=2)
        self.assert_mentions(result.stderr, "nl", "en", "fr")

    def test_numbers_keep_their_point(self):
        rows = {}
        for language in ("en", "fr"):
            self.run_program("run", "thread_index", "--samples", 2, "--csv", "times.csv", "--lang", language, code=0,
                             LC_ALL="C", LANG="fr_FR.UTF-8")
            rows[language] = self.read_rows("times.csv")
        for row in rows["fr"]:
            self.assertGreater(float(row["kernel_ns"]), 0)

    def test_handout_is_french(self):
        self.run_program("handout", "thread_index", "--lang", "fr", "--output", "page.html", code=0)
        page = (self.folder / "page.html").read_text()
        self.assertIn('<html lang="fr">', page)
        for text in ("Votre réponse\u00a0:", "Réponses enregistrées", "Réglages\u00a0: Éléments selon x = 4\u2009096", "«\u00a0"):
            self.assertIn(text, page)
        for text in ("Your answer", "Settings", "Recorded answers", "Question 1:", "“"):
            self.assertNotIn(text, page)


class Progress(WindowCase):
    screen = "1366x768"

    def test_answers_given_in_english_are_there_in_french(self):
        first = ("thread_index", "--step", "one_text_many_workers")
        self.assert_plays(["wait idle", {"map": "asked.json"}], *first)
        guess = next(widget["id"] for widget in self.read_json("asked.json")["widgets"]
                     if widget["id"].startswith("story.guess.") and widget["kind"] == "text")
        self.assert_plays([f"wait idle; set {guess} 4096; click story.decide; wait idle; expect predictions_decided 1"], *first)
        self.assert_plays(["wait idle; expect predictions_decided 1, asks_first false"], *first, "--lang", "fr")

    def test_window_keeps_the_chosen_language(self):
        self.assert_plays(["wait idle; click top.view; wait 0.3; click view.language; wait 0.3"])
        self.assert_plays(["wait idle", {"map": "next.json"}])
        texts = [text["text"] for text in self.read_json("next.json")["texts"]]
        self.assertIn("Trouver …", texts)
        self.assert_plays(["wait idle", {"map": "given.json"}], "--lang", "en")
        self.assertIn("Find …", [text["text"] for text in self.read_json("given.json")["texts"]])


if __name__ == "__main__":
    unittest.main()
