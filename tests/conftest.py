"""What all tests share: where the shared inputs lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, print_blob=True)
if os.environ.get("CI"):
    settings.load_profile("ci")  # the same examples each time: whether a change lands isn't left to chance

ROOT = Path(__file__).resolve().parent.parent


def find_shared() -> Path | None:
    """The folder of shared inputs beside the project, if it is there."""
    folder = ROOT.parent / "shared"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """`../shared`: required where CI is set, optional elsewhere."""
    folder = find_shared()
    if folder is None:
        if os.environ.get("CI"):
            pytest.fail("../shared is missing, and CI must have it")
        pytest.skip("../shared is not here: its examples and corpus are not part of the project")
    return folder
