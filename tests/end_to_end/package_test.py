"""The Debian package: what it says of itself, what it holds, and the program that it installs."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from program import GRIDSTRIDE, Case, find_commands

BUILD = pathlib.Path(GRIDSTRIDE).resolve().parents[1]
EPOCH = 1_700_000_000


def call(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


def pack(folder):
    """Packs what is built and returns the package. gzip takes half the time of xz."""
    call("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip",
         env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)})
    return next(pathlib.Path(folder).glob("*.deb"))


@unittest.skipUnless(shutil.which("dpkg-shlibdeps") and shutil.which("file"), "dpkg-dev and file make the package")
class Package(Case):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="gridstride-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.package = pack(cls.place / "built")
        cls.root = cls.place / "installed"
        call("dpkg-deb", "--extract", cls.package, cls.root)

    def run_tool(self, *command):
        """Returns the output of a tool that may be missing here and must find nothing to complain of."""
        if not shutil.which(command[0]):
            self.skipTest(f"{command[0]} is missing")
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def field(self, name):
        return call("dpkg-deb", "--field", self.package, name).strip()

    def test_package_names_release_architecture_and_dependencies(self):
        version = self.run_program("--version").stdout.strip()
        architecture = call("dpkg", "--print-architecture").strip()
        self.assertRegex(self.package.name, rf"^gridstride_{re.escape(version)}-1~[a-z]+[0-9.]*_{architecture}\.deb$")
        self.assertEqual(self.package.name, f"gridstride_{self.field('Version')}_{self.field('Architecture')}.deb")
        self.assertLess({"libvulkan1", "libc6", "libstdc++6"}, set(re.findall(r"[\w.+-]+(?= |,|$)", self.field("Depends"))))
        self.assertEqual(self.field("Recommends"), "mesa-vulkan-drivers | vulkan-icd, fonts-inter, fonts-jetbrains-mono")
        self.assertIn("@", self.field("Maintainer"))

    def test_has_no_scripts_and_installs_only_below_usr(self):
        control = call("sh", "-c", 'dpkg-deb --ctrl-tarfile "$0" | tar --list', self.package).split()
        self.assertEqual({name.removeprefix("./") for name in control} - {"", "control", "md5sums"}, set())
        for line in call("dpkg-deb", "--contents", self.package).splitlines():
            mode, owner, *_, name = line.split()
            self.assertRegex(name, r"^\./(usr/|$)")
            self.assertEqual((owner, mode[5], mode[8]), ("root/root", "-", "-"), f"only root may write to {name}")
        for file in ("share/doc/gridstride/copyright", "share/doc/gridstride/changelog.Debian.gz", "share/man/man1/gridstride.1.gz",
                     "share/bash-completion/completions/gridstride", "share/mime/packages/gridstride.xml",
                     "share/applications/gridstride.desktop", "share/metainfo/gridstride.metainfo.xml",
                     "share/icons/hicolor/scalable/apps/gridstride.svg", "share/gridstride/lessons/reduction/story.en.md"):
            self.assertTrue((self.root / "usr" / file).is_file(), file)

    def test_has_the_same_bytes_from_another_folder(self):
        self.assertEqual(pack(self.place / "packed/again").read_bytes(), self.package.read_bytes())

    def test_lintian_finds_no_error(self):
        self.run_tool("lintian", "--allow-root", "--fail-on", "error", self.package)

    def test_desktop_files_are_valid(self):
        share = self.root / "usr/share"
        self.run_tool("desktop-file-validate", share / "applications/gridstride.desktop")
        # Gridstride has no home page. AppStream 1.2 warns of that; earlier versions refuse to override what they do not know.
        version = re.search(r"(\d+)\.(\d+)", self.run_tool("appstreamcli", "--version"))
        override = ["--override=url-homepage-missing=info"] if tuple(map(int, version.groups())) >= (1, 2) else []
        self.run_tool("appstreamcli", "validate", "--no-net", *override, share / "metainfo/gridstride.metainfo.xml")
        shutil.copytree(share / "mime", self.folder / "mime")
        self.run_tool("update-mime-database", self.folder / "mime")
        for known in ("playground:*.playground", "hand-in+json:*.gridstride-hand-in.json"):
            self.assertIn(f"application/vnd.gridstride.{known}", (self.folder / "mime/globs2").read_text())

    def test_man_page_names_each_command_and_lesson(self):
        page = self.root / "usr/share/man/man1/gridstride.1.gz"
        source = call("zcat", page)
        for lesson in self.run_json("list")["lessons"]:
            self.assertIn(lesson["id"], source)
        commands = find_commands(self.run_program("--help").stdout)
        self.assertEqual(re.findall(r"^\.SS ([\w-]+)$", source, re.M), commands)
        self.assertEqual(self.run_tool("man", "--warnings", "--encoding=UTF-8", "--troff-device=utf8", "--ditroff", "--local-file", page)
                         .count("warning"), 0)

    def test_installed_program_runs(self):
        program = self.root / "usr/bin/gridstride"
        self.assertEqual(call("file", program).split(", ")[-1].strip(), "stripped")
        self.assertEqual(self.run_json("run", "reduction", "--samples", 1, program=program)["status"], "ok")
        refused = self.run_program("run", "reduction", program=program, VK_DRIVER_FILES="/nonexistent.json", code=3)
        self.assert_mentions(refused.stderr, "mesa-vulkan-drivers")

    def complete(self, *words):
        script = self.root / "usr/share/bash-completion/completions/gridstride"
        return call("bash", "-c", 'script=$1 program=$2; shift 2; . "$script"; COMP_WORDS=(gridstride "$@"); COMP_CWORD=$#; '
                    '_gridstride "$program"; printf "%s\\n" "${COMPREPLY[@]}"', "bash", script, GRIDSTRIDE, *words,
                    env=self.environment).split()

    def test_completes_in_bash(self):
        self.assertEqual(self.complete("run", "reduction", "--el"), ["--elements", "--element-type"])
        self.assertEqual(self.complete("run", "reduction", "--finish", ""), ["gpu", "cpu"])
        self.assertEqual(self.complete("sweep", "zero"), ["zero_suppression"])
        self.assertEqual(self.complete("doc"), ["doctor"])
        self.assertEqual(self.complete("--theme", "l"), ["light"])
        self.assertIn("all", self.complete("run", "reduction", "--variant", ""))
        self.assertEqual(self.complete("compare", "a"), [], "files are left to bash")


if __name__ == "__main__":
    unittest.main(verbosity=2)
