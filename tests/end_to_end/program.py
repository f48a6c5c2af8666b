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
    sys.exit(f'GRIDSTRIDE="{GRIDSTRIDE}" is not an executable. Set it to the program to test: '
             f"GRIDSTRIDE=$PWD/build/release/bin/gridstride python3 {sys.argv[0]}")

# ./check --full runs every case; ./check runs a sample of them.
FULL = os.environ.get("GRIDSTRIDE_FULL", "") not in ("", "0")
SANITIZED = "GRIDSTRIDE_SANITIZED" in os.environ
# Seconds. Longer than any wait takes on the slowest machine, so a wait that reaches it has failed.
TIMEOUT = 300


def story_path(lessons, entry):
    """The English story of an entry of the course: LESSON, or LESSON/NAME for a further story of the lesson."""
    lesson, _, name = entry.partition("/")
    return lessons / lesson / (f"story.{name}.en.md" if name else "story.en.md")


def sanitized(test):
    """Marks a class or a test of hostile kernels or of user input: it runs in the sanitizer build. All others run in the
    release build, since sanitizers add nothing to them. With --full, all run in both builds."""
    test.is_sanitized = True
    return test


def shared_cache_folder():
    """The cache that all cases share: the drivers' compiled shaders and the device's ceilings. Without it, each case compiles
    and measures them again."""
    folder = os.environ.get("GRIDSTRIDE_TEST_CACHE")
    if folder:
        os.makedirs(folder, exist_ok=True)
        return folder
    folder = tempfile.mkdtemp(prefix="gridstride-test-cache-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


CACHE = shared_cache_folder()

CSV_COLUMNS = (
    "schema_version,run_id,timestamp_utc,app_version,device_name,driver_version,is_cpu_device,lesson,variant,elements,"
    "workgroup_size,workgroup_count,dispatches,parameters,sample,upload_ns,kernel_ns,download_ns,wall_ns,cpu_ns,"
    "bytes_moved,status,message"
).split(",")


def parse_csv_rows(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def find_commands(help_text):
    """The commands that the help names. From version 2.6 on, CLI11 writes its headings in capitals."""
    return re.findall(r"^  ([\w-]+)  ", re.split("\nsubcommands:", help_text, flags=re.IGNORECASE)[1], re.M)


def count_word(word, text):
    """How often the text contains the word as a whole word: 12 is not in 128. Thin spaces between groups of digits are
    ignored."""
    return len(re.findall(rf"(?<![^\W_]){re.escape(str(word))}(?![^\W_])", text.replace("\u2009", "")))


test_seconds = {}


@atexit.register
def print_slowest_tests():
    """Prints the slowest tests of this test program for the log of ./check."""
    for name in sorted(test_seconds, key=test_seconds.get, reverse=True)[:8]:
        print(f"{test_seconds[name]:6.1f} s {name}", file=sys.stderr)


class Case(unittest.TestCase):
    """A test case with a folder and settings of its own."""

    private_cache = False  # True: an empty cache, as at the first start on a machine
    executable = GRIDSTRIDE

    def setUp(self):
        is_sanitized = getattr(getattr(self, self._testMethodName), "is_sanitized", getattr(self, "is_sanitized", False))
        if is_sanitized != SANITIZED and not FULL:
            self.skipTest(f"once: {'under' if is_sanitized else 'without'} the sanitizers")
        start = time.monotonic()
        self.addCleanup(lambda: test_seconds.update({self.id(): time.monotonic() - start}))
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gridstride-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = dict(os.environ)
        self.environment.pop("DISPLAY", None)
        self.environment.pop("WAYLAND_DISPLAY", None)
        self.environment.update(
            XDG_CONFIG_HOME=str(self.folder / "config"),
            XDG_CACHE_HOME=str(self.folder / "cache") if self.private_cache else CACHE,
            XDG_STATE_HOME=str(self.folder / "state"),
            HOME=str(self.folder),
            # A machine with a GPU may lack the validation layers: run with GRIDSTRIDE_VALIDATION=0 there.
            GRIDSTRIDE_VALIDATION=os.environ.get("GRIDSTRIDE_VALIDATION", "1"),
        )

    def copy_program(self):
        """Copies the program and its data, for a test that changes the data. Returns the path of the copy."""
        program = self.folder / "copy/bin/gridstride"
        program.parent.mkdir(parents=True)
        shutil.copy(GRIDSTRIDE, program)
        shutil.copytree(pathlib.Path(GRIDSTRIDE).parents[1] / "share", self.folder / "copy/share")
        return program

    def copy_program_with_wrong_sums(self):
        """In the copy, the kernel of tree_sequential is tree_first_add, whose workgroups read twice as many numbers as the plan
        says: every partial sum is wrong on every device."""
        program = self.copy_program()
        kernels = self.folder / "copy/share/gridstride/kernels/reduction"
        shutil.copy(kernels / "tree_first_add.u32.spv", kernels / "tree_sequential.u32.spv")
        return program

    def run_program(self, *arguments, code=None, timeout=4 * TIMEOUT, program=None, **environment):
        """code: the expected exit code; None accepts any. A command may wait for many runs, each of which is one wait."""
        result = subprocess.run([program or self.executable, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                                env={**self.environment, **environment}, cwd=self.folder)
        self.assertNotIn("Vulkan validation", result.stderr, "the validation layers reported a problem")
        self.assertNotIn("Sanitizer", result.stderr)
        if code is not None:
            self.assertEqual(result.returncode, code, f"{result.args}: {result.stdout}{result.stderr}")
        return result

    def assert_mentions(self, text, *parts):
        """Asserts that the text, or the joined texts, contain each part as a whole word. A part given twice must occur twice."""
        text = text if isinstance(text, str) else "\n".join(text)
        self.assertEqual([part for part in parts if count_word(part, text) < parts.count(part)], [], text)

    def run_json(self, *arguments, code=0, **options):
        """Runs the command with --json and returns its parsed output."""
        return json.loads(self.run_program(*arguments, "--json", code=code, **options).stdout)

    def start(self, *arguments, **options):
        """Starts the program in the background. It is killed when the test ends."""
        options = {"env": self.environment, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        process = subprocess.Popen([self.executable, *map(str, arguments)], cwd=self.folder, **options)

        def stop():
            process.kill()
            process.wait()
            for pipe in filter(None, (process.stdout, process.stderr)):
                pipe.close()

        self.addCleanup(stop)
        return process

    def write(self, name, content):
        """Writes a file into the test's folder and returns its name."""
        path = self.folder / name
        path.write_bytes(content) if isinstance(content, bytes) else path.write_text(content)
        return name

    def read_rows(self, name):
        return parse_csv_rows((self.folder / name).read_text(encoding="utf-8"))

    def read_json(self, name):
        return json.loads((self.folder / name).read_text())


class Display:
    """A virtual X display (Xvfb) for one test."""

    def __init__(self, size="1600x1000"):
        read_end, write_end = os.pipe()
        # Xvfb chooses a free display and prints its number. Without -noreset it resets when its last client disconnects, and
        # drops a client that connects at that moment.
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write_end), "-screen", "0", size + "x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write_end)
        with open(read_end) as pipe:
            self.name = ":" + pipe.readline().strip()

    def close(self):
        self.process.terminate()
        self.process.wait()


def parse_value(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def expand_steps(steps):
    """Expands strings into script steps, such as "click bench.run; wait idle; expect status ok, runs 2; see result.verdict ~total".
    Steps that are dictionaries are passed through."""
    for step in steps:
        for step_text in [step] if isinstance(step, dict) else step.split("; "):
            if isinstance(step_text, dict):
                yield step_text
                continue
            verb, rest = step_text.split(" ", 1)
            if verb == "set":
                name, value = rest.split(" ", 1)
                yield {"set": name, "value": value}
            elif verb == "see":
                name, value = rest.split(" ", 1)
                yield {"expect": {"widgets": {name: value}}}
            elif verb == "expect":
                expectations = (item.split(" ", 1) for item in rest.split(", "))
                yield {"expect": {name: parse_value(value) for name, value in expectations}}
            else:
                yield {verb: parse_value(rest) if verb == "wait" else rest}


def at_the_bench(config, lesson="reduction"):
    """Script steps that skip the question of the current step, open its bench, where every change then starts a run, and run
    once. A later start with the same settings folder finds the question already skipped."""
    settings = pathlib.Path(config, "gridstride/settings.json")
    predictions = json.loads(settings.read_text()).get("predictions", []) if settings.exists() else []
    is_skipped = any(prediction.get("skipped") and prediction["lesson"] == lesson for prediction in predictions)
    confirm = "" if is_skipped else "click run_unanswered.yes; "
    return list(expand_steps([f"wait idle; click mode.bench; key F5; {confirm}wait idle"]))


class WindowCase(Case):
    """A test case with a virtual display, whose window plays scripts."""

    screen = "1024x640"  # A software driver takes as long as there are pixels.

    def setUp(self):
        super().setUp()
        display = Display(self.screen)
        self.addCleanup(display.close)
        self.environment["DISPLAY"] = display.name

    def at_the_bench(self, lesson="reduction"):
        return at_the_bench(self.environment["XDG_CONFIG_HOME"], lesson)

    def play(self, steps, *arguments):
        """Plays the steps with timeouts that allow for the slowest machine."""
        if "--deadline" not in arguments:
            arguments += ("--deadline", 2 * TIMEOUT)
        return self.run_program(*arguments, "--ui-script", self.write_script(steps))

    def start_script(self, steps, *arguments, **options):
        return self.start(*arguments, "--ui-script", self.write_script(steps), **options)

    def write_script(self, steps):
        # Without a fixed number of samples, a run samples until its median is stable, which occupies the processors for seconds.
        steps = list(expand_steps(steps))
        for name, value in {"samples": 5, "patience": TIMEOUT}.items():
            if not any(name in step for step in steps):
                steps = [{name: value}, *steps]
        (self.folder / "script.json").write_text(json.dumps({"steps": steps}))
        return "script.json"

    def assert_plays(self, steps, *arguments):
        result = self.play(steps, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result


def wait_until(condition, event, seconds=TIMEOUT):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"timed out after {seconds} s, waiting until {event}")


def cpu_seconds(pid):
    """The CPU time that a process has used."""
    with open(f"/proc/{pid}/stat") as stat:
        return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def lab_pids(pid):
    """The child processes that are labs. Others are excluded: the leak check of a sanitizer is a child too, and the program
    waits forever when it is killed."""
    children = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        try:
            children += [int(child) for child in (task / "children").read_text().split()]
        except OSError:  # the thread has ended
            pass

    def is_lab(process):
        try:
            return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[1:2] == [b"--lab"]
        except OSError:
            return False

    return [process for process in children if is_lab(process)]


def wait_for_lab(process):
    """Waits until a program that has just been started has its lab; returns the lab's pid."""
    wait_until(lambda: lab_pids(process.pid) or process.poll() is not None, "the lab has started")
    if process.poll() is not None:
        raise AssertionError(f"the program exited with {process.returncode} before it started a lab")
    return lab_pids(process.pid)[0]


def wait_for_lab_with_run(process, min_bytes):
    """Waits until a lab of the program has min_bytes resident, the size of its input: before that it has no run to lose."""
    def find_lab():
        if process.poll() is not None:
            raise AssertionError(f"the program exited with {process.returncode} before a lab had the run: {process.stderr.read()}")
        return next((lab for lab in lab_pids(process.pid) if resident_bytes(lab) >= min_bytes), None)

    return wait_until(find_lab, "a lab has the run")


def kill_labs(process, times, min_bytes):
    """Sends SIGKILL to one lab of the program after another, as the out-of-memory killer does."""
    for _ in range(times):
        lab = wait_for_lab_with_run(process, min_bytes)
        os.kill(lab, signal.SIGKILL)
        wait_until(lambda: resident_bytes(lab) == 0, "the killed lab is gone")


def wait_until_busy(pid, seconds=1):
    """Waits until the process has used this much more CPU time, which a kernel that hangs in a software driver does. A lab that
    waits for a GPU uses none, so ten times as many seconds of wall-clock time count as well."""
    before, start = cpu_seconds(pid), time.monotonic()
    wait_until(lambda: cpu_seconds(pid) > before + seconds or time.monotonic() > start + 10 * seconds,
               f"process {pid} is busy")


def resident_bytes(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0
