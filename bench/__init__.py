# SPDX-License-Identifier: Apache-2.0
"""What the library costs: retired AArch64 instructions, modelled cycles, ratios of times.

scripts/bench builds what this reads and calls it as python3 -m bench.
"""

PREFIX = "sima_dequant_"
# As cmake/toolchains/ names them.
COMPILERS = ("gcc", "clang")
PEERS = ("xnnpack", "volk", "onednn")
# What is measured beside ours and judges nobody.
COMPARATORS = ("scalar", "loop", *PEERS)
