# SPDX-License-Identifier: Apache-2.0
"""Generates the specialized dequantization kernels, their dispatch table and their manifest.

The pipeline reads one way: family file -> specifications -> legality -> names -> dispatch ->
templates -> files in memory -> written, or compared with what is checked in.
"""
