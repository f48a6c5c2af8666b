"""Runs the app by its command line and reads its JSON."""

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
            completed = subprocess.run([*self.command, *map(str, arguments)], capture_output=True, text=True,
                                  timeout=max(1, timeout), env=self.environment)
        except subprocess.TimeoutExpired:
            raise AppError(f"the app did not finish in {timeout:.0f} s") from None
        except OSError as error:
            raise AppError(f"the app cannot be started: {error}") from None
        if completed.returncode != 0:
            output = (completed.stderr or completed.stdout).strip()[-300:]
            raise AppError(f"the app ended with {completed.returncode}: {output}")
        return completed.stdout

    def read_device(self):
        """Returns the name and driver of the device that runs use, and whether it is a CPU."""
        report = json.loads(self.call("run", "gaussian", "--elements", 1024, "--samples", 1, "--json", *self.device))
        return report["device"]

    def run(self, task, setting, size, samples, *extra_arguments, timeout=300):
        """Returns the report of a run with a setting (variant and flags) and a size. Raises AppError if it fails."""
        variant, *flags = setting
        arguments = ["run", task.lesson, "--variant", variant, *size.flags, *task.flags, *flags]
        # Checking and timing 2^28 elements takes longer than the default deadline.
        arguments += ["--deadline", 200, "--samples", samples, "--json", *self.device, *self.cache, *extra_arguments]
        report = json.loads(self.call(*arguments, timeout=timeout))
        if report["status"] != "ok":
            raise AppError(f"{task.lesson} {variant}: {report['status']}: {report['message']}")
        return report


def median_ns(report, timing):
    return statistics.median(report["timings"][timing]["samples"])


def kernel_ns(report):
    return median_ns(report, "kernel_ns")
