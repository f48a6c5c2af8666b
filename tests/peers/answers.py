"""The app's input as files for the peers, and whether their answers are the app's."""

import math

import numpy

from tasks import MOST_SAVED

CLOSE_COUNTS = "counts differ at the bins' edges"


class Inputs:
    """Runs the app once a task and size, with --save-input; answers come from --save-output at the size task.checked_at."""

    def __init__(self, app, folder, is_cpu):
        self.app, self.folder, self.is_cpu = app, folder, is_cpu
        self.made = {}

    def saved(self, task, size):
        """The app's input: its path (.npy), the lengths of the arrays that lie in it one behind another, the lengths that
        each of them is repeated to, and the bytes of these together. The .raw beside it holds the same bytes alone. None where
        the task has no input."""
        if task.counts == "points":
            return None
        of = size.saved or size
        name = f"{task.lesson}.{'.'.join(task.flags)}.{of.word}" if task.lesson == "reduction" else f"{task.lesson}.{of.word}"
        path = self.folder / f"{name}.npy"
        if name not in self.made:
            self.app.run(task, self.quick(task), of, 1, "--save-input", path)
            self.made[name] = self.write_raw(path)
        count, element_bytes = self.made[name]
        # Where the size does not say it, all inputs are as long as there are elements.
        lengths = of.arrays or of.shape * (count // of.elements)
        if sum(lengths) != count:
            raise ValueError(f"{task.id}: the app saved {count} numbers, and {of.name} has {' and '.join(map(str, lengths))}")
        wanted = size.arrays or size.shape * len(lengths)
        return path, lengths, wanted, sum(wanted) * element_bytes

    def quick(self, task):
        return (task.cpu_candidates if self.is_cpu else task.candidates)[0]

    def write_raw(self, path):
        numbers = numpy.load(path)
        numbers.tofile(path.with_suffix(".raw"))
        return numbers.size, numbers.itemsize

    def saved_to_copy(self, size):
        """As saved(), of one array of f32, which is only copied."""
        path = self.folder / "copy.npy"
        if not path.exists():
            numpy.save(path, numpy.random.default_rng(1).random(MOST_SAVED, dtype=numpy.float32))
            self.write_raw(path)
        return path, (math.gcd(MOST_SAVED, size.elements),), (size.elements,), 4 * size.elements

    def answer(self, task):
        """The app's answer at the size at which answers are compared."""
        key = task.id + ".answer"
        if key not in self.made:
            path = self.folder / f"{key}.npy"
            report = self.app.run(task, self.quick(task), task.checked_at, 1, "--save-output", path)
            if task.lesson == "reduction":
                self.made[key] = numpy.array([report["result"]["total"]])
            else:
                self.made[key] = numpy.load(path)
        return self.made[key]


def compare(task, path, expected):
    """"same", or how the peer's answer differs; an answer that is wrong begins with "WRONG"."""
    if str(path).endswith(".raw"):
        kinds = {"sum_u32": numpy.uint32, "histogram": numpy.uint32}
        kind = kinds.get(task.program_task, expected.dtype)
        got = numpy.fromfile(path, dtype=numpy.float32 if task.program_task == "sum_f32" else kind)
    else:
        got = numpy.load(path)
    got, expected = got.reshape(-1), expected.reshape(-1)
    if got.shape != expected.shape:
        return f"WRONG: {got.size} numbers, not {expected.size}"
    if task.program_task == "histogram":
        moved = int(numpy.abs(got.astype(numpy.int64) - expected.astype(numpy.int64)).sum())
        if moved == 0:
            return "same"
        return f"{CLOSE_COUNTS}, {moved} in all" if moved <= max(4, task.bins) else f"WRONG: counts differ by {moved}"
    difference = numpy.abs(got.astype(numpy.float64) - expected.astype(numpy.float64))
    allowed = task.tolerance[0] + task.tolerance[1] * numpy.abs(expected.astype(numpy.float64))
    if not (difference <= allowed).all():
        worst = int(numpy.argmax(numpy.where(numpy.isnan(difference), numpy.inf, difference - allowed)))
        return f"WRONG: [{worst}] is {got[worst]}, the app says {expected[worst]}"
    largest = float((difference / numpy.maximum(numpy.abs(expected.astype(numpy.float64)), 1e-30)).max())
    return "same" if largest == 0 else f"same to {largest:.0e}"
