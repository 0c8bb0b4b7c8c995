"""What an option may be is said in words, where it was given something else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from cli_made import SESSION, Run, claude_code
from msgspec import Meta, Struct

from dragoman.conversion.options import make_options
from dragoman.errors import UsageError


def test_a_switch_is_true_or_false(dragoman: Run) -> None:
    """It said "Expected `bool`, got `str` - at `$.split`"."""
    claude_code(Path(f"{SESSION}.jsonl"))
    for way in (("--split=maybe",), ("-O", "split=maybe")):
        said = dragoman("convert", f"{SESSION}.jsonl", "-t", "html", *way)
        assert said.code == 2 and said.errors == "dragoman: the html writer: --split is true or false\n"


class Options(Struct, frozen=True):
    page_size: Literal["a4", "letter"] = "a4"
    level: Literal[1, 2] = 1
    width: Annotated[int, Meta(ge=1, lt=90, description="Columns.")] = 80
    scale: float = 1.0
    quick: bool = False


class Component:
    name = "made-up"
    options = Options


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"page_size": "b5"}, "--page-size is one of a4, letter"),
        ({"level": "3"}, "--level is one of 1, 2"),
        ({"width": "wide"}, "--width is a whole number of 1 or more and less than 90"),
        ({"width": "0"}, "--width is a whole number of 1 or more and less than 90"),
        ({"scale": "big", "quick": "1"}, "--scale is a number"),
        ({"quick": "si", "scale": "x"}, "--scale is a number; --quick is true or false"),
    ],
)
def test_what_a_value_may_be(given: dict[str, str], what: str) -> None:
    component: Any = Component()
    with pytest.raises(UsageError) as error:
        make_options(component, given, role="writer")
    assert str(error.value) == f"the made-up writer: {what}"
