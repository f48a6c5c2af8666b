"""What was measured is saved, whatever happens beside it."""

import csv
import json
import unittest

from program import Case


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class RunsWithoutInput(Case):
    """A run can end before it has the input that --save-input asks for."""

    def test_the_report_and_the_row_are_there_and_the_file_is_not(self):
        (self.folder / "n.csv").write_text("-1\n")
        (self.folder / "broken.comp").write_text("#version 450\nvoid main() { this is no GLSL }\n")
        for arguments, code, status in (
            (("--input", "n.csv"), 2, "refused"),
            (("--kernel", "broken.comp"), 4, "failed"),
        ):
            with self.subTest(arguments):
                result = self.run_program("run", "reduction", *arguments, "--save-input", "in.npy", "--save-output", "out.npy",
                                          "--json", "--csv", "rows.csv")
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertEqual(json.loads(result.stdout)["status"], status)
                self.assertEqual([row["status"] for row in read_rows(self.folder / "rows.csv")], [status])
                for what, name in (("input", "in.npy"), ("output", "out.npy")):
                    self.assertIn(f'"{name}" is not written: the run ended before it had its {what}.', result.stderr)
                    self.assertFalse((self.folder / name).exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
