"""Numbers written onto finished pages: "page x of y" and the contents' page numbers.

They are known only when all parts are joined, and a second layout would double the time. The layout
sets a sheet of the few glyphs that they need, once; its embedded font then serves every page, and a
number is a handful of bytes in front of or behind what the page already draws.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

CHARACTERS = "0123456789 ofPage"
"""What can be stamped."""

FONT_NAME = "/DragomanStamp"

GREY = 0.42
"""How dark the foot of the page is."""

PLACEHOLDER = 8.77 / 0.75
"""The size of type, in the layout's own units, that nothing but a placeholder for a number is set in."""


def sheet_body() -> str:
    """The HTML of the sheet: every character in a box of its own, so that none joins with its neighbour."""
    boxes = "".join(f"<span>{each}</span>" for each in CHARACTERS if each != " ")
    return f'<p class="stamp-sheet">{boxes}</p>'


class Glyphs(Struct, frozen=True):
    """The stamping font as an object of the sheet's PDF, and each character's code and width (of 1000)."""

    font: Any
    codes: dict[str, str]
    widths: dict[str, float]

    def width(self, text: str, size: float) -> float:
        """How wide a text is, in points."""
        return sum(self.widths[each] for each in text) * size / 1000

    def show(self, text: str, x: float, y: float, size: float, grey: float = GREY) -> bytes:
        """The operators that draw a text, its left end and baseline at (x, y)."""
        codes: list[str] = []
        for each in text:
            if each == " ":
                codes.append(f">{-self.widths[' ']:g}<")
            else:
                codes.append(self.codes[each])
        shown = f"[<{''.join(codes)}>]".replace("<>", "")
        return f"BT {grey:g} g {FONT_NAME} {size:g} Tf 1 0 0 1 {x:.2f} {y:.2f} Tm {shown} TJ ET\n".encode()

    def show_right(self, text: str, right: float, y: float, size: float, grey: float = GREY) -> bytes:
        """The same, with its right end at `right`."""
        return self.show(text, right - self.width(text, size), y, size, grey)


def fill(pdf: Any, page: Any, glyphs: Glyphs, texts: list[str]) -> bool:
    """Put numbers in the place of a page's placeholders (a `0` each), in their order; False where they don't match.

    In place, so that whoever reads or copies the page meets each number after its entry.
    """
    import pikepdf

    made: list[Any] = []
    waiting = iter(texts)
    filled = 0
    font: list[Any] = []
    instruction: Any
    for instruction in pikepdf.parse_content_stream(page):
        operands, operator = instruction
        name = str(operator)
        if name == "Tf":
            font = list(operands)
        if name in ("TJ", "Tj") and font and abs(float(font[1]) - PLACEHOLDER) < 0.02:
            text = next(waiting, None)
            if text is None:
                return False
            filled += 1
            shift = sum(glyphs.widths[each] for each in text) - glyphs.widths["0"]
            shown = pikepdf.String(bytes.fromhex("".join(glyphs.codes[each] for each in text)))
            made.append(([pikepdf.Name(FONT_NAME), font[1]], pikepdf.Operator("Tf")))
            made.append(([pikepdf.Array([shift, shown])], pikepdf.Operator("TJ")))
            made.append((font, pikepdf.Operator("Tf")))
            continue
        made.append((operands, operator))
    if filled != len(texts):
        return False
    page.obj.Contents = pdf.make_stream(pikepdf.unparse_content_stream(made))
    return True


def read_sheet(pdf: Any) -> Glyphs:
    """The glyphs of a laid-out sheet. The boxes come in the order of CHARACTERS, one glyph each."""
    import pikepdf

    page = pdf.pages[0]
    codes: list[str] = []
    font_name = ""
    instruction: Any
    for instruction in pikepdf.parse_content_stream(page):
        operands, operator = instruction
        name = str(operator)
        if name == "Tf":
            font_name = str(operands[0])
        elif name in ("Tj", "TJ"):
            shown = operands[0] if name == "TJ" else operands
            for each in shown:
                if isinstance(each, pikepdf.String):
                    raw = bytes(each).hex()
                    codes.extend(raw[at : at + 4] for at in range(0, len(raw), 4))
    wanted = CHARACTERS.replace(" ", "")
    if len(codes) != len(wanted):
        raise ValueError("the stamp sheet came out otherwise than it was set")
    font = page.Resources.Font[font_name]
    widths = _widths(font)
    default = float(font.DescendantFonts[0].get("/DW", 1000))
    by_character = {each: widths.get(int(code, 16), default) for each, code in zip(wanted, codes, strict=True)}
    by_character[" "] = by_character["o"] * 0.45
    return Glyphs(font, dict(zip(wanted, codes, strict=True)), by_character)


def _widths(font: Any) -> dict[int, float]:
    """A composite font's W array: `c [w1 w2 …]` and `first last w`."""
    found: dict[int, float] = {}
    array = list(font.DescendantFonts[0].get("/W", []))
    at = 0
    while at < len(array):
        first = int(array[at])
        second = array[at + 1]
        if isinstance(second, int) or not hasattr(second, "__len__"):
            for code in range(first, int(second) + 1):
                found[code] = float(array[at + 2])
            at += 3
        else:
            for offset, width in enumerate(second):
                found[first + offset] = float(width)
            at += 2
    return found
