# SPDX-License-Identifier: Apache-2.0
"""The documentation: its commands give what it prints, its links lead somewhere, and the pages that
list what the code has list all of it.

The program is named by DEQUANT_TOOL.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def sessions(page: Path) -> list[tuple[str, list[str]]]:
    """Commands and what a page says they print: blocks named console, $ before each command and >
    before its further lines."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"),
                            re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.startswith("> ") and not found[-1][1]:
                found[-1] = (f"{found[-1][0]}\n{line[2:]}", [])
            else:
                found[-1][1].append(line)
    return found


def matches(printed: list[str], wanted: list[str]) -> bool:
    """Line by line; '...' alone stands for any lines, within a line for anything."""
    if not wanted:
        return not printed
    if wanted[0] == "...":
        return any(matches(printed[i:], wanted[1:]) for i in range(len(printed) + 1))
    pattern = re.escape(wanted[0]).replace(r"\.\.\.", ".*")
    return bool(printed) and re.fullmatch(pattern, printed[0]) is not None and matches(
        printed[1:], wanted[1:])


class Commands(unittest.TestCase):
    def test_matching(self):
        for printed, wanted, answer in (
            ("", "", True), ("a", "", False), ("", "a", False), ("a b", "a b", True),
            ("a b", "a c", False), ("a b", "a ...", True), ("a\nb\nc", "a\n...\nc", True),
            ("a\nb", "a\n...\nc", False), ("a\nb", "...", True), ("a.c", "a.c", True),
            ("abc", "a.c", False), ("a", "a\nb", False),
        ):
            self.assertEqual(matches(printed.splitlines(), wanted.splitlines()), answer, wanted)

    def test_every_page_of_them(self):
        pages = {page.name: sessions(page) for page in PAGES}
        for name in ("numerics.md", "generated_code.md", "errors.md"):
            self.assertTrue(pages[name], f"{name} shows no command")
        for name, commands in pages.items():
            if commands:
                with self.subTest(page=name):
                    self.run_page(commands)

    def run_page(self, commands: list[tuple[str, list[str]]]) -> None:
        """All commands of a page in one shell, so that one may need what another made."""
        mark = "=== end of a command ==="
        script = "\n".join(f"{command}\necho '{mark}'" for command, _ in commands)
        with tempfile.TemporaryDirectory() as scratch:
            tools = Path(scratch) / "tools"
            tools.mkdir()
            (tools / "python3").symlink_to(sys.executable)
            (tools / "dequant").symlink_to(Path(os.environ["DEQUANT_TOOL"]).resolve())
            environment = os.environ | {
                "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT),
                "LC_ALL": "C.UTF-8",
            }
            done = subprocess.run(
                ["bash", "-c", script], cwd=scratch, env=environment, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, check=False,
            )
        printed = done.stdout.split(f"{mark}\n")[:-1]
        self.assertEqual(len(printed), len(commands), done.stdout)
        for text, (command, wanted) in zip(printed, commands):
            self.assertTrue(matches(text.splitlines(), wanted),
                            f"\n$ {command}\n{text}is not\n" + "\n".join(wanted))


class Links(unittest.TestCase):
    def test_files_that_pages_name(self):
        """Links, and paths in backquotes that begin with one of this tree's directories."""
        directories = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"build", ".git"}
        count = 0
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", text):
                count += 1
                self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")
            for target in re.findall(r"`([\w./*<>-]+/[\w./*<>-]*)`", text):
                if target.split("/")[0] in directories and "<" not in target:
                    count += 1
                    self.assertTrue(list(ROOT.glob(target.rstrip("/"))), f"{page.name}: {target}")
        self.assertGreater(count, 30)

    def test_every_page_is_linked(self):
        overview = (ROOT / "docs" / "overview.md").read_text(encoding="utf-8")
        for page in ROOT.glob("docs/*.md"):
            if page.name != "overview.md":
                self.assertTrue(f"]({page.name})" in overview, page.name)


class Lists(unittest.TestCase):
    def test_every_status_has_a_section(self):
        header = (ROOT / "include/simaai/kernels/status.h").read_text(encoding="utf-8")
        enumeration = header[header.index("typedef enum sima_status"):header.index("} sima_status")]
        statuses = re.findall(r"^    (SIMA_[A-Z_]+)", enumeration, re.MULTILINE)
        self.assertEqual(len(statuses), 16)
        page = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"^### `(SIMA_\w+)`", page, re.MULTILINE), statuses)

    def test_every_message_is_on_the_page(self):
        """The first words of each message of the sources stand in a cause of errors.md."""
        page = " ".join((ROOT / "docs/errors.md").read_text(encoding="utf-8").split())
        count = 0
        for source in (*ROOT.glob("runtime/ops/*.c"), ROOT / "runtime/a65/dequant.c"):
            text = source.read_text(encoding="utf-8")
            joined = re.sub(r'"\s*\n\s*"', "", text)
            for message in re.findall(r'"((?:[^"\\]|\\.)*)"', joined):
                if ";" in message and " " in message:
                    count += 1
                    found = message.split(";")[0]
                    self.assertTrue(found in page, f"{source.name}: {found}")
        self.assertGreater(count, 30)

    def test_every_check_of_lint_is_on_the_page(self):
        script = (ROOT / "scripts/lint").read_text(encoding="utf-8")
        checks = re.search(r"^checks=\((.*)\)$", script, re.MULTILINE)[1].split()
        page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        for check in checks:
            self.assertTrue(f"| `{check}` |" in page, check)


if __name__ == "__main__":
    unittest.main()
