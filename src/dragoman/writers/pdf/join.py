"""Laid-out parts joined into one document: pages, links across parts, bookmarks, numbers, metadata.

Parts say where they want to lead by links of a scheme of our own (`dragoman:`), which no transcript can
write (its links are http, https and mailto) and no finished document holds.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, BinaryIO

from msgspec import Struct

from dragoman.io.attachment import DESCRIPTION, MEDIA_TYPE, NAME
from dragoman.writers.pdf.stamps import FONT_NAME, Glyphs, fill, read_sheet
from dragoman.writers.pdf.typeset import Laid

GO = "dragoman:go/"
"""A link to an anchor, perhaps in another part."""

NUMBER = "dragoman:number/"
"""Around the placeholder of an anchor's page number (see `stamps.fill`)."""

SCHEMES = ("http://", "https://", "mailto:")

FOOT = 29.0
"""Points from the paper's lower edge to the baseline of the page number."""

FOOT_SIZE = 7.4


class Bookmark(Struct, frozen=True):
    """An outline entry. Levels count from 0, and go down one at a time."""

    level: int
    title: str
    anchor: str


class Plan(Struct, frozen=True, kw_only=True):
    """What the whole document is, beside its parts. `margin`: points from the right edge to the text."""

    title: str
    author: str
    subject: str
    language: str
    creator: str
    created: datetime | None = None
    modified: datetime | None = None
    margin: float = 62.4
    bookmarks: Sequence[Bookmark] = ()
    pdfa: bool = False
    attachment: bytes | None = None


class Joined(Struct, frozen=True):
    """How it came out. `page_of`: anchors to page numbers, counted from 1. `refused`: links left out."""

    pages: int
    page_of: dict[str, int]
    refused: int = 0


class _Places:
    """Where the anchors are: page number, page object, position."""

    def __init__(self) -> None:
        self.page: dict[str, int] = {}
        self.target: dict[str, Any] = {}
        self.used: set[str] = set()


def join(parts: Iterable[Laid], sheet: Laid, plan: Plan, out: BinaryIO) -> Joined:
    """Write the joined document. Its bytes depend on its parts and plan only."""
    import pikepdf

    with pikepdf.new() as pdf, pikepdf.open(io.BytesIO(sheet.pdf)) as sheet_pdf:
        glyphs = read_sheet(sheet_pdf)
        font = pdf.copy_foreign(glyphs.font)
        sources = []
        places = _Places()
        for part in parts:
            source = pikepdf.open(io.BytesIO(part.pdf))
            sources.append(source)
            _take(pdf, source, places, first=len(sources) == 1, pdfa=plan.pdfa)
        marks, refused = _links(pdf, places)
        _stamp(pdf, glyphs, font, marks, places, plan)
        _bookmarks(pdf, plan.bookmarks, places)
        _destinations(pdf, places)
        describe(pdf, plan)
        if plan.attachment is not None:
            attach(pdf, plan.attachment, plan)
        save(pdf, out)
        pages = len(pdf.pages)
        for source in sources:
            source.close()
    return Joined(pages, places.page, refused)


def finish(laid: Laid, plan: Plan, out: BinaryIO) -> int:
    """Write a document that was laid out whole: its tags and numbers stand, the rest is added. Returns its pages."""
    import pikepdf

    with pikepdf.open(io.BytesIO(laid.pdf)) as pdf:
        places = _Places()
        _note_places(pdf, pdf, places, 0)
        _bookmarks(pdf, plan.bookmarks, places)
        describe(pdf, plan)
        if plan.attachment is not None:
            attach(pdf, plan.attachment, plan)
        save(pdf, out)
        return len(pdf.pages)


def _take(pdf: Any, source: Any, places: _Places, *, first: bool, pdfa: bool) -> None:
    """Append a part's pages, and note where its anchors came to lie."""
    start = len(pdf.pages)
    pdf.pages.extend(source.pages)
    if first and pdfa and "/OutputIntents" in source.Root:
        pdf.Root.OutputIntents = pdf.copy_foreign(pdf_indirect(source, source.Root.OutputIntents))
    _note_places(pdf, source, places, start)


def _note_places(pdf: Any, source: Any, places: _Places, start: int) -> None:
    """Where the anchors of `source` came to lie in `pdf`, whose pages from `start` are its own."""
    import pikepdf

    numbers = {page.obj.objgen: number for number, page in enumerate(source.pages)}
    names = source.Root.get("/Names", {}).get("/Dests", {}).get("/Names", None)
    if names is None:
        return
    entries = list(names)
    for name, target in zip(entries[::2], entries[1::2], strict=False):
        anchor = str(name)
        number = numbers.get(target[0].objgen)
        if number is None or anchor in places.page:
            continue
        places.page[anchor] = start + number + 1
        page = pdf.pages[start + number].obj
        places.target[anchor] = pikepdf.Array([page, pikepdf.Name.XYZ, target[2], target[3], 0])


def pdf_indirect(pdf: Any, value: Any) -> Any:
    """The object by reference: only such can be copied to another document."""
    return value if value.is_indirect else pdf.make_indirect(value)


def _links(pdf: Any, places: _Places) -> tuple[dict[int, list[str]], int]:
    """Lead our own links to their anchors, take the places of numbers, and keep only links that may go out."""
    import pikepdf

    marks: dict[int, list[str]] = {}
    refused = 0
    for number, page in enumerate(pdf.pages):
        annotations = page.obj.get("/Annots")
        if annotations is None:
            continue
        kept = []
        for each in annotations:
            action = each.get("/A")
            uri = "" if action is None else str(action.get("/URI", ""))
            if uri.startswith(GO):
                anchor = uri[len(GO) :]
                if anchor not in places.target:
                    refused += 1
                    continue
                del each["/A"]
                each["/Dest"] = pikepdf.String(anchor)
                places.used.add(anchor)
                kept.append(each)
            elif uri.startswith(NUMBER):
                marks.setdefault(number, []).append(uri[len(NUMBER) :])
            elif uri.lower().startswith(SCHEMES):
                kept.append(each)
            else:
                refused += 1
        if kept:
            page.obj["/Annots"] = pikepdf.Array(kept)
        else:
            del page.obj["/Annots"]
    return marks, refused


