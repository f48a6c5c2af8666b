#!/usr/bin/env python3
"""Warns about commit messages that break the rules of CONTRIBUTING.md, since origin/main or, without that, in the last 20."""

import re
import subprocess
import sys


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, encoding="utf-8", errors="replace", check=True).stdout


def find_problems(message):
    subject, _, body = message.strip().partition("\n")
    first = subject.split(" ")[0]
    if len(subject) > 72:
        yield f"its subject has {len(subject)} characters; 72 are allowed"
    if subject.endswith("."):
        yield "its subject ends in a full stop"
    # "Pass" and "Bring" are imperatives, "Passes" and "Passing" are not.
    is_known_imperative = re.fullmatch(r"(Bring|Embed|Focus|Shed|\w*eed|\w*ss)", first)
    if not first[:1].isupper() or not is_known_imperative and re.search(r"[a-z](ed|ing|s)$", first):
        yield "its subject is not imperative, such as \"Add a page\""
    if not body.strip():
        yield "it has no body that says why"
    widest = max(map(len, body.splitlines()), default=0)
    if widest > 72:
        yield f"a line of its body has {widest} characters; 72 are allowed"


def main():
    try:
        has_origin = git("branch", "--remotes", "--list", "origin/main").strip()
        commits = git("rev-list", "--no-merges", *(["origin/main..HEAD"] if has_origin else ["-20", "HEAD"])).split()
    except (OSError, subprocess.CalledProcessError):
        return  # no git, or no repository
    for commit in commits:
        message = git("log", "-1", "--format=%B", commit)
        for problem in find_problems(message):
            print(f"check: warning: commit {commit[:10]}, \"{message.partition(chr(10))[0]}\": {problem}.")


if __name__ == "__main__":
    sys.exit(main())
