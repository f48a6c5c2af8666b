"""The program under test, started as a user starts it."""

import atexit
import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

GRIDSTRIDE = os.environ.get("GRIDSTRIDE", "")
if not os.access(GRIDSTRIDE, os.X_OK):
    sys.exit(f'GRIDSTRIDE="{GRIDSTRIDE}" names no program. Say which one to test: '
             f"GRIDSTRIDE=$PWD/build/release/bin/gridstride python3 {sys.argv[0]}")

# ./check --full: all of what ./check takes samples of.
FULL = os.environ.get("GRIDSTRIDE_FULL", "") not in ("", "0")
SANITIZED = "GRIDSTRIDE_SANITIZED" in os.environ
# Longer than anything takes on the slowest machine: a wait that reaches it has waited in vain.
PATIENCE = 300


def sanitized(test):
    """For a case or a test of hostile kernels or of what a person gives: it runs under the sanitizers. All others, to which
    these add nothing, run as a release; with --full all run in both."""
    test.is_sanitized = True
    return test


def kept_cache():
    """What every case would else compile and measure again: the drivers' compiled shaders and the device's ceilings."""
    named = os.environ.get("GRIDSTRIDE_TEST_CACHE")
    if named:
        os.makedirs(named, exist_ok=True)
        return named
    made = tempfile.mkdtemp(prefix="gridstride-test-cache-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


CACHE = kept_cache()

CSV_COLUMNS = (
    "schema_version,run_id,timestamp_utc,app_version,device_name,driver_version,is_cpu_device,lesson,variant,elements,"
    "workgroup_size,workgroup_count,dispatches,parameters,sample,upload_ns,kernel_ns,download_ns,wall_ns,cpu_ns,"
    "bytes_moved,status,message"
).split(",")


def rows_in(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def count_of(part, text):
    """How often it stands there as a whole word: 12 is not in 128. The digits of a long number stand in groups."""
    return len(re.findall(rf"(?<![^\W_]){re.escape(str(part))}(?![^\W_])", text.replace("\u2009", "")))


seconds_of_tests = {}


@atexit.register
def say_the_slowest():
    """./check keeps it in its log: where the time of a test program goes."""
    for name in sorted(seconds_of_tests, key=seconds_of_tests.get, reverse=True)[:8]:
        print(f"{seconds_of_tests[name]:6.1f} s {name}", file=sys.stderr)


class Case(unittest.TestCase):
    """A folder of its own, and settings that are nobody else's."""

    own_cache = False  # True: as at the first start on a machine

    def setUp(self):
        is_sanitized = getattr(getattr(self, self._testMethodName), "is_sanitized", getattr(self, "is_sanitized", False))
        if is_sanitized != SANITIZED and not FULL:
            self.skipTest(f"once: {'under' if is_sanitized else 'without'} the sanitizers")
        start = time.monotonic()
        self.addCleanup(lambda: seconds_of_tests.update({self.id(): time.monotonic() - start}))
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gridstride-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = dict(os.environ)
        self.environment.pop("DISPLAY", None)
        self.environment.pop("WAYLAND_DISPLAY", None)
        self.environment.update(
            XDG_CONFIG_HOME=str(self.folder / "config"),
            XDG_CACHE_HOME=str(self.folder / "cache") if self.own_cache else CACHE,
            XDG_STATE_HOME=str(self.folder / "state"),
            HOME=str(self.folder),
            # A machine with a device of its own may have no layers: GRIDSTRIDE_VALIDATION=0.
            GRIDSTRIDE_VALIDATION=os.environ.get("GRIDSTRIDE_VALIDATION", "1"),
        )

    def copy_of_program(self):
        """With its data beside it, for a test that damages them."""
        program = self.folder / "copy/bin/gridstride"
        program.parent.mkdir(parents=True)
        shutil.copy(GRIDSTRIDE, program)
        shutil.copytree(pathlib.Path(GRIDSTRIDE).parents[1] / "share", self.folder / "copy/share")
        return program

    def program_that_adds_wrongly(self):
        """Its tree_sequential is another kernel, whose workgroups take twice as many numbers as the plan says: each
        partial sum is wrong, on every device."""
        program = self.copy_of_program()
        kernels = self.folder / "copy/share/gridstride/kernels/reduction"
        shutil.copy(kernels / "tree_first_add.u32.spv", kernels / "tree_sequential.u32.spv")
        return program

    def run_program(self, *arguments, code=None, timeout=PATIENCE, program=GRIDSTRIDE, **environment):
        """code: what it must end with."""
        result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                                env={**self.environment, **environment}, cwd=self.folder)
        self.assertNotIn("Vulkan validation", result.stderr, "the validation layers have something to say")
        self.assertNotIn("Sanitizer", result.stderr)
        if code is not None:
            self.assertEqual(result.returncode, code, f"{result.args}: {result.stdout}{result.stderr}")
        return result

    def assert_mentions(self, text, *parts):
        """The values, limits and names that a message, or several, are made of; what is given twice must stand there twice."""
        text = text if isinstance(text, str) else "\n".join(text)
        self.assertEqual([part for part in parts if count_of(part, text) < parts.count(part)], [], text)

    def json_of(self, *arguments, code=0, **how):
        """What the command prints with --json."""
        return json.loads(self.run_program(*arguments, "--json", code=code, **how).stdout)

    def start(self, *arguments, **how):
        """The program in the background, ended with the test."""
        how = {"env": self.environment, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **how}
        process = subprocess.Popen([GRIDSTRIDE, *map(str, arguments)], cwd=self.folder, **how)

        def end():
            process.kill()
            process.wait()
            for pipe in filter(None, (process.stdout, process.stderr)):
                pipe.close()

        self.addCleanup(end)
        return process

    def write(self, name, content):
        """A file in the test's folder; its name."""
        path = self.folder / name
        path.write_bytes(content) if isinstance(content, bytes) else path.write_text(content)
        return name

    def rows(self, name):
        return rows_in((self.folder / name).read_text(encoding="utf-8"))

    def json_in(self, name):
        return json.loads((self.folder / name).read_text())


class Display:
    """A screen of its own for one test."""

    def __init__(self, size="1600x1000"):
        read_end, write_end = os.pipe()
        # Xvfb chooses a free display and says which. When its last program ends it begins anew, unless told otherwise, and
        # drops one that starts at that moment.
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write_end), "-screen", "0", size + "x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write_end)
        with open(read_end) as pipe:
            self.name = ":" + pipe.readline().strip()

    def close(self):
        self.process.terminate()
        self.process.wait()


