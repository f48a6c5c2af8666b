"""gridstride doctor, on this machine and with parts missing."""

import json
import resource
import subprocess
import unittest

from program import GRIDSTRIDE, TIMEOUT, Case

IDS = {"loader", "validation", "device_0", "workgroup", "workgroup_memory", "device_memory", "subgroup", "timestamps", "float64",
       "storage16", "float16", "float32_atomic_add", "integer_dot", "cooperative_matrix", "loop_cap", "copy_ceiling", "lab_start", "lab_run", "display", "font_text", "font_mono",
       "data", "config_folder", "cache_folder", "driver_cache", "state_folder", "shared_memory", "open_files", "address_space", "memory"}


class Doctor(Case):
    def run_doctor(self, *arguments, code=0, **environment):
        document = self.run_json("doctor", *arguments, **environment, code=code)
        self.assertEqual((document["schema_version"], document["exit_code"]), (1, code))
        for check in document["checks"]:
            self.assertEqual(list(check), ["id", "title", "status", "value", "advice"])
            self.assertIn(check["status"], ("ok", "warning", "problem"))
            self.assertEqual(check["advice"] == "", check["status"] == "ok", f"advice if and only if the check is not ok: {check}")
        for status in ("problem", "warning"):
            self.assertEqual(document[status + "s"], [check["status"] for check in document["checks"]].count(status))
        return {check["id"]: check for check in document["checks"]}

    def assert_ok_or_slow(self, check):
        """On a busy machine the check may report slowness, but nothing else."""
        self.assertTrue(check["status"] == "ok" or "slow" in check["advice"], check)

    def list_files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if "mesa" not in str(path))

    def test_this_machine_can_be_used(self):
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")  # an empty cache, as at the first start
        checks = self.run_doctor()
        self.assertLessEqual(IDS, set(checks))
        self.assert_mentions(checks["device_0"]["value"], "in use")
        for name in ("loop_cap", "lab_start", "shared_memory", "data", "config_folder"):
            self.assertEqual(checks[name]["status"], "ok", checks[name])
        self.assert_ok_or_slow(checks["lab_run"])
        self.assertIn("correct, after", checks["lab_run"]["value"])
        self.assertEqual(checks["display"]["status"], "warning", "the test has no display")
        measured = checks["copy_ceiling"]["value"]
        self.assertRegex(measured, r"measured \d{4}-\d\d-\d\d \d\d:\d\d UTC$")
        self.assertEqual([name for name in self.list_files() if "config" in name or "state" in name], [], "doctor leaves no files")
        ceilings = self.folder / "cache/gridstride/ceilings.json"
        before = ceilings.read_bytes()
        self.assertEqual(self.run_doctor()["copy_ceiling"]["value"], measured)
        self.assertEqual(ceilings.read_bytes(), before, "the ceiling is not measured again")

    def test_text_report_fits_in_110_columns(self):
        result = self.run_program("doctor", DISPLAY=":5", code=0)
        self.assertIn("✓ Loop cap", result.stdout)
        self.assertIn("DISPLAY=:5", result.stdout)
        self.assert_mentions(result.stdout, "used")
        for line in result.stdout.splitlines():
            self.assertLessEqual(len(line), 110, line)

    def test_missing_driver_is_a_problem_with_advice(self):
        for variable in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES"):
            checks = self.run_doctor(code=3, **{variable: "/nonexistent.json"})
            self.assertEqual(checks["device"]["status"], "problem")
            self.assertIn("mesa-vulkan-drivers", checks["device"]["advice"])
            self.assertIn(variable, checks["device"]["advice"])
            self.assertNotIn("lab_run", checks)
            self.assertIn("font_text", checks, "the other checks still run")
        checks = self.run_doctor("--device", "no such GPU", code=3)
        self.assertIn("no such GPU", checks["device"]["advice"])

    def test_without_fonts_and_without_folders(self):
        self.write("fonts.conf", "<fontconfig><cachedir>/tmp</cachedir></fontconfig>")
        missing = "/proc/nowhere"
        checks = self.run_doctor(FONTCONFIG_FILE=str(self.folder / "fonts.conf"), HOME=missing, XDG_CONFIG_HOME=missing,
                                 XDG_CACHE_HOME="/dev/null/cache", XDG_STATE_HOME=missing)
        for name in ("font_text", "font_mono", "config_folder", "cache_folder", "state_folder"):
            self.assertEqual(checks[name]["status"], "warning", checks[name])
        self.assertIn("fonts-inter", checks["font_text"]["advice"])
        self.assertIn("XDG_CACHE_HOME", checks["cache_folder"]["advice"])
        self.assert_ok_or_slow(checks["lab_run"])

    def test_low_limits_are_reported(self):
        low = (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, low)
        try:
            checks = self.run_doctor()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        self.assertEqual(checks["open_files"]["status"], "warning")
        self.assertIn("ulimit -n", checks["open_files"]["advice"])


class FullCache(Case):
    private_cache = True

    def test_driver_cache_is_off_in_a_full_folder(self):
        # A small file system in a user namespace. A driver whose cache is on would end doctor and lab with SIGBUS.
        (self.folder / "cache").mkdir(exist_ok=True)
        mount = ["unshare", "-rm", "sh", "-ec", 'mount -t tmpfs -o size=64k none cache; "$@"', "sh"]
        if subprocess.run([*mount, "true"], capture_output=True, cwd=self.folder).returncode != 0:
            self.skipTest("only root can mount a small file system here (unshare -rm)")
        fill = ["sh", "-ec", 'head -c 65536 /dev/zero > cache/full; exec "$0" doctor --json', GRIDSTRIDE]
        result = subprocess.run(mount + fill, capture_output=True, text=True, timeout=TIMEOUT, env=self.environment, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        checks = {check["id"]: check for check in json.loads(result.stdout)["checks"]}
        self.assertEqual(checks["lab_run"]["status"], "ok", checks["lab_run"])
        self.assertEqual(checks["driver_cache"]["status"], "warning")
        self.assertIn("off, ", checks["driver_cache"]["value"])
        self.assert_mentions(checks["driver_cache"]["value"], "space")
        self.assertIn("XDG_CACHE_HOME", checks["driver_cache"]["advice"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
