# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""What lies in a folder, by content."""

import hashlib


def digests(folder):
    """SHA-256 of every file below a folder, by its path there."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found
