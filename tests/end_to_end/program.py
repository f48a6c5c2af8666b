"""The program under test, started as a user starts it."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

GRIDSTRIDE = os.environ["GRIDSTRIDE"]

CSV_COLUMNS = (
    "schema_version,run_id,timestamp_utc,app_version,device_name,driver_version,is_cpu_device,lesson,variant,elements,"
    "workgroup_size,workgroup_count,dispatches,parameters,sample,upload_ns,kernel_ns,download_ns,wall_ns,cpu_ns,"
    "bytes_moved,status,message"
).split(",")


class Case(unittest.TestCase):
    """A folder of its own, and settings and caches that are nobody else's."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gridstride-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = dict(os.environ)
        self.environment.pop("DISPLAY", None)
        self.environment.pop("WAYLAND_DISPLAY", None)
        self.environment.update(
            XDG_CONFIG_HOME=str(self.folder / "config"),
            XDG_CACHE_HOME=str(self.folder / "cache"),
            XDG_STATE_HOME=str(self.folder / "state"),
            HOME=str(self.folder),
            GRIDSTRIDE_VALIDATION="1",
        )

    def run_program(self, *arguments, timeout=120, **environment):
        result = subprocess.run(
            [GRIDSTRIDE, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**self.environment, **environment},
            cwd=self.folder,
        )
        self.assertNotIn("Vulkan validation", result.stderr, "the validation layers have something to say")
        self.assertNotIn("Sanitizer", result.stderr)
        return result


class Display:
    """A screen of its own for one test."""

    def __init__(self, size="1600x1000"):
        read_end, write_end = os.pipe()
        # Xvfb chooses a free display and says which.
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write_end), "-screen", "0", size + "x24", "-nolisten", "tcp"],
            pass_fds=[write_end],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(write_end)
        with open(read_end) as pipe:
            self.name = ":" + pipe.readline().strip()

    def close(self):
        self.process.terminate()
        self.process.wait()


class WindowCase(Case):
    """A window on a screen of its own, played by its own scripts."""

    def setUp(self):
        super().setUp()
        display = Display()
        self.addCleanup(display.close)
        self.environment["DISPLAY"] = display.name

    def play(self, steps, *arguments, timeout=240):
        (self.folder / "script.json").write_text(json.dumps({"steps": steps}))
        return self.run_program(*arguments, "--ui-script", "script.json", timeout=timeout)

    def assert_plays(self, steps, *arguments):
        result = self.play(steps, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result


def wait_until(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds} s in vain: {what}")