def _stamp(pdf: Any, glyphs: Glyphs, font: Any, marks: dict[int, list[str]], places: _Places, plan: Plan) -> None:
    total = len(pdf.pages)
    before = pdf.make_indirect(pdf.make_stream(b"q\n"))
    for number, page in enumerate(pdf.pages):
        box = [float(edge) for edge in page.obj.MediaBox]
        text = f"Page {number + 1} of {total}"
        foot = glyphs.show_right(text, box[2] - plan.margin, box[1] + FOOT, FOOT_SIZE)
        after = pdf.make_stream(b"Q\n" + foot)
        resources = page.obj.Resources
        for unused in ("/Pattern", "/Shading"):
            if unused in resources and not resources[unused].keys():
                del resources[unused]
        if "/Font" not in resources:
            resources.Font = {}
        if FONT_NAME not in resources.Font:
            resources.Font[FONT_NAME] = font
        if number in marks:
            texts = [str(places.page.get(anchor, "")) for anchor in marks[number]]
            if not fill(pdf, page, glyphs, texts):
                raise ValueError("the contents came out otherwise than they were set")
        contents = page.obj.Contents
        page.obj.Contents = [before, contents, after]


def _bookmarks(pdf: Any, bookmarks: Sequence[Bookmark], places: _Places) -> None:
    import pikepdf

    with pdf.open_outline() as outline:
        path: list[Any] = []
        for each in bookmarks:
            target = places.target.get(each.anchor)
            if target is None:
                continue
            item = pikepdf.OutlineItem(each.title, destination=target)
            item.is_closed = each.level > 0
            del path[each.level :]
            (path[-1].children if path else outline.root).append(item)
            path.append(item)
    pdf.Root.PageMode = pikepdf.Name.UseOutlines


def _destinations(pdf: Any, places: _Places) -> None:
    import pikepdf

    if not places.used:
        return
    array: list[Any] = []
    for anchor in sorted(places.used, key=lambda each: each.encode()):
        array.extend((pikepdf.String(anchor), places.target[anchor]))
    pdf.Root.Names = pdf.make_indirect(pikepdf.Dictionary())
    pdf.Root.Names.Dests = pdf.make_indirect(pikepdf.Dictionary(Names=array))


def describe(pdf: Any, plan: Plan) -> None:
    """Title, author, language and dates: in the information dictionary, and the same in XMP."""
    import pikepdf

    root = pdf.Root
    root.Lang = pikepdf.String(plan.language)
    root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
    root.PageLabels = pikepdf.Dictionary(Nums=[0, pikepdf.Dictionary(S=pikepdf.Name.D)])
    with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as xmp:
        xmp["dc:title"] = plan.title
        if plan.author:
            xmp["dc:creator"] = [plan.author]
        if plan.subject:
            xmp["dc:description"] = plan.subject
        xmp["dc:language"] = {plan.language}
        xmp["xmp:CreatorTool"] = plan.creator
        xmp["pdf:Producer"] = plan.creator
        if plan.created is not None:
            xmp["xmp:CreateDate"] = _iso(plan.created)
        if plan.modified is not None:
            xmp["xmp:ModifyDate"] = _iso(plan.modified)
        if plan.pdfa:
            xmp["pdfaid:part"] = "3"
            xmp["pdfaid:conformance"] = "U"
    info = pdf.docinfo
    info.Title = pikepdf.String(plan.title)
    if plan.author:
        info.Author = pikepdf.String(plan.author)
    if plan.subject:
        info.Subject = pikepdf.String(plan.subject)
    info.Creator = pikepdf.String(plan.creator)
    info.Producer = pikepdf.String(plan.creator)
    if plan.created is not None:
        info.CreationDate = pikepdf.String(pdf_date(plan.created))
    if plan.modified is not None:
        info.ModDate = pikepdf.String(pdf_date(plan.modified))


def attach(pdf: Any, data: bytes, plan: Plan) -> None:
    """Embed the conversation. One file, whose name the `pdf` reader looks for."""
    import pikepdf

    when = "" if plan.modified is None else pdf_date(plan.modified)
    spec = pikepdf.AttachedFileSpec(
        pdf, data, filename=NAME, description=DESCRIPTION, mime_type=MEDIA_TYPE, creation_date=when, mod_date=when
    )
    spec.obj["/AFRelationship"] = pikepdf.Name.Source
    pdf.attachments[NAME] = spec
    pdf.Root.AF = pikepdf.Array([spec.obj])


def save(pdf: Any, out: BinaryIO) -> None:
    """The same document is the same bytes: even its identifier follows from its content."""
    import pikepdf

    pdf.save(
        out,
        deterministic_id=True,
        object_stream_mode=pikepdf.ObjectStreamMode.generate,
        compress_streams=True,
        min_version="1.7",
    )


def pdf_date(when: datetime) -> str:
    """`D:20260102030405+01'00'`, as PDF writes a time."""
    offset = when.strftime("%z") or "+0000"
    zone = "Z" if offset == "+0000" else f"{offset[:3]}'{offset[3:5]}'"
    return when.strftime("D:%Y%m%d%H%M%S") + zone


def _iso(when: datetime) -> str:
    return when.replace(microsecond=0).isoformat()
