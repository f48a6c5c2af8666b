"""What stands in a file's place and is none, or is too much, is refused in a moment and in little memory."""

import os
import unittest

from program import GRIDSTRIDE, Case, sanitized, wait_until

GIB = 1 << 30
# The program and the libraries that it loads, with sanitizers. What it must not read has three times as much.
MOST_RESIDENT = GIB
# Each way in which the command line reads a file that a person names.
READERS = {
    "a.csv": ("run", "reduction", "--input"),
    "a.txt": ("run", "reduction", "--input"),
    "a.npy": ("run", "reduction", "--input"),
    "a.wav": ("run", "zero_suppression", "--input"),
    "a.png": ("run", "histogram", "--input"),
    "a.comp": ("run", "reduction", "--kernel"),
    "rows.csv": ("compare", "rows.csv"),
}


@sanitized
class Reading(Case):
    def refused(self, name, says):
        """The child's own peak, which resource.RUSAGE_CHILDREN would mix with that of others."""
        arguments = [str(self.folder / word) if word in READERS else word for word in READERS[name]]
        with open(self.folder / "said", "w+") as said:
            child = os.posix_spawn(GRIDSTRIDE, [GRIDSTRIDE, *arguments, str(self.folder / name)], self.environment,
                                   file_actions=[(os.POSIX_SPAWN_DUP2, said.fileno(), 1),
                                                 (os.POSIX_SPAWN_DUP2, said.fileno(), 2)])
            ended = []

            def has_ended():
                pid, status, usage = os.wait4(child, os.WNOHANG)
                if pid:
                    ended.append((os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024))
                return pid

            try:
                wait_until(has_ended, f"{name} is refused")
            except AssertionError:
                os.kill(child, 9)
                os.wait4(child, 0)
                raise
            said.seek(0)
            message = said.read()
        code, resident = ended[0]
        self.assertEqual(code, 5, message)
        self.assertEqual(message.count("\n"), 1, "one clear message: " + message)
        self.assertIn(name, message)
        self.assertRegex(message, says)
        self.assertLess(resident, MOST_RESIDENT)

    def each(self, make, says):
        for name in READERS:
            with self.subTest(name):
                path = self.folder / name
                path.unlink(missing_ok=True)
                make(path)
                self.refused(name, says)
                if path.is_dir() and not path.is_symlink():
                    path.rmdir()
                else:
                    path.unlink()

    def test_a_pipe(self):
        self.each(os.mkfifo, "it is a pipe")

    def test_a_folder(self):
        self.each(os.mkdir, "it is a folder")

    def test_a_link_to_a_device_without_end(self):
        self.each(lambda path: path.symlink_to("/dev/zero"), "it is a device")

    def test_three_gigabytes_of_nothing(self):
        def hole(path):
            path.touch()
            os.truncate(path, 3 * GIB)

        self.each(hole, "it holds 3.GiB, and [14].[GM]iB is the most|this is not an .npy file")

    @unittest.skipIf(os.geteuid() == 0, "root may read every file")
    def test_a_file_without_rights(self):
        def closed(path):
            path.touch()
            path.chmod(0)

        self.each(closed, "you have no permission")

    def test_a_header_that_announces_more_than_can_be_used(self):
        for letters, size in (("|u1", 1), ("<f4", 4), ("<f8", 8)):
            with self.subTest(letters):
                header = f"{{'descr': '{letters}', 'fortran_order': False, 'shape': (536870912,), }}".ljust(117) + "\n"
                path = self.folder / "a.npy"
                path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
                os.truncate(path, 10 + len(header) + 536870912 * size)
                self.refused("a.npy", "it has 536870912 numbers; at most 268435456 can be read")


if __name__ == "__main__":
    unittest.main()
