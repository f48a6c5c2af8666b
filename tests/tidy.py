#!/usr/bin/env python3
"""clang-tidy over src, app and lessons, at what has changed: tests/tidy.py BUILD_FOLDER STAMPS_FOLDER

BUILD_FOLDER holds a build that compiles each file by itself, and so knows which headers each includes. A file in which
nothing was found leaves an empty stamp, named by a checksum of all that the answer depends on: the file, its headers, its
flags, .clang-tidy and the version. While its stamp is there it is not looked at again. Prints what was found, then how many
files were looked at; the exit code is 1 when something was found.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROOMS = ("src", "app", "lessons")
KEPT_STAMPS = 5000  # the oldest go: a stamp that is asked for is made new


def text_of(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout


@functools.cache
def checksum(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def headers_by_object(build):
    """What ninja wrote down of each object when it was compiled."""
    headers, current = {}, None
    for line in text_of("ninja", "-t", "deps", cwd=build).splitlines():
        if line.startswith("    "):
            current.append(line.strip())
        elif line:
            current = headers[line.split(":")[0]] = []
    return headers


def key_of(entry, headers, version):
    """Independent of where the folder lies. None where the headers are not known, or one of them is gone."""
    build = pathlib.Path(entry["directory"])
    words = shlex.split(entry["command"])
    included = headers.get(words[words.index("-o") + 1])
    if not included:
        return None
    parts = [version, checksum(ROOT / ".clang-tidy"), entry["command"].replace(str(ROOT), "")]
    try:
        for name in sorted(os.path.normpath(build / name) for name in included):
            parts += [name.replace(str(ROOT), ""), checksum(name)]
    except OSError:
        return None
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def look_at(build, entry, stamp):
    """What clang-tidy says; empty when all is well."""
    result = subprocess.run(["clang-tidy", "-p", build, "--quiet", entry["file"]], capture_output=True, text=True)
    if result.returncode == 0:
        if stamp:
            stamp.touch()
        return ""
    return result.stdout or result.stderr


def main(build, stamps):
    stamps = pathlib.Path(stamps)
    stamps.mkdir(parents=True, exist_ok=True)
    version = text_of("clang-tidy", "--version")
    headers = headers_by_object(build)
    entries = {}
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in ROOMS:
            entries[file] = entry
    asked = {}
    for file, entry in sorted(entries.items()):
        key = key_of(entry, headers, version)
        stamp = stamps / key if key else None
        if stamp and stamp.exists():
            stamp.touch()
        else:
            asked[file] = (entry, stamp)
    found = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for said in threads.map(lambda one: look_at(build, *one), asked.values()):
            found = found or bool(said)
            print(said, end="", flush=True)
    for old in sorted(stamps.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)[KEPT_STAMPS:]:
        old.unlink(missing_ok=True)
    print(f"looked at {len(asked)} of {len(entries)} files; the others are as they were when nothing was found in them")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
