#!/usr/bin/env python3
"""Runs clang-tidy on the changed units of src, app and lessons: tests/tidy.py CLANG_TIDY BUILD_FOLDER STAMPS_FOLDER

BUILD_FOLDER holds a unity build, which reads the headers once for many files and records what each unit includes. A unit
without findings gets an empty stamp file, named by a checksum of everything that the result depends on: its files, their
headers, its flags, .clang-tidy and the version. A unit with a stamp is skipped. Prints the findings, then the number of units
that were checked; the exit code is 1 if there are findings.
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
MAX_STAMPS = 5000  # the oldest are deleted, since a stamp in use is touched


def run_command(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout


@functools.cache
def checksum(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def headers_by_object(build):
    """The headers of each object, as ninja recorded them at compilation."""
    headers, current = {}, None
    for line in run_command("ninja", "-t", "deps", cwd=build).splitlines():
        if line.startswith("    "):
            current.append(line.strip())
        elif line:
            current = headers[line.split(":")[0]] = []
    return headers


def unit_checksum(entry, headers, version):
    """The checksum of the unit, independent of the path of the checkout. None if its headers are unknown or one is missing."""
    build = pathlib.Path(entry["directory"])
    words = shlex.split(entry["command"])
    included = headers.get(words[words.index("-o") + 1])
    if not included:
        return None
    # A unity source contains absolute paths, so it is left out; the files that it includes are in the list.
    included = [name for name in included if "/Unity/" not in name]
    parts = [version, checksum(ROOT / ".clang-tidy"), entry["command"].replace(str(ROOT), "")]
    try:
        for name in sorted(os.path.normpath(build / name) for name in included):
            parts += [name.replace(str(ROOT), ""), checksum(name)]
    except OSError:
        return None
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_ours(entry, build):
    """Whether the unit is neither a test nor a library compiled for tests."""
    file = pathlib.Path(entry["file"])
    if file.is_relative_to(build):
        return "/Unity/" in str(file) and not file.is_relative_to(build / "tests")
    return file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in ROOMS


def check_unit(tidy, build, entry, stamp):
    """Runs clang-tidy on the unit and returns its findings; empty if there are none."""
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
    version = run_command(tidy, "--version")
    headers = headers_by_object(build)
    units = [unit for unit in json.loads((build / "compile_commands.json").read_text()) if is_ours(unit, build)]
    outdated = []
    for entry in units:
        key = unit_checksum(entry, headers, version)
        stamp = stamps / key if key else None
        if stamp and stamp.exists():
            stamp.touch()
        else:
            outdated.append((entry, stamp))
    has_findings = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for findings in threads.map(lambda unit: check_unit(tidy, build, *unit), outdated):
            has_findings = has_findings or bool(findings)
            print(findings, end="", flush=True)
    for stamp in sorted(stamps.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)[MAX_STAMPS:]:
        stamp.unlink(missing_ok=True)
    print(f"checked {len(outdated)} of {len(units)} units; the others are unchanged since they had no findings")
    return 1 if has_findings else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
