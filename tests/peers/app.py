"""The app as the thing that is compared: its command line, its JSON."""

import json
import os
import shlex
import statistics
import subprocess


class AppError(Exception):
    pass


class App:
    def __init__(self, program, device="", library_path="", cache="warm"):
        self.command = shlex.split(program)
        self.device = ["--device", device] if device else []
        self.cache = [] if cache == "warm" else ["--cache", cache]
        self.environment = dict(os.environ)
        if library_path:
            self.environment["LD_LIBRARY_PATH"] = library_path

    def call(self, *arguments, timeout=300):
        try:
            done = subprocess.run([*self.command, *map(str, arguments)], capture_output=True, text=True,
                                  timeout=max(1, timeout), env=self.environment)
        except subprocess.TimeoutExpired:
            raise AppError(f"the app was not done after {timeout:.0f} s") from None
        except OSError as error:
            raise AppError(f"the app cannot be started: {error}") from None
        if done.returncode != 0:
            raise AppError(f"the app ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
        return done.stdout

    def device_facts(self):
        """Name, driver and whether the device is a processor, of the one that runs would take."""
        facts = json.loads(self.call("run", "gaussian", "--elements", 1024, "--samples", 1, "--json", *self.device))
        return facts["device"]

    def run(self, task, setting, size, samples, *more, timeout=300):
        """One report, at a setting (a variant and flags) and a size of tasks.py. Raises AppError when the run is not right."""
        variant, *flags = setting
        arguments = ["run", task.lesson, "--variant", variant, *size.flags, *task.flags, *flags]
        # 2^28 elements, judged and timed again and again, take longer than a lesson should.
        arguments += ["--deadline", 200, "--samples", samples, "--json", *self.device, *self.cache, *more]
        report = json.loads(self.call(*arguments, timeout=timeout))
        if report["status"] != "ok":
            raise AppError(f"{task.lesson} {variant}: {report['status']}: {report['message']}")
        return report


def median_ns(report, timing):
    return statistics.median(report["timings"][timing]["samples"])


def kernel_ns(report):
    return median_ns(report, "kernel_ns")
