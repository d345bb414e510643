# SPDX-License-Identifier: Apache-2.0
"""The dequant command: values, layouts, and every way in which it must refuse.

The program is named by DEQUANT_TOOL, and what runs it, if anything, by DEQUANT_EMULATOR.
"""

import contextlib
import io
import itertools
import os
import pty
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import numpy

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "ocr_network"))

import check  # noqa: E402
import extract  # noqa: E402
import run  # noqa: E402

EMULATOR = os.environ.get("DEQUANT_EMULATOR", "").split(";") if os.environ.get(
    "DEQUANT_EMULATOR"
) else []
TOOL = EMULATOR + [os.environ["DEQUANT_TOOL"]]


def found(command: list[str]) -> list[str]:
    """A command whose first word is a path."""
    return [shutil.which(command[0]) or command[0], *command[1:]]


def npy(text: str, data: bytes, version: int = 1) -> bytes:
    """A file with this dictionary, whatever it says."""
    field = "<H" if version == 1 else "<I"
    body = text.encode("latin-1") + b"\n"
    return b"\x93NUMPY" + bytes((version, 0)) + struct.pack(field, len(body)) + body + data


def header(descr: str, shape: tuple[int, ...], fortran: bool = False) -> str:
    return f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape!r}, }}"


def size(shape: tuple[int, ...]) -> int:
    total = 1
    for extent in shape:
        total *= extent
    return total


def bf16(bits: int) -> int:
    return check.narrow(bits)


def staged(value: int, zero_point: int, scale: float) -> int:
    """Bits of the definition, for a scale that is a binary32 and a small zero point."""
    difference = value - zero_point
    if difference == 0:
        return 0
    return int.from_bytes(struct.pack("<f", difference * scale), "little")


