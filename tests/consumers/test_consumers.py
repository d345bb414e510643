# SPDX-License-Identifier: Apache-2.0
"""What is installed and packaged, and the projects beside this file that use it.

What a test needs to know of the library's build comes from CMakeLists.txt, in CONSUMERS_ variables.
"""

import os
import re
import shutil
import subprocess
import tarfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def setting(name: str) -> str:
    return os.environ[f"CONSUMERS_{name}"]


def words(name: str) -> list[str]:
    return [word for word in setting(name).split(";") if word]


SCRATCH = Path(setting("SCRATCH"))
BUILD = Path(setting("LIBRARY_BUILD"))
CMAKE = setting("CMAKE")
EMULATOR = words("EMULATOR")
LIBDIR = setting("LIBDIR")
DEFAULT_IS_SHARED = setting("SHARED") == "1"
VERSION = setting("VERSION")
SONAME = f"libsima_a65_dequant.so.{VERSION.rsplit('.', 1)[0]}"
PUBLIC = {
    path.relative_to(ROOT / "include").as_posix()
    for pattern in ("*.h", "*.hpp")
    for path in (ROOT / "include").rglob(pattern)
}


def attempt(*command: str | Path, **more: str) -> tuple[int, str]:
    """Status and output, with these variables added to the environment."""
    done = subprocess.run(
        [str(word) for word in command],
        env=os.environ | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def run(*command: str | Path, **more: str) -> str:
    status, output = attempt(*command, **more)
    if status != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {status}\n{output[-4000:]}")
    return output


def empty(name: str) -> Path:
    """A directory of this name, with nothing in it."""
    path = SCRATCH / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def files_in(directory: Path) -> set[str]:
    return {
        path.relative_to(directory).as_posix()
        for path in directory.rglob("*")
        if not path.is_dir()
    }


def needed(program: Path) -> set[str]:
    """The shared libraries that a program names."""
    text = run(setting("OBJDUMP"), "-p", program)
    return set(re.findall(r"^\s*NEEDED\s+(\S+)$", text, re.MULTILINE))


class Consumers(unittest.TestCase):
    prefix: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Installs, and moves what was installed: no test sees the place it was made for."""
        made_for = empty("made_for")
        run(CMAKE, "--install", BUILD, "--prefix", made_for)
        cls.prefix = empty("moved") / "elsewhere"
        made_for.rename(cls.prefix)

    def check_programs(self, directory: Path, shared: bool, names=("app_c", "app_cxx")) -> None:
        for name in names:
            self.assertIn("as expected", run(*EMULATOR, directory / name))
            self.assertEqual(shared, SONAME in needed(directory / name), name)

    def configure(self, project: str, build: Path, *arguments: str) -> str:
        return run(CMAKE, "-S", HERE / project, "-B", build, *words("CONFIGURE"), *arguments)

    def build(self, project: str, build: Path, *arguments: str) -> None:
        self.configure(project, build, *arguments)
        run(CMAKE, "--build", build, "-j", "2")

    def check_subproject(self, project: str, *arguments: str) -> None:
        """Static first, then shared: the second build finds its objects made."""
        build = empty(project)
        for shared in (False, True):
            self.build(project, build, f"-DBUILD_SHARED_LIBS={shared}", *arguments)
            self.check_programs(build, shared)
            self.assertEqual(shared, any(build.rglob(SONAME)))
            self.check_is_quiet(build)

    def check_is_quiet(self, build: Path) -> None:
        """The library adds nothing to what a project that includes it tests, builds, installs."""
        tests = run(setting("CTEST"), "--test-dir", build, "-N")
        self.assertEqual(["app_c"], re.findall(r"Test +#\d+: (\S+)", tests))
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
        settings = r"^(?:CPACK_|BUILD_TESTING|CMAKE_INSTALL_LIBDIR)\w*"
        self.assertEqual([], re.findall(settings, cache, re.MULTILINE))
        self.assertEqual([], list(build.rglob("*dequant_contract*")))
        target = empty("quiet")
        run(CMAKE, "--install", build, "--prefix", target)
        self.assertEqual({"bin/app_c", "bin/app_cxx"}, files_in(target))

    def test_what_is_installed(self) -> None:
        package = f"{LIBDIR}/cmake/SimaKernels/SimaKernels"
        found = files_in(self.prefix)
        configurations = {path for path in found if path.startswith(f"{package}Targets-")}
        self.assertEqual(1, len(configurations))
        self.assertEqual(
            {f"include/{header}" for header in PUBLIC}
            | {f"{package}{part}.cmake" for part in ("Config", "ConfigVersion", "Targets")}
            | configurations
            | {
                "bin/dequant",
                f"{LIBDIR}/libsima_a65_dequant.a",
                f"{LIBDIR}/libsima_a65_dequant.so",
                f"{LIBDIR}/{SONAME}",
                f"{LIBDIR}/libsima_a65_dequant.so.{VERSION}",
                f"{LIBDIR}/pkgconfig/simakernels-a65-dequant.pc",
                "share/doc/simakernels/LICENSE",
                "share/doc/simakernels/README.md",
                "share/man/man1/dequant.1",
            },
            found,
        )

    def test_installed_text_names_no_directory_of_the_build(self) -> None:
        for name in files_in(self.prefix):
            if Path(name).suffix in (".cmake", ".pc", ".h", ".hpp"):
                text = (self.prefix / name).read_text(encoding="utf-8")
                for directory in (ROOT, SCRATCH):
                    self.assertNotIn(str(directory), text, name)

    def test_exported_symbols(self) -> None:
        """The shared library exports what the headers mark, and has its name."""
        library = self.prefix / LIBDIR / SONAME
        symbols = run(setting("NM"), "-D", "--defined-only", library)
        exported = {line.split()[-1] for line in symbols.splitlines()}
        marked = set()
        for header in PUBLIC:
            text = (ROOT / "include" / header).read_text(encoding="utf-8")
            marked |= set(re.findall(r"^SIMA_API [^;(]*?(\w+)\(", text, re.MULTILINE))
        self.assertGreaterEqual(len(marked), 9)
        self.assertEqual(marked, exported)
        self.assertTrue(all(name.startswith("sima_") for name in exported))
        names = re.findall(r"SONAME +(\S+)", run(setting("OBJDUMP"), "-p", library))
        self.assertEqual([SONAME], names)
        self.assertLessEqual(needed(library), {"libc.so.6"})

    def test_installed_tool(self) -> None:
        tool = self.prefix / "bin" / "dequant"
        self.assertIn(VERSION, run(*EMULATOR, tool, "--version"))
        self.assertNotIn(SONAME, needed(tool))

    def test_find_package(self) -> None:
        for shared in (False, True):
            build = empty(f"find_package_{shared}")
            self.build("find_package", build, f"-DBUILD_SHARED_LIBS={shared}",
                       f"-DCMAKE_PREFIX_PATH={self.prefix}")
            self.check_programs(build, shared)

    def test_find_package_in_one_language(self) -> None:
        """Where nothing was said of shared libraries, the package's default holds."""
        for language, program in (("C", "app_c"), ("CXX", "app_cxx")):
            build = empty(f"find_package_{language}")
            self.build("find_package", build, f"-DCONSUMER_LANGUAGES={language}",
                       f"-DCMAKE_PREFIX_PATH={self.prefix}")
            self.check_programs(build, DEFAULT_IS_SHARED, (program,))

    def test_find_package_of_another_version(self) -> None:
        for version, admitted in (("0.1.0", True), ("0.2", False), ("0.0", False), ("1", False)):
            status, output = attempt(
                CMAKE, "-S", HERE / "find_package", "-B", empty("version"), *words("CONFIGURE"),
                f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCONSUMER_WANTS={version}",
                "-DCONSUMER_LANGUAGES=C")
            self.assertEqual(admitted, status == 0, f"{version}: {output}")
            if not admitted:
                self.assertIn(f"version: {VERSION}", output)

    def test_add_subdirectory(self) -> None:
        self.check_subproject("add_subdirectory", f"-DCONSUMER_LIBRARY={ROOT}")

    def test_fetch_content(self) -> None:
        """From an archive that holds no more than the library itself."""
        archive = empty("archive") / "simakernels.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            for part in ("CMakeLists.txt", "cmake", "include", "runtime", "generated"):
                tar.add(ROOT / part, f"simakernels/{part}")
        self.check_subproject("fetch_content", f"-DCONSUMER_ARCHIVE={archive}")

    def check_pkg_config(self, prefix: Path, name: str) -> None:
        for kind in ("static", "shared"):
            build = empty(f"{name}_{kind}")
            run("make", "-C", build, "-f", HERE / "pkg_config" / "Makefile", f"KIND={kind}",
                f"CC={setting('CC')}", f"CXX={setting('CXX')}",
                PKG_CONFIG_LIBDIR=str(prefix / LIBDIR / "pkgconfig"))
            self.check_programs(build, kind == "shared")

    def test_pkg_config(self) -> None:
        self.check_pkg_config(self.prefix, "pkg_config")
        version = run("pkg-config", "--modversion", "simakernels-a65-dequant",
                      PKG_CONFIG_LIBDIR=str(self.prefix / LIBDIR / "pkgconfig"))
        self.assertEqual(VERSION, version.strip())

    def test_debian_package(self) -> None:
        made = empty("package")
        run(setting("CPACK"), "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", made)
        architecture = setting("ARCHITECTURE") or run("dpkg", "--print-architecture").strip()
        package = made / f"simakernels_{VERSION}_{architecture}.deb"
        self.assertEqual([package], list(made.glob("*.deb")))
        control = run("dpkg-deb", "--field", package)
        self.assertIn("Package: simakernels\n", control)
        self.assertIn(f"Architecture: {architecture}\n", control)
        self.assertRegex(control, r"Depends: libc6 \(>= 2\.\d+(\.\d+)?\)\n")

        root = empty("root")
        run("dpkg-deb", "--extract", package, root)
        self.assertEqual({f"usr/{name}" for name in files_in(self.prefix)}, files_in(root))
        self.assertIn(VERSION, run(*EMULATOR, root / "usr" / "bin" / "dequant", "--version"))
        self.check_pkg_config(root / "usr", "deb")
        build = empty("deb_find_package")
        self.build("find_package", build, f"-DCMAKE_PREFIX_PATH={root / 'usr'}")
        self.check_programs(build, DEFAULT_IS_SHARED)

    def test_what_is_missing_is_named_with_its_remedy(self) -> None:
        """Without Check, without pkg-config, without a C++ compiler: how to go on."""
        nowhere = str(empty("nowhere"))
        for arguments, variables, needs in (
            ([], {"PKG_CONFIG_LIBDIR": nowhere, "PKG_CONFIG_PATH": nowhere}, "need Check"),
            ([f"-DPKG_CONFIG_EXECUTABLE={nowhere}"], {}, "need Check"),
            ([], {"CXX": f"{nowhere}/c++"}, r"need a C\+\+\s+compiler"),
        ):
            command = [CMAKE, "-S", ROOT, "-B"]
            status, output = attempt(*command, empty("missing"), *arguments, **variables)
            self.assertNotEqual(0, status)
            self.assertRegex(output, needs)
            self.assertIn("-DSIMA_BUILD_TESTS=OFF", output)
            run(*command, empty("missing"), "-DSIMA_BUILD_TESTS=OFF", *arguments, **variables)


if __name__ == "__main__":
    unittest.main()