def number_or_text(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def written_out(steps):
    """A script's steps. A string holds some: "click bench.run; wait idle; expect status ok, runs 2; see result.verdict ~total"."""
    for step in steps:
        for words in [step] if isinstance(step, dict) else step.split("; "):
            if isinstance(words, dict):
                yield words
                continue
            what, rest = words.split(" ", 1)
            if what == "set":
                name, value = rest.split(" ", 1)
                yield {"set": name, "value": value}
            elif what == "see":
                name, value = rest.split(" ", 1)
                yield {"expect": {"widgets": {name: value}}}
            elif what == "expect":
                wanted = (one.split(" ", 1) for one in rest.split(", "))
                yield {"expect": {name: number_or_text(value) for name, value in wanted}}
            else:
                yield {what: number_or_text(rest) if what == "wait" else rest}


def at_the_bench(config, lesson="reduction"):
    """In a script: to the bench of a step whose question is passed over, so that every change runs, and one run. A later
    start with this folder of settings finds the question passed over."""
    settings = pathlib.Path(config, "gridstride/settings.json")
    known = json.loads(settings.read_text()).get("predictions", []) if settings.exists() else []
    passed_over = any(one.get("skipped") and one["lesson"] == lesson for one in known)
    confirm = "" if passed_over else "click run_unanswered.yes; "
    return list(written_out([f"wait idle; click mode.bench; key F5; {confirm}wait idle"]))


class WindowCase(Case):
    """A window on a screen of its own, played by its own scripts."""

    screen = "1600x1000"

    def setUp(self):
        super().setUp()
        display = Display(self.screen)
        self.addCleanup(display.close)
        self.environment["DISPLAY"] = display.name

    def at_the_bench(self, lesson="reduction"):
        return at_the_bench(self.environment["XDG_CONFIG_HOME"], lesson)

    def play(self, steps, *arguments):
        """A step finds what it waits for however slow the machine is; a run comes to its end."""
        if "--deadline" not in arguments:
            arguments += ("--deadline", 2 * PATIENCE)
        return self.run_program(*arguments, "--ui-script", self.script(steps), timeout=4 * PATIENCE)

    def start_script(self, steps, *arguments, **how):
        return self.start(*arguments, "--ui-script", self.script(steps), **how)

    def script(self, steps):
        # A run that goes on until its median has settled takes both processors for seconds.
        steps = list(written_out(steps))
        for name, value in {"samples": 5, "patience": PATIENCE}.items():
            if not any(name in step for step in steps):
                steps = [{name: value}, *steps]
        (self.folder / "script.json").write_text(json.dumps({"steps": steps}))
        return "script.json"

    def assert_plays(self, steps, *arguments):
        result = self.play(steps, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result


def wait_until(condition, what, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"waited {seconds} s in vain: {what}")


def processor_seconds(pid):
    """What a process has had of the processor."""
    with open(f"/proc/{pid}/stat") as stat:
        return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def labs_of(pid):
    """Not other children: at its end a sanitizer has one that looks for leaks, and without it the program waits for ever."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        try:
            found += [int(child) for child in (task / "children").read_text().split()]
        except OSError:  # it has ended by now
            pass

    def is_lab(process):
        try:
            return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[1:2] == [b"--lab"]
        except OSError:
            return False

    return [process for process in found if is_lab(process)]


def lab_of(process):
    """The lab of a program that has just been started, as soon as it is there."""
    wait_until(lambda: labs_of(process.pid) or process.poll() is not None, "the lab is started")
    if process.poll() is not None:
        raise AssertionError(f"it ended with {process.returncode} before it had a lab")
    return labs_of(process.pid)[0]


def lab_with_run(process, holding):
    """The lab of a program once it holds so many bytes, its input: before that it has no run that it could lose."""
    def look():
        if process.poll() is not None:
            raise AssertionError(f"it ended with {process.returncode} before a lab had its run: {process.stderr.read()}")
        return next((lab for lab in labs_of(process.pid) if resident_bytes(lab) >= holding), None)

    return wait_until(look, "a lab has the run")


def kill_labs(process, times, holding):
    """SIGKILL, as the system sends it when memory is short, to one lab after another of a program."""
    for _ in range(times):
        lab = lab_with_run(process, holding)
        os.kill(lab, signal.SIGKILL)
        wait_until(lambda: resident_bytes(lab) == 0, "the killed lab is gone")


def wait_until_busy(pid, seconds=1):
    """Until the process has had so much of the processor more: a lab that hangs in a software driver's kernel takes all it
    gets. One that waits for a GPU takes none: ten times as long by the clock is enough there."""
    before, began = processor_seconds(pid), time.monotonic()
    wait_until(lambda: processor_seconds(pid) > before + seconds or time.monotonic() > began + 10 * seconds,
               f"process {pid} is at work")


def resident_bytes(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0
