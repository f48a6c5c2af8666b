"""gridstride doctor: on this machine, and where something is missing."""

import json
import resource
import subprocess
import unittest

from program import GRIDSTRIDE, PATIENCE, Case

IDS = {"loader", "validation", "device_0", "workgroup", "workgroup_memory", "device_memory", "subgroup", "timestamps", "float64",
       "storage16", "float32_atomic_add", "integer_dot", "loop_cap", "copy_ceiling", "lab_start", "lab_run", "display", "font_text", "font_mono",
       "data", "config_folder", "cache_folder", "driver_cache", "state_folder", "shared_memory", "open_files", "address_space", "memory"}


class Doctor(Case):
    def examine(self, *arguments, code=0, **environment):
        document = self.json_of("doctor", *arguments, **environment, code=code)
        self.assertEqual((document["schema_version"], document["exit_code"]), (1, code))
        for check in document["checks"]:
            self.assertEqual(list(check), ["id", "title", "status", "value", "advice"])
            self.assertIn(check["status"], ("ok", "warning", "problem"))
            self.assertEqual(check["advice"] == "", check["status"] == "ok", f"advice where it is needed: {check}")
        for status in ("problem", "warning"):
            self.assertEqual(document[status + "s"], [check["status"] for check in document["checks"]].count(status))
        return {check["id"]: check for check in document["checks"]}

    def assert_fine_or_slow(self, check):
        """On a machine that has other work, too, slowness is all that may be said."""
        self.assertTrue(check["status"] == "ok" or "slow" in check["advice"], check)

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if "mesa" not in str(path))

    def test_this_machine_can_be_used(self):
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")  # as at the first start
        checks = self.examine()
        self.assertLessEqual(IDS, set(checks))
        self.assert_mentions(checks["device_0"]["value"], "in use")
        for name in ("loop_cap", "lab_start", "shared_memory", "data", "config_folder"):
            self.assertEqual(checks[name]["status"], "ok", checks[name])
        self.assert_fine_or_slow(checks["lab_run"])
        self.assertIn("correct, after", checks["lab_run"]["value"])
        self.assertEqual(checks["display"]["status"], "warning", "the test has no display")
        measured = checks["copy_ceiling"]["value"]
        self.assertRegex(measured, r"measured \d{4}-\d\d-\d\d \d\d:\d\d UTC$")
        self.assertEqual([name for name in self.files() if "config" in name or "state" in name], [], "nothing is left behind")
        kept = self.folder / "cache/gridstride/ceilings.json"
        before = kept.read_bytes()
        self.assertEqual(self.examine()["copy_ceiling"]["value"], measured)
        self.assertEqual(kept.read_bytes(), before, "it is not measured again")

    def test_the_text_says_the_same_in_lines_that_fit(self):
        result = self.run_program("doctor", DISPLAY=":5", code=0)
        self.assertIn("✓ Loop cap", result.stdout)
        self.assertIn("DISPLAY=:5", result.stdout)
        self.assert_mentions(result.stdout, "used")
        for line in result.stdout.splitlines():
            self.assertLessEqual(len(line), 110, line)

    def test_without_a_driver(self):
        for variable in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES"):
            checks = self.examine(code=3, **{variable: "/nonexistent.json"})
            self.assertEqual(checks["device"]["status"], "problem")
            self.assertIn("mesa-vulkan-drivers", checks["device"]["advice"])
            self.assertIn(variable, checks["device"]["advice"])
            self.assertNotIn("lab_run", checks)
            self.assertIn("font_text", checks, "the rest is examined all the same")
        checks = self.examine("--device", "no such GPU", code=3)
        self.assertIn("no such GPU", checks["device"]["advice"])

    def test_without_fonts_and_without_folders(self):
        self.write("fonts.conf", "<fontconfig><cachedir>/tmp</cachedir></fontconfig>")
        nowhere = "/proc/nowhere"
        checks = self.examine(FONTCONFIG_FILE=str(self.folder / "fonts.conf"), HOME=nowhere, XDG_CONFIG_HOME=nowhere,
                              XDG_CACHE_HOME="/dev/null/cache", XDG_STATE_HOME=nowhere)
        for name in ("font_text", "font_mono", "config_folder", "cache_folder", "state_folder"):
            self.assertEqual(checks[name]["status"], "warning", checks[name])
        self.assertIn("fonts-inter", checks["font_text"]["advice"])
        self.assertIn("XDG_CACHE_HOME", checks["cache_folder"]["advice"])
        self.assert_fine_or_slow(checks["lab_run"])

    def test_limits_that_are_low_are_named(self):
        low = (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, low)
        try:
            checks = self.examine()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        self.assertEqual(checks["open_files"]["status"], "warning")
        self.assertIn("ulimit -n", checks["open_files"]["advice"])


class FullCache(Case):
    own_cache = True

    def test_the_drivers_cache_is_off_in_a_full_folder(self):
        # A file system of its own, in a user namespace. A driver with its cache on ends doctor and lab with SIGBUS.
        (self.folder / "cache").mkdir(exist_ok=True)
        mount = ["unshare", "-rm", "sh", "-ec", 'mount -t tmpfs -o size=64k none cache; "$@"', "sh"]
        if subprocess.run([*mount, "true"], capture_output=True, cwd=self.folder).returncode != 0:
            self.skipTest("this system lets nobody but root mount a small file system (unshare -rm)")
        fill = ["sh", "-ec", 'head -c 65536 /dev/zero > cache/full; exec "$0" doctor --json', GRIDSTRIDE]
        result = subprocess.run(mount + fill, capture_output=True, text=True, timeout=PATIENCE, env=self.environment, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        checks = {check["id"]: check for check in json.loads(result.stdout)["checks"]}
        self.assertEqual(checks["lab_run"]["status"], "ok", checks["lab_run"])
        self.assertEqual(checks["driver_cache"]["status"], "warning")
        self.assertIn("off, ", checks["driver_cache"]["value"])
        self.assert_mentions(checks["driver_cache"]["value"], "space")
        self.assertIn("XDG_CACHE_HOME", checks["driver_cache"]["advice"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
