#!/usr/bin/env python3
"""clang-tidy over src, app and lessons, at what has changed: tests/tidy.py CLANG_TIDY BUILD_FOLDER STAMPS_FOLDER

BUILD_FOLDER holds a unity build, which reads the headers once for many files, and knows what each unit includes. A unit in
which nothing was found leaves an empty stamp, named by a checksum of all that the answer depends on: its files, their
headers, its flags, .clang-tidy and the version. While its stamp is there it is not looked at again. Prints what was found,
then how many units were looked at; the exit code is 1 when something was found.
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
KEPT_STAMPS = 5000  # the oldest go: a stamp that is needed is made new


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
    # A unit names its files by whole paths, and they are among what it includes.
    included = [name for name in included if "/Unity/" not in name]
    parts = [version, checksum(ROOT / ".clang-tidy"), entry["command"].replace(str(ROOT), "")]
    try:
        for name in sorted(os.path.normpath(build / name) for name in included):
            parts += [name.replace(str(ROOT), ""), checksum(name)]
    except OSError:
        return None
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_ours(entry, build):
    """Not a test, and not a library that is compiled for one."""
    file = pathlib.Path(entry["file"])
    if file.is_relative_to(build):
        return "/Unity/" in str(file) and not file.is_relative_to(build / "tests")
    return file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in ROOMS


def look_at(tidy, build, entry, stamp):
    """What clang-tidy says; empty when all is well."""
    result = subprocess.run([tidy, "-p", build, "--quiet", "--extra-arg=-Wno-unused-command-line-argument", entry["file"]], capture_output=True, text=True)
    if result.returncode == 0:
        if stamp:
            stamp.touch()
        return ""
    return result.stdout or result.stderr


def main(tidy, build, stamps):
    build = pathlib.Path(build).resolve()
    stamps = pathlib.Path(stamps)
    stamps.mkdir(parents=True, exist_ok=True)
    version = text_of(tidy, "--version")
    headers = headers_by_object(build)
    units = [one for one in json.loads((build / "compile_commands.json").read_text()) if is_ours(one, build)]
    outdated = []
    for entry in units:
        key = key_of(entry, headers, version)
        stamp = stamps / key if key else None
        if stamp and stamp.exists():
            stamp.touch()
        else:
            outdated.append((entry, stamp))
    found = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for said in threads.map(lambda one: look_at(tidy, build, *one), outdated):
            found = found or bool(said)
            print(said, end="", flush=True)
    for old in sorted(stamps.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)[KEPT_STAMPS:]:
        old.unlink(missing_ok=True)
    print(f"looked at {len(outdated)} of {len(units)} units; the others are as they were when nothing was found in them")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
