"""A path that is not a regular file, or a file that is too large, is refused quickly and with little memory."""

import os
import unittest

from program import GRIDSTRIDE, Case, sanitized, wait_until

GIB = 1 << 30
# Room for the program and its libraries in a sanitizer build. The files that it must not read are three times as large.
MAX_RESIDENT_BYTES = GIB
# For each kind of file, a command that reads it.
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
    def assert_refused(self, name, pattern):
        """wait4() gives the peak memory of this child alone; resource.RUSAGE_CHILDREN would include other children."""
        arguments = [str(self.folder / word) if word in READERS else word for word in READERS[name]]
        with open(self.folder / "output", "w+") as output:
            child = os.posix_spawn(GRIDSTRIDE, [GRIDSTRIDE, *arguments, str(self.folder / name)], self.environment,
                                   file_actions=[(os.POSIX_SPAWN_DUP2, output.fileno(), 1),
                                                 (os.POSIX_SPAWN_DUP2, output.fileno(), 2)])
            exits = []

            def has_ended():
                pid, status, usage = os.wait4(child, os.WNOHANG)
                if pid:
                    exits.append((os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024))
                return pid

            try:
                wait_until(has_ended, f"{name} is refused")
            except AssertionError:
                os.kill(child, 9)
                os.wait4(child, 0)
                raise
            output.seek(0)
            message = output.read()
        code, resident = exits[0]
        self.assertEqual(code, 5, message)
        self.assertEqual(message.count("\n"), 1, "one clear message: " + message)
        self.assertIn(name, message)
        self.assertRegex(message, pattern)
        self.assertLess(resident, MAX_RESIDENT_BYTES)

    def assert_each_refused(self, create, pattern):
        for name in READERS:
            with self.subTest(name):
                path = self.folder / name
                path.unlink(missing_ok=True)
                create(path)
                self.assert_refused(name, pattern)
                if path.is_dir() and not path.is_symlink():
                    path.rmdir()
                else:
                    path.unlink()

    def test_pipe_is_refused(self):
        self.assert_each_refused(os.mkfifo, "it is a pipe")

    def test_folder_is_refused(self):
        self.assert_each_refused(os.mkdir, "it is a folder")

    def test_link_to_an_endless_device_is_refused(self):
        self.assert_each_refused(lambda path: path.symlink_to("/dev/zero"), "it is a device")

    def test_sparse_file_of_three_gigabytes_is_refused(self):
        def create_sparse(path):
            path.touch()
            os.truncate(path, 3 * GIB)

        self.assert_each_refused(create_sparse, "it has 3.GiB, and the limit is [14].[GM]iB|this is not an .npy file")

    @unittest.skipIf(os.geteuid() == 0, "root may read every file")
    def test_file_without_permission_is_refused(self):
        def create_unreadable(path):
            path.touch()
            path.chmod(0)

        self.assert_each_refused(create_unreadable, "you have no permission")

    def test_header_with_too_many_numbers_is_refused(self):
        for letters, size in (("|u1", 1), ("<f4", 4), ("<f8", 8)):
            with self.subTest(letters):
                header = f"{{'descr': '{letters}', 'fortran_order': False, 'shape': (536870912,), }}".ljust(117) + "\n"
                path = self.folder / "a.npy"
                path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
                os.truncate(path, 10 + len(header) + 536870912 * size)
                self.assert_refused("a.npy", "it has 536870912 numbers; at most 268435456 can be read")


if __name__ == "__main__":
    unittest.main()
