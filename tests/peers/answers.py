"""The app's input as files for the peers, and whether their answers are the app's."""

import numpy

CLOSE_COUNTS = "counts differ at the bins' edges"


class Inputs:
    """Runs the app once a task and size, with --save-input; answers come from --save-output at 2^20 elements."""

    CHECK_LOG2, BLOCK_LOG2 = 20, 24

    def __init__(self, app, folder, is_cpu):
        self.app, self.folder, self.is_cpu = app, folder, is_cpu
        self.made = {}

    def block(self, task, log2):
        """Path of the .npy whose rows are repeated until they have 2^log2 elements, and the bytes of an element (all
        rows). The .raw beside it holds the same bytes alone. None and 0 where the task has no input."""
        if task.makes_points:
            return None, 0
        log2 = min(log2, self.BLOCK_LOG2)
        name = f"{task.lesson}.{'.'.join(task.flags)}.{log2}" if task.lesson == "reduction" else f"{task.lesson}.{log2}"
        path = self.folder / f"{name}.npy"
        if name not in self.made:
            self.app.run(task, self.quick(task), log2, 1, "--save-input", path)
            self.made[name] = self.write_raw(path)
        return path, self.made[name] >> log2

    def quick(self, task):
        return (task.cpu_candidates if self.is_cpu else task.candidates)[0]

    def write_raw(self, path):
        rows = numpy.load(path)
        rows.tofile(path.with_suffix(".raw"))
        return rows.nbytes

    def copy_block(self):
        path = self.folder / "copy.npy"
        if not path.exists():
            numpy.save(path, numpy.random.default_rng(1).random(1 << self.BLOCK_LOG2, dtype=numpy.float32))
            self.write_raw(path)
        return path

    def answer(self, task):
        """The app's answer on 2^20 elements."""
        key = task.id + ".answer"
        if key not in self.made:
            self.block(task, self.CHECK_LOG2)
            path = self.folder / f"{key}.npy"
            report = self.app.run(task, self.quick(task), self.CHECK_LOG2, 1, "--save-output", path)
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