def binary32(value: float) -> float:
    """The nearest binary32, ties to even; beyond the largest one, an infinity."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def staged_wide(value: int, zero_point: int, scale: float) -> int:
    """As staged(), for every zero point: all that is rounded here is exact in a Python float."""
    product = binary32(binary32(value - binary32(zero_point)) * scale)
    return int.from_bytes(struct.pack("<f", product + 0.0), "little")


class ToolTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)
        self.source = self.directory / "in.npy"
        self.target = self.directory / "out.npy"

    prefix: list[str] = []

    def run_tool(self, *options: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*self.prefix, *TOOL, *options], capture_output=True, text=True, check=False,
            timeout=120,
        )

    def convert(self, *options: str) -> tuple[str, tuple[int, ...], bytes]:
        done = self.run_tool(*options, str(self.source), str(self.target))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "")
        return check.read_npy(self.target)

    def refused(self, *arguments: str, code: int = 1) -> str:
        """One line on stderr, no output, nothing left in the directory that was not there."""
        before = {path: path.read_bytes() for path in self.directory.iterdir() if path.is_file()}
        done = self.run_tool(*arguments)
        after = {path: path.read_bytes() for path in self.directory.iterdir() if path.is_file()}
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("dequant: "), done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(before, after)
        return done.stderr

    def refused_file(self, content: bytes) -> str:
        self.source.write_bytes(content)
        return self.refused("--scale", "1", str(self.source), str(self.target))


class Values(ToolTest):
    DATA = bytes(range(256))

    def test_f32_and_bf16(self):
        self.source.write_bytes(npy(header("|i1", (256,)), self.DATA))
        for text, scale in (("0.1", struct.unpack("<f", struct.pack("<f", 0.1))[0]),
                            ("0x1p-4", 0.0625), ("1e-45", 2.0**-149), ("3", 3.0)):
            for zero_point in (0, -128, 127, 5, 1000):
                want = [staged(byte - 256 if byte > 127 else byte, zero_point, scale)
                        for byte in self.DATA]
                options = ("--scale", text, "--zero-point", str(zero_point))
                descr, shape, data = self.convert(*options)
                self.assertEqual((descr, shape), ("<f4", (256,)))
                self.assertEqual(list(struct.unpack("<256I", data)), want)
                descr, shape, data = self.convert(*options, "--output", "bf16")
                self.assertEqual((descr, shape), ("<u2", (256,)))
                self.assertEqual(list(struct.unpack("<256H", data)), [bf16(b) for b in want])

    def test_every_class_of_zero_point(self):
        self.source.write_bytes(npy(header("|i1", (256,)), self.DATA))
        values = struct.unpack("<256b", self.DATA)
        for scale in (binary32(0.1), 0.25, 1.0, binary32(3e38), 2.0**-149):
            for zero_point in (-(2**31), -16777090, -16777089, 129, 16777088, 16777089, 16777217,
                               2**31 - 1):
                want = [staged_wide(value, zero_point, scale) for value in values]
                options = ("--scale", scale.hex(), "--zero-point", str(zero_point))
                _, _, data = self.convert(*options)
                self.assertEqual(list(struct.unpack("<256I", data)), want)
                _, _, data = self.convert(*options, "--output", "bf16")
                self.assertEqual(list(struct.unpack("<256H", data)), [bf16(b) for b in want])

    def test_bf16_narrows_the_rounded_product(self):
        self.source.write_bytes(npy(header("|i1", (1,)), b"\x7f"))
        scale = struct.unpack("<f", struct.pack("<I", 0x4037CED9))[0]
        _, _, data = self.convert("--scale", scale.hex(), "--zero-point", "-123",
                                  "--output", "bf16")
        self.assertEqual(data, struct.pack("<H", 0x4434))

    def test_large_zero_point(self):
        self.source.write_bytes(npy(header("|i1", (1,)), b"\x01"))
        _, _, data = self.convert("--scale", "1", "--zero-point", "16777217")
        self.assertEqual(struct.unpack("<f", data)[0], -16777215.0)

    def test_every_rank_in_both_orders(self):
        for rank in range(7):
            shape = (3, 2, 4, 1, 2, 3)[:rank]
            values = [(7 * i) % 256 - 128 for i in range(size(shape))]
            fortran = [0] * len(values)
            for number, index in enumerate(itertools.product(*map(range, shape))):
                offset, stride = 0, 1
                for position, extent in zip(index, shape):
                    offset += position * stride
                    stride *= extent
                fortran[offset] = values[number]
            want = struct.pack(f"<{len(values)}f", *(2.0 * value for value in values))
            for order, stored in ((False, values), (True, fortran)):
                data = struct.pack(f"<{len(stored)}b", *stored)
                self.source.write_bytes(npy(header("|i1", shape, order), data))
                self.assertEqual(self.convert("--scale", "2"), ("<f4", shape, want))

    def test_empty_arrays(self):
        for shape in ((0,), (3, 0), (0, 5, 2)):
            for order in (False, True):
                self.source.write_bytes(npy(header("|i1", shape, order), b""))
                self.assertEqual(self.convert("--scale", "2"), ("<f4", shape, b""))

    def test_scales_one_a_row_in_both_orders(self):
        rows, columns = 5, 19
        values = [(11 * i) % 256 - 128 for i in range(rows * columns)]
        scales = struct.unpack("<5f", struct.pack("<5f", 0.1, 0.25, 3.0, 1e-40, 7e37))
        scales_path = self.directory / "scales.npy"
        scales_path.write_bytes(npy(header("<f4", (rows,)), struct.pack("<5f", *scales)))
        want = [staged(value, 3, scales[i // columns]) if abs(value - 3) * scales[i // columns]
                < 3.4e38 else (0x7F800000 if value > 3 else 0xFF800000)
                for i, value in enumerate(values)]
        columns_first = [values[r * columns + c] for c in range(columns) for r in range(rows)]
        for order, stored in ((False, values), (True, columns_first)):
            data = struct.pack(f"<{len(stored)}b", *stored)
            self.source.write_bytes(npy(header("|i1", (rows, columns), order), data))
            _, _, data = self.convert("--scales", str(scales_path), "--zero-point", "3")
            self.assertEqual(list(struct.unpack(f"<{len(want)}I", data)), want)

    def test_scales_of_empty_arrays(self):
        scales_path = self.directory / "scales.npy"
        for shape in ((0, 3), (2, 0)):
            scales = struct.pack(f"<{shape[0]}f", *[1.0] * shape[0])
            scales_path.write_bytes(npy(header("<f4", shape[:1]), scales))
            self.source.write_bytes(npy(header("|i1", shape), b""))
            self.assertEqual(self.convert("--scales", str(scales_path)), ("<f4", shape, b""))

    def test_headers_that_numpy_would_accept(self):
        data = b"\x01\x02\x03"
        for version, text in (
            (1, header("|i1", (3,))),
            (2, header("|i1", (3,))),
            (3, header("|i1", (3,))),
            (1, header("<i1", (3,))),
            (1, "{'shape': (3,), 'descr': 'i1', 'fortran_order': False}"),
            (1, '{"descr": "|i1", "fortran_order": True, "shape": (3,)}'),
            (1, "  {'descr' : '|i1','fortran_order':False,'shape':( 3 , ) , }   "),
        ):
            self.source.write_bytes(npy(text, data, version))
            self.assertEqual(
                self.convert("--scale", "1"), ("<f4", (3,), struct.pack("<3f", 1, 2, 3)), text
            )

    def test_output_replaces_its_own_input(self):
        self.source.write_bytes(npy(header("|i1", (2,)), b"\x01\x02"))
        done = self.run_tool("--scale", "1", str(self.source), str(self.source))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(check.read_npy(self.source), ("<f4", (2,), struct.pack("<2f", 1, 2)))

    def test_output_header_ends_at_a_multiple_of_64(self):
        self.source.write_bytes(npy(header("|i1", (1, 2, 3)), bytes(6)))
        self.convert("--scale", "1")
        self.assertEqual((self.target.stat().st_size - 24) % 64, 0)

    def test_explain(self):
        self.source.write_bytes(npy(header("|i1", (4, 8), True), bytes(32)))
        done = self.run_tool("--explain", "--scale", "0.5", str(self.source), str(self.target))
        self.assertEqual(done.returncode, 0)
        for line in ("shape      (4, 8) in Fortran order", "input      32 bytes required",
                     "output     128 bytes required, alignment 4",
                     "spans      32 spans of 1 element\n",
                     "dense      no",
                     "kernel     sima_dequant_", "time "):
            self.assertIn(line, done.stdout)

    def test_help_and_version(self):
        self.assertIn("<u2", self.run_tool("--help").stdout)
        self.assertEqual(self.run_tool("-h").stdout, self.run_tool("--help").stdout)
        self.assertEqual(self.run_tool("--version").stdout, "dequant 0.1.0\n")

    def test_the_manual_knows_every_option(self):
        manual = (Path(__file__).parents[2] / "man" / "dequant.1").read_text(encoding="utf-8")
        options = re.findall(r"--([a-z-]+)", self.run_tool("--help").stdout)
        self.assertGreater(len(set(options)), 6)
        for option in options:
            self.assertIn(f"Fl Fl {option}", manual)


class Usage(ToolTest):
    def test_usage_errors(self):
        self.source.write_bytes(npy(header("|i1", (1,)), b"\x01"))
        files = (str(self.source), str(self.target))
        for arguments in (
            (),
            files,
            ("--scale", "1"),
            ("--scale", "1", files[0]),
            ("--scale", "1", *files, "more"),
            ("--scale", "1", "--scales", "s.npy", *files),
            ("--scale",),
            ("--unknown", *files),
            ("--scale", "1x", *files),
            ("--scale", "", *files),
            ("--scale", " 1", *files),
            ("--scale", "1e39", *files),
            ("--scale", "-1e39", *files),
            ("--scale", "1e-60", *files),
            ("--scale", "1", "--zero-point", "1.5", *files),
            ("--scale", "1", "--zero-point", "", *files),
            ("--scale", "1", "--zero-point", "2147483648", *files),
            ("--scale", "1", "--zero-point", "-2147483649", *files),
            ("--scale", "1", "--zero-point", "99999999999999999999", *files),
            ("--scale", "1", "--output", "f64", *files),
        ):
            self.refused(*arguments, code=2)

    def test_scales_that_the_library_refuses(self):
        self.source.write_bytes(npy(header("|i1", (1,)), b"\x01"))
        for scale, word in (("0", "zero"), ("-1", "negative"), ("-0.0", "zero"), ("nan", "NaN"),
                            ("inf", "infinite")):
            said = self.refused("--scale", scale, str(self.source), str(self.target), code=2)
            self.assertIn(word, said)

    def test_messages_say_what_was_wrong(self):
        files = (str(self.source), str(self.target))
        for arguments, words in (
            (files, "exactly one of --scale and --scales, and got neither"),
            (("--scale", "1", "--scales", "s.npy", *files), "and got both"),
            (("--scale", "1", files[0]), "exactly two files, IN.npy and OUT.npy, and got 1"),
            (("--scale",), "--scale lacks its value"),
            (("--unknown", *files), "'--unknown' is no option"),
            (("--explain=1", *files), "takes no value"),
            (("-xy", *files), "no option -x"),
            (("--scale", "1e39", *files), "beyond the largest binary32"),
            (("--scale", "1", "-", files[1]), "'-'"),
            (("--scale", "1", files[0], "-"), "'-'"),
        ):
            self.assertIn(words, self.refused(*arguments, code=2))


class Files(ToolTest):
    def test_wrong_types(self):
        for descr in ("<f4", "<u2"):
            width = 4 if descr == "<f4" else 2
            self.assertIn("INT8", self.refused_file(npy(header(descr, (2,)), bytes(2 * width))))
        for descr in ("|u1", "<i2", "<f8", "|b1", "|O", "|S1"):
            self.assertIn(descr, self.refused_file(npy(header(descr, (2,)), bytes(16))))
        self.refused_file(npy("{'descr': [('a', '|i1')], 'fortran_order': False, 'shape': (2,)}",
                              bytes(2)))

    def test_truncation_at_every_byte(self):
        whole = npy(header("|i1", (2, 3)), bytes(6))
        for length in range(len(whole)):
            self.refused_file(whole[:length])

    def test_headers_that_lie_about_the_size(self):
        for shape in ((7,), (5,), (2, 4), (0,), (6, 0), (10**9, 10**9), (2**63 - 1,),
                      (2**62, 4), (2**32, 2**32)):
            self.refused_file(npy(header("|i1", shape), bytes(6)))
        self.refused_file(npy(header("|i1", (6,)), bytes(7)))

    def test_absurd_shapes(self):
        for shape in ("(2**3,)", "(-6,)", "(6)", "6", "(6,,)", "(6.0,)", "('6',)", "(True,)",
                      "(9223372036854775808,)", "(99999999999999999999999,)", "[6]", "(6", "(,)",
                      "(1, 1, 1, 1, 1, 1, 6)", "None"):
            self.refused_file(
                npy(f"{{'descr': '|i1', 'fortran_order': False, 'shape': {shape}}}", bytes(6))
            )

    def test_malformed_dictionaries(self):
        good = header("|i1", (6,))
        for text in (
            "", "{}", good + "x", good[:-1], good.replace("descr", "desc"),
            good.replace("False", "0"), good.replace("False", "false"),
            good.replace("'fortran_order': False, ", ""),
            good.replace("{", "{'descr': '|i1', "),
            good.replace("{", "{'more': True, "),
            good.replace(":", ""), good.replace(",", ""), good.replace("'", ""),
            good.replace("|i1", "|i1" * 20), good.replace("|i1", "\\x7ci1"),
        ):
            self.refused_file(npy(text, bytes(6)))

    def test_unknown_versions(self):
        whole = bytearray(npy(header("|i1", (6,)), bytes(6)))
        for major, minor in ((0, 0), (4, 0), (1, 1), (255, 255)):
            whole[6:8] = bytes((major, minor))
            self.refused_file(bytes(whole))

    def test_header_length_beyond_the_file(self):
        self.refused_file(b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b" " * 100)
        self.refused_file(b"\x93NUMPY\x01\x00\xff\xff" + b" " * 100)

    def test_the_longest_header(self):
        for padding, code in ((65000, 0), (66000, 1)):
            self.source.write_bytes(npy(header("|i1", (6,)) + " " * padding, bytes(6), version=2))
            done = self.run_tool("--scale", "1", str(self.source), str(self.target))
            self.assertEqual(done.returncode, code, done.stderr)

    def test_random_damage_never_crashes(self):
        rng = random.Random(31)
        whole = npy(header("|i1", (6,)), bytes(6))
        for _ in range(300):
            damaged = bytearray(whole)
            for _ in range(rng.randrange(1, 4)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            self.source.write_bytes(damaged)
            done = self.run_tool("--scale", "1", str(self.source), str(self.target))
            self.assertIn(done.returncode, (0, 1))
            self.assertEqual(done.stderr.count("\n"), done.returncode)
            self.target.unlink(missing_ok=True)

    def test_wrong_scales(self):
        self.source.write_bytes(npy(header("|i1", (2, 3)), bytes(6)))
        scales = self.directory / "scales.npy"
        for content in (
            npy(header("<f8", (2,)), bytes(16)), npy(header("<f4", (3,)), bytes(12)),
            npy(header("<f4", (2, 1)), bytes(8)), npy(header("|i1", (2,)), bytes(2)),
            npy(header("<f4", ()), bytes(4)), b"", npy(header("<f4", (3, 0)), b""),
            npy(header("<f4", (2,)), struct.pack("<2f", 1, 0)),
            npy(header("<f4", (2,)), struct.pack("<2f", 1, float("nan"))),
        ):
            scales.write_bytes(content)
            self.refused("--scales", str(scales), str(self.source), str(self.target))
        self.source.write_bytes(npy(header("|i1", ()), bytes(1)))
        scales.write_bytes(npy(header("<f4", (1,)), struct.pack("<f", 1)))
        self.refused("--scales", str(scales), str(self.source), str(self.target))

    def test_refused_types_come_with_advice(self):
        self.source.write_bytes(npy(header("|i1", (2,)), bytes(2)))
        scales = self.directory / "scales.npy"
        scales.write_bytes(npy(header("<f8", (2,)), bytes(16)))
        arguments = ("--scales", str(scales), str(self.source), str(self.target))
        self.assertIn("scales.astype('<f4')", self.refused(*arguments))
        scales.write_bytes(npy(header("<f4", (1,)), struct.pack("<f", 1)))
        self.source.write_bytes(npy(header("|i1", ()), bytes(1)))
        self.assertIn("use --scale", self.refused(*arguments))

    def test_inputs_that_are_not_files(self):
        pipe = self.directory / "pipe"
        os.mkfifo(pipe)
        for path in (self.directory / "absent.npy", self.directory, Path("/dev/null"), pipe):
            self.refused("--scale", "1", str(path), str(self.target))

    def test_names_with_control_characters_stay_on_one_line(self):
        self.refused("--scale", "1", str(self.directory / "a\nb"), str(self.target))

    def test_outputs_that_cannot_be_written(self):
        self.source.write_bytes(npy(header("|i1", (2,)), bytes(2)))
        for path in (self.directory / "no" / "out.npy", self.directory, Path("/dev/null"),
                     Path("/proc/out.npy"), self.directory / ("x" * 300)):
            self.refused("--scale", "1", str(self.source), str(path))

    def test_links_as_outputs_are_refused(self):
        """/dev/stdout is one, and leads to a regular file where the shell redirects it."""
        self.source.write_bytes(npy(header("|i1", (2,)), bytes(2)))
        aim = self.directory / "aim"
        aim.write_bytes(b"old")
        for lead in (aim, self.directory / "dangling"):
            self.target.symlink_to(lead)
            self.assertIn("link", self.refused("--scale", "1", str(self.source), str(self.target)))
            self.assertTrue(self.target.is_symlink())
            self.target.unlink()

    def test_the_longest_name(self):
        self.source.write_bytes(npy(header("|i1", (2,)), bytes(2)))
        self.target = self.directory / ("x" * 255)
        self.convert("--scale", "1")

    def test_an_unwritable_directory(self):
        if os.geteuid() == 0:  # permissions bind root only without this capability
            self.prefix = ["setpriv", "--bounding-set", "-dac_override"]
        self.source.write_bytes(npy(header("|i1", (2,)), bytes(2)))
        self.directory.chmod(0o500)
        self.addCleanup(self.directory.chmod, 0o700)
        self.refused("--scale", "1", str(self.source), str(self.target))

    def test_a_full_standard_output(self):
        self.source.write_bytes(npy(header("|i1", (2,)), bytes(2)))
        for arguments in (("--help",), ("--version",),
                          ("--explain", "--scale", "1", str(self.source), str(self.target))):
            with open("/dev/full", "w") as full:
                done = subprocess.run([*TOOL, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      text=True, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))

    def test_a_refusal_spares_the_old_output(self):
        self.target.write_bytes(b"old")
        self.refused_file(npy(header("|i1", (9,)), bytes(6)))
        self.assertEqual(self.target.read_bytes(), b"old")

    def test_a_file_size_limit_leaves_nothing_behind(self):
        self.source.write_bytes(npy(header("|i1", (1 << 16,)), bytes(1 << 16)))
        done = subprocess.run(
            ["bash", "-c", 'ulimit -f 16; exec "$@"', "bash", *TOOL, "--scale", "1",
             str(self.source), str(self.target)],
            capture_output=True, text=True, check=False,
        )
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()), ["in.npy"])

    def interrupt_while_writing(self, number: signal.Signals) -> int:
        command = [*TOOL, "--scale", "1", str(self.source), str(self.target)]
        with subprocess.Popen(command) as running:
            while len(list(self.directory.iterdir())) == 2 and running.poll() is None:
                time.sleep(0.001)
            running.send_signal(number)
            return running.wait()

    def test_interruption_leaves_nothing_behind(self):
        elements = 1 << 26
        with self.source.open("wb") as file:
            file.write(npy(header("|i1", (elements,)), b""))
            file.truncate(file.tell() + elements)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # On a busy machine the 256 MiB may be written before the temporary file is seen.
            for _ in range(10):
                self.target.write_bytes(b"old")
                code = self.interrupt_while_writing(number)
                names = {path.name for path in self.directory.iterdir()}
                self.assertEqual(names, {"in.npy", "out.npy"})
                if code != 0:
                    break
            self.assertEqual(code, -number)
            self.assertEqual(self.target.read_bytes(), b"old")


# Runs a command and prints the most memory that it held, in KiB. The command is not started from
# this process: what starts it counts, and this one has NumPy.
PEAK = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


class LongWork(ToolTest):
    """Arrays of several pieces. DEQUANT_MEBIBYTES asks for another size than the usual one."""

    MEBIBYTES = int(os.environ.get("DEQUANT_MEBIBYTES", "128"))
    MOST_KIBIBYTES = 60 * 1024

    def hollow(self, mebibytes: int, *, fortran: bool = False) -> None:
        """Zeros that take no room on the disk."""
        shape = (1 << 10, mebibytes << 10)
        with self.source.open("wb") as file:
            file.write(npy(header("|i1", shape, fortran), b""))
            file.truncate(file.tell() + (mebibytes << 20))

    def test_pieces_are_put_together(self):
        rng = numpy.random.default_rng(33)
        for shape in ((3_000_001,), (7, 300_001), (300_001, 7), (2_000, 1_500), (3, 500_001, 2),
                      (40, 1, 30, 50, 60), (2, 3, 5, 7, 11, 1_301), (1_301, 11, 7, 5, 3, 2)):
            array = rng.integers(-128, 128, shape, numpy.int8)
            want = (array.astype(numpy.float32) - numpy.float32(5)) * numpy.float32(0.1)
            for stored in (array, numpy.asfortranarray(array)):
                numpy.save(self.source, stored)
                self.convert("--scale", "0.1", "--zero-point", "5")
                got = numpy.load(self.target)
                self.assertTrue((got.view("<u4") == want.view("<u4")).all(), shape)

    def test_pieces_meet_their_own_scales(self):
        rng = numpy.random.default_rng(34)
        path = self.directory / "scales.npy"
        for shape in ((7, 300_001), (300_001, 7), (2_000, 1_500), (3, 500_001, 2)):
            array = rng.integers(-128, 128, shape, numpy.int8)
            scales = rng.random(shape[0], numpy.float32) + numpy.float32(0.5)
            numpy.save(path, scales)
            column = scales.reshape(-1, *[1] * (len(shape) - 1))
            want = (array.astype(numpy.float32) - numpy.float32(-9)) * column
            for stored in (array, numpy.asfortranarray(array)):
                numpy.save(self.source, stored)
                self.convert("--scales", str(path), "--zero-point", "-9")
                got = numpy.load(self.target)
                self.assertTrue((got.view("<u4") == want.view("<u4")).all(), shape)

    def test_memory_does_not_grow_with_the_array(self):
        # Emulated, the tool takes a minute for the other order; its pieces are as large.
        for fortran in (False,) if EMULATOR else (False, True):
            self.hollow(self.MEBIBYTES, fortran=fortran)
            started = time.monotonic()
            done = subprocess.run(
                [sys.executable, "-I", "-S", "-c", PEAK, *found(TOOL), "--output", "bf16",
                 "--scale", "0.1", "--zero-point", "1", str(self.source), str(self.target)],
                capture_output=True, text=True, check=False,
            )
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            peak = int(done.stdout)
            if "DEQUANT_MEBIBYTES" in os.environ:
                print(f"{self.MEBIBYTES} MiB, {'Fortran' if fortran else 'C'} order: {peak} KiB, "
                      f"{time.monotonic() - started:.1f} s", file=sys.stderr)
            self.assertLess(peak, self.MOST_KIBIBYTES)
            self.assertGreater(self.MEBIBYTES << 10, 2 * self.MOST_KIBIBYTES)
            with self.target.open("rb") as file:
                file.seek(-2, os.SEEK_END)
                self.assertEqual(file.tell() // (self.MEBIBYTES << 21), 1)
                self.assertEqual(file.read(), struct.pack("<H", bf16(staged(0, 1, binary32(0.1)))))

    def on_a_terminal(self) -> str:
        terminal, stderr = pty.openpty()
        with subprocess.Popen([*TOOL, "--scale", "1", str(self.source), str(self.target)],
                              stderr=stderr) as running:
            os.close(stderr)
            said = b""
            with contextlib.suppress(OSError):  # the terminal's end, on Linux
                while piece := os.read(terminal, 4096):
                    said += piece
            os.close(terminal)
            self.assertEqual(running.wait(), 0)
        return said.decode()

    def test_progress_is_for_terminals(self):
        self.hollow(128)  # long enough for an update, on whatever machine
        lines = self.on_a_terminal().replace("\r\n", "\n").split("\r")
        self.assertRegex(lines[-1], r"^dequant: [0-9.]+ MB read and written in [0-9.]+ s, "
                                    r"[0-9.]+ MB/s *\n$")
        self.assertGreater(len(lines), 2)
        for line in lines[1:-1]:
            self.assertRegex(line, r"^dequant: +[0-9]+%, +[0-9.]+ MB/s, +[0-9]+ s left$")
        self.hollow(1)
        self.convert("--scale", "1")  # which wants nothing on stderr

    def test_an_input_that_shrinks(self):
        for _ in range(10):
            self.hollow(256)
            with subprocess.Popen([*TOOL, "--scale", "1", str(self.source), str(self.target)],
                                  stderr=subprocess.PIPE, text=True) as running:
                while len(list(self.directory.iterdir())) == 1 and running.poll() is None:
                    time.sleep(0.001)
                os.truncate(self.source, 1000)
                _, said = running.communicate()
            if running.returncode != 0:  # else it was done before it could be truncated
                break
            self.target.unlink()
        self.assertEqual(running.returncode, 1)
        self.assertIn("became shorter while it was read", said)
        self.assertEqual([path.name for path in self.directory.iterdir()], ["in.npy"])


class Network(unittest.TestCase):
    """The example's extractor and check."""

    def network(self) -> bytes:
        rng = random.Random(32)
        data = bytes(rng.randrange(256) for _ in range(50))
        for rows, columns in ((3, 4), (1, 1), (7, 2)):
            data += struct.pack("<Biib", 133, rows, columns, 0)
            data += bytes(rng.randrange(256) for _ in range(rows * columns))
            data += struct.pack("<I", rows) + struct.pack(f"<{rows}d", *[0.25] * rows)
            data += bytes(rng.randrange(256) for _ in range(20))
        return data

    def traineddata(self, network: bytes) -> bytes:
        begin = 4 + 8 * 24
        offsets = [-1] * 24
        offsets[17] = begin
        offsets[21] = begin + len(network)
        return struct.pack("<i24q", 24, *offsets) + network + b"rest"

    def test_finds_the_planted_matrices(self):
        network = extract.network_of(self.traineddata(self.network()))
        self.assertEqual(network, self.network())
        shapes = [(m.rows, m.columns) for m in extract.matrices_of(network)]
        self.assertEqual(shapes, [(3, 4), (1, 1), (7, 2)])

    def test_refuses_other_files(self):
        truncated = self.traineddata(self.network())[:-10]
        for data in (truncated, b"", b"\x00", struct.pack("<i", 24),
                     struct.pack("<i17q", 17, *[0] * 17), struct.pack("<i24q", 24, *[-1] * 24)):
            with self.assertRaises(ValueError):
                extract.network_of(data)

    def test_the_check_sees_one_flipped_bit(self):
        scales = (0.25, 0.1)
        weights = bytes((1, 2, 255, 128))
        right = tuple(check.expected_bits(value, scale)
                      for value, scale in zip((1, 2, -1, -128), (0.25, 0.25, 0.1, 0.1)))
        self.assertEqual(check.differences(weights, scales, 2, "f32", right), 0)
        for place in range(4):
            wrong = tuple(bits ^ (i == place) for i, bits in enumerate(right))
            self.assertEqual(check.differences(weights, scales, 2, "f32", wrong), 1)

    def demonstrate(self, tool: list[str], damage: bool) -> int:
        """Exit code of the example on the planted network; `damage` flips one bit of a result."""
        with tempfile.TemporaryDirectory() as scratch:
            source = Path(scratch) / "planted.traineddata"
            source.write_bytes(self.traineddata(self.network()))
            wrapper = Path(scratch) / "tool"
            wrapper.write_text("#!/bin/sh\nexec " + " ".join(tool) + ' "$@"\n')
            wrapper.chmod(0o700)
            plain = run.dequantize

            def dequantize(tool: str, base: Path, output: str) -> tuple[str, float]:
                answer = plain(tool, base, output)
                if damage and base.name == "matrix_02" and output == "bf16":
                    result = Path(f"{base}.bf16.npy")
                    data = bytearray(result.read_bytes())
                    data[-1] ^= 1
                    result.write_bytes(data)
                return answer

            arguments = ["run.py", str(wrapper), str(source), scratch]
            with mock.patch.object(run, "dequantize", dequantize), \
                    mock.patch.object(sys, "argv", arguments), \
                    contextlib.redirect_stdout(io.StringIO()) as printed:
                code = run.main()
            self.assertIn(f"3 matrices, 27 weights, 54 results, {int(damage)} differences",
                          printed.getvalue())
            return code

    def test_the_example_ends_well_only_without_differences(self):
        self.assertEqual(self.demonstrate(TOOL, False), 0)
        self.assertEqual(self.demonstrate(TOOL, True), 1)

    def test_the_example_complains_of_other_totals(self):
        with tempfile.NamedTemporaryFile() as file:
            source = Path(file.name)
            self.assertIn("no INT8", run.totals_complaint(source, 0, 0))
            self.assertEqual(run.totals_complaint(source, 1, 1), "")
            with mock.patch.object(run.hashlib, "sha256") as digest:
                digest.return_value.hexdigest.return_value = next(iter(run.KNOWN_TOTALS))
                self.assertEqual(run.totals_complaint(source, 18, 385_807), "")
                self.assertIn("extractor", run.totals_complaint(source, 17, 385_807))


if __name__ == "__main__":
    unittest.main()
