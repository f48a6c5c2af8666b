"""A handout is one HTML file: well-formed, readable by a screen reader, and without anything from elsewhere."""

import base64
import html.parser
import unittest

from program import Case

VOID = {"meta", "input", "img"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.headings, self.images, self.text = [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        attributes = dict(attributes)
        if len(tag) == 2 and tag[0] == "h" and tag != "hr":
            self.headings.append(int(tag[1]))
        if tag == "img":
            self.images.append(attributes)
        if tag in ("script", "link", "iframe", "object", "a"):
            raise AssertionError(f"<{tag}>")
        for name, value in attributes.items():
            if name.startswith("on") or name in ("href", "style") or "//" in value and name != "src":
                raise AssertionError(f"{name}={value}")

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise AssertionError(f"</{tag}>")

    def handle_data(self, data):
        self.text += data


class Handout(Case):
    def handout(self, *arguments, **options):
        result = self.run_program("handout", *arguments, "--output", "page.html", code=0, **options)
        page = Page((self.folder / "page.html").read_text())
        self.assertEqual(page.open, [])
        self.assertEqual(page.headings.count(1), 1)
        for above, heading in zip(page.headings, page.headings[1:]):
            self.assertLessEqual(heading, above + 1, "no level is left out")
        return page, result

    def test_pictures_have_alternative_texts(self):
        page, _ = self.handout("softmax")
        self.assertGreater(len(page.images), 2)
        for image in page.images:
            self.assertGreater(len(image["alt"]), 5)
            kind, data = image["src"].split(",")
            self.assertEqual(kind, "data:image/png;base64")
            self.assertTrue(base64.b64decode(data, validate=True).startswith(b"\x89PNG"))

    def test_picture_of_the_card_is_there_even_if_all_others_need_a_run(self):
        page, _ = self.handout("race_condition")
        self.assertIn("Four additions", page.images[0]["alt"])

    def test_handout_without_a_graphics_device_has_no_pictures(self):
        page, result = self.handout("softmax", VK_DRIVER_FILES="/nonexistent.json", VK_ICD_FILENAMES="/nonexistent.json")
        self.assertEqual(page.images, [])
        self.assertIn("pictures", result.stderr)
        self.assertIn("Question 1", page.text)

    def test_texts_of_a_lesson_folder_are_escaped(self):
        self.run_program("lesson", "new", "own", code=0)
        story = (self.folder / "own/story.en.md").read_text()
        self.write("own/story.en.md", story.replace("# ", "# <script>alert(1)</script> & ", 1))
        page, _ = self.handout("own", "--lessons", "own")
        self.assertIn("<script>alert(1)</script> &", page.text)
        self.assertIn("Add one", page.text)


if __name__ == "__main__":
    unittest.main()
