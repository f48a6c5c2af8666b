#!/usr/bin/env python3
"""Screenshots of every step of every lesson in both themes, for review: tests/contact_sheet.py [WIDTHxHEIGHT] [LESSON ...]

Writes out/contact_sheet/THEME/LESSON_STEP.png, each step as a student first sees it, and out/contact_sheet/index.html, which
shows them side by side. GRIDSTRIDE is the path of the program; the default is build/release/bin/gridstride.
"""

import html
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
OUT = ROOT / "out/contact_sheet"


def step_titles(lesson):
    story = (ROOT / "lessons" / lesson / "story.en.md").read_text()
    return re.findall(r"^## (.+)$", story, re.MULTILINE)


def take_screenshots(program, lesson, theme, size, folder):
    """Writes one screenshot per step and returns their paths."""
    names = [folder / f"{lesson}_{step + 1:02}.png" for step in range(len(step_titles(lesson)))]
    script = [{"patience": 120}]
    for name in names:
        script += [{"wait": "idle"}, {"screenshot": str(name)}, {"key": "Right"}]
    file = folder / f"{lesson}.json"
    file.write_text(json.dumps(script))
    subprocess.run([program, "screenshot", lesson, "--step", "1", "--size", size, "--theme", theme, "--ui-script", file,
                    "--output", folder / f"{lesson}_end.png"], check=True)
    file.unlink()
    return names + [folder / f"{lesson}_end.png"]


def main(arguments):
    program = os.environ.get("GRIDSTRIDE", ROOT / "build/release/bin/gridstride")
    size = arguments.pop(0) if arguments and re.fullmatch(r"\d+x\d+", arguments[0]) else "1366x768"
    lessons = arguments or sorted(path.parent.name for path in ROOT.glob("lessons/*/story.en.md"))
    page = ["<!doctype html><meta charset=utf-8><title>Every step</title>",
            "<style>body{font:14px sans-serif;background:#888}figure{display:inline-block;margin:4px}img{width:440px}</style>"]
    for theme in ("dark", "light"):
        folder = OUT / theme
        folder.mkdir(parents=True, exist_ok=True)
        for lesson in lessons:
            page.append(f"<h2>{lesson}, {theme}</h2>")
            titles = step_titles(lesson) + ["The last page"]
            for title, name in zip(titles, take_screenshots(program, lesson, theme, size, folder)):
                page.append(f'<figure><a href="{theme}/{name.name}"><img src="{theme}/{name.name}"></a>'
                            f"<figcaption>{html.escape(title)}</figcaption></figure>")
    (OUT / "index.html").write_text("\n".join(page) + "\n")
    print(OUT / "index.html")


if __name__ == "__main__":
    main(sys.argv[1:])
