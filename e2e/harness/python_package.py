# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The Python package as cargo built it beside the binary; what a wheel holds."""

import importlib
import pathlib
import shutil
import sys

from .server import binary

SOURCE = pathlib.Path(__file__).parents[2] / "crates/python/python/lakeward"


def library():
    """The native half: beside the binary, or where `cargo test` leaves it."""
    folder = pathlib.Path(binary()).parent
    found = [path for path in (folder / "lib_lakeward.so", folder / "deps/lib_lakeward.so") if path.exists()]
    if not found:
        raise FileNotFoundError(f"no lib_lakeward.so below {folder}; `cargo build -p lakeward-python` makes it")
    return max(found, key=lambda path: path.stat().st_mtime)


def load(folder):
    """Puts the package together in a folder and imports it."""
    package = pathlib.Path(folder) / "lakeward"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    shutil.copy(library(), package / "_lakeward.abi3.so")
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("lakeward")
    finally:
        sys.path.remove(str(folder))
