"""Saves the app's inputs as files for the peers, and compares the peers' answers with the app's."""

import math

import numpy

from tasks import MAX_SAVED_ELEMENTS

CLOSE_COUNTS = "counts differ at the bins' edges"


class Inputs:
    """Runs the app once per task and size with --save-input, and once per task with --save-output."""

    def __init__(self, app, folder, is_cpu):
        self.app, self.folder, self.is_cpu = app, folder, is_cpu
        self.cache = {}

    def save_input(self, task, size):
        """Returns the path of the app's input (.npy), the lengths of the arrays that it holds one after another, the
        lengths to which they are repeated, and the bytes of the repeated arrays. A .raw file beside it holds the same
        bytes without the header. Returns None if the task has no input."""
        if task.rate_unit == "points":
            return None
        source = size.saved_size or size
        flags = f".{'.'.join(task.flags)}" if task.lesson == "reduction" else ""
        name = f"{task.lesson}{flags}.{source.word}"
        path = self.folder / f"{name}.npy"
        if name not in self.cache:
            self.app.run(task, self.first_setting(task), source, 1, "--save-input", path)
            self.cache[name] = self.write_raw(path)
        count, element_bytes = self.cache[name]
        # If the size does not give the lengths, each input has one number per element.
        lengths = source.arrays or source.shape * (count // source.elements)
        if sum(lengths) != count:
            expected = " and ".join(map(str, lengths))
            raise ValueError(f"{task.id}: the app saved {count} numbers, and {source.name} has {expected}")
        repeated_lengths = size.arrays or size.shape * len(lengths)
        return path, lengths, repeated_lengths, sum(repeated_lengths) * element_bytes

    def first_setting(self, task):
        return (task.cpu_candidates if self.is_cpu else task.candidates)[0]

    def write_raw(self, path):
        numbers = numpy.load(path)
        numbers.tofile(path.with_suffix(".raw"))
        return numbers.size, numbers.itemsize

    def save_copy_input(self, size):
        """Returns the same as save_input() for an array of f32 that the peers only copy."""
        path = self.folder / "copy.npy"
        if not path.exists():
            numpy.save(path, numpy.random.default_rng(1).random(MAX_SAVED_ELEMENTS, dtype=numpy.float32))
            self.write_raw(path)
        return path, (math.gcd(MAX_SAVED_ELEMENTS, size.elements),), (size.elements,), 4 * size.elements

    def get_answer(self, task):
        """Returns the app's answer at task.check_size."""
        key = task.id + ".answer"
        if key not in self.cache:
            path = self.folder / f"{key}.npy"
            report = self.app.run(task, self.first_setting(task), task.check_size, 1, "--save-output", path)
            if task.lesson == "reduction":
                self.cache[key] = numpy.array([report["result"]["total"]])
            else:
                self.cache[key] = numpy.load(path)
        return self.cache[key]


def compare(task, path, expected):
    """Returns "same" or how the peer's answer differs; the text of a wrong answer begins with "WRONG"."""
    if str(path).endswith(".raw"):
        dtypes = {"sum_u32": numpy.uint32, "histogram": numpy.uint32}
        dtype = dtypes.get(task.program_task, expected.dtype)
        actual = numpy.fromfile(path, dtype=numpy.float32 if task.program_task == "sum_f32" else dtype)
    else:
        actual = numpy.load(path)
    actual, expected = actual.reshape(-1), expected.reshape(-1)
    if actual.shape != expected.shape:
        return f"WRONG: {actual.size} numbers, not {expected.size}"
    if task.program_task == "histogram":
        difference_count = int(numpy.abs(actual.astype(numpy.int64) - expected.astype(numpy.int64)).sum())
        if difference_count == 0:
            return "same"
        if difference_count > max(4, task.bins):
            return f"WRONG: counts differ by {difference_count}"
        return f"{CLOSE_COUNTS}, {difference_count} in all"
    difference = numpy.abs(actual.astype(numpy.float64) - expected.astype(numpy.float64))
    allowed = task.tolerance[0] + task.tolerance[1] * numpy.abs(expected.astype(numpy.float64))
    if not (difference <= allowed).all():
        index = int(numpy.argmax(numpy.where(numpy.isnan(difference), numpy.inf, difference - allowed)))
        return f"WRONG: [{index}] is {actual[index]}, the app says {expected[index]}"
    largest = float((difference / numpy.maximum(numpy.abs(expected.astype(numpy.float64)), 1e-30)).max())
    return "same" if largest == 0 else f"same to {largest:.0e}"
