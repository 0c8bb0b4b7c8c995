"""Pages drawn by poppler: nothing runs off the page, and pages look like those that people looked at."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pdf_made import SESSIONS, Made
from PIL import Image, ImageChops, ImageFilter, ImageStat

REFERENCES = Path(__file__).parent / "references"
RESOLUTION = 40
"""Dots per inch of the comparison: words are grey stripes, so that a font's next version makes no difference."""

TOLERANCE = 1.2
"""Mean difference of grey (of 255) after a blur. The same page 2.5 mm lower differs by 2.2 to 3.9."""

pytestmark = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="pdftoppm (poppler-utils) isn't here")


def pages(path: Path, folder: Path, resolution: int, last: int = 0) -> Iterator[Image.Image]:
    until = ["-l", str(last)] if last else []
    subprocess.run(["pdftoppm", "-r", str(resolution), "-gray", *until, str(path), str(folder / "page")], check=True)
    for file in sorted(folder.glob("page-*")):
        with Image.open(file) as image:
            yield image.convert("L")


@pytest.mark.parametrize("name", list(SESSIONS))
def test_nothing_runs_off_the_page(name: str, made: Callable[..., Made], tmp_path: Path) -> None:
    """The outer margins stay white: 15 mm on the right, 12 mm on the left, 8 mm below and above."""
    for image in pages(made(name).path, tmp_path, 50):
        millimetre = image.width / 210
        width, height = image.size
        right = image.crop((round(width - 15 * millimetre), 0, width, height))
        left = image.crop((0, 0, round(12 * millimetre), height))
        above = image.crop((0, 0, width, round(8 * millimetre)))
        below = image.crop((0, round(height - 8 * millimetre), width, height))
        for edge in (right, left, above, below):
            assert edge.getextrema() == (255, 255)


def _has_the_fonts() -> bool:
    found = subprocess.run(["fc-list", ":", "family"], capture_output=True, text=True, check=False).stdout
    return all(
        each in found for each in ("Noto Serif", "Noto Sans", "Noto Sans Mono", "Noto Sans CJK", "Noto Naskh Arabic")
    )


@pytest.mark.skipif(
    shutil.which("fc-list") is None or not _has_the_fonts(), reason="the references were set in Noto fonts"
)
@pytest.mark.parametrize("name", list(SESSIONS))
def test_pages_look_like_those_that_people_looked_at(
    name: str, made: Callable[..., Made], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The first three pages. `pytest --force-regen` draws the references anew: look at them before you commit."""
    for number, image in enumerate(pages(made(name).path, tmp_path, RESOLUTION, last=3), 1):
        reference = REFERENCES / f"{name}-{number}.png"
        if request.config.getoption("force_regen"):
            REFERENCES.mkdir(exist_ok=True)
            image.quantize(16).save(reference, optimize=True)
            continue
        with Image.open(reference) as looked_at:
            assert image.size == looked_at.size
            blur = ImageFilter.GaussianBlur(3)
            difference = ImageChops.difference(image.filter(blur), looked_at.convert("L").filter(blur))
        assert ImageStat.Stat(difference).mean[0] < TOLERANCE
