"""Two passes over strings: learn every value, then put placeholders where any of them stands."""

from __future__ import annotations

from collections.abc import Iterable

from dragoman.filters.redact.decoded import in_clear
from dragoman.filters.redact.finder import Finder, Found, inside_mark
from dragoman.filters.redact.judge import MARK
from dragoman.filters.redact.seams import Part, seams, word
from dragoman.filters.redact.values import Search, Value, Values, rank
from dragoman.filters.redact.views import View, escapes, is_spelled, roots, spelled
from dragoman.filters.redact.views.broken import hashed, mixed, on_its_own

_NAME = 16  # letters that make a name of code one, and not the rest of a token
_LEAST = 6  # characters: shorter strings are no secrets by themselves
_STREAM = 4  # texts that share a secret: it was streamed, and no word of them only follows
_BATCH = 400_000
_KEPT = 400_000_000  # characters: above this, each string is searched when it is rewritten


class Replacer:
    """Learns from all strings of a run, then replaces in each. The answers are remembered by string."""

    def __init__(self, finder: Finder, values: Values | None = None, keep: frozenset[str] = frozenset()) -> None:
        self.finder = finder
        self.values = values if values is not None else Values()
        self._keep = keep
        self._fields: set[tuple[str, str]] = set()
        self.told_fields: dict[tuple[str, str], tuple[Found, ...]] = {}
        """What the names of fields gave away, by a field's name and the string that it holds."""
        self._lines: dict[str, tuple[Found, ...]] = {}
        self._pieces = False
        self._all: list[str] | None = []
        self._all_size = 0
        self._touched: set[str] | None = None
        self._within: frozenset[str] = frozenset()
        self._search: Search | None = None
        self._least = _LEAST
        self._done: dict[str, str] = {}
        self._clean: set[str] = set()

    def learn(self, texts: Iterable[str], *, exempt: bool = False) -> None:
        """First pass: scan the strings and take up every value, in their order."""
        ordered = texts if isinstance(texts, list) else list(texts)
        self.remember(ordered)
        self.finder.scan_all(ordered, exempt=exempt)
        for text in ordered:
            for found in self.finder.known(text, exempt=exempt):
                self._take(found)

    def remember(self, texts: list[str]) -> None:
        """Keep the strings for one search of all of them, unless they are too many to be kept."""
        if self._all is not None:
            self._all_size += sum(map(len, texts))
            if self._all_size > _KEPT:
                self._all = None
            else:
                self._all.extend(texts)

    def learn_fields(self, fields: Iterable[tuple[str, str]]) -> None:
        """First pass, for strings whose field's name says that they are secret."""
        new = {pair: f'"{pair[0]}": "{pair[1]}"' for pair in fields if pair not in self._fields}
        self.finder.scan_all(new.values())
        for (name, text), scanned in new.items():
            lead = len(name) + 5
            own = tuple(
                Found(each.start - lead, each.end - lead, each.rule, each.kind, each.value)
                for each in self.finder.known(scanned)
                if each.start >= lead and each.end <= lead + len(text)
            )
            self._fields.add((name, text))
            if own:
                self.told_fields[name, text] = own
            for each in own:
                self._take(each)

    def learn_lines(self, texts: list[list[str]]) -> None:
        """First pass, for texts that are kept as lists of their lines: what spans several of them."""
        wholes = ["\n".join(lines) for lines in texts]
        self.finder.scan_all(wholes)
        for whole, lines in zip(wholes, texts, strict=True):
            for found in self.finder.known(whole):
                self._take(found)
                start = 0
                for line in lines:
                    low, high = max(found.start - start, 0), min(found.end - start, len(line))
                    if low < high:
                        self._share(line, Found(low, high, found.rule, found.kind, found.value))
                    start += len(line) + 1

    def learn_neighbours(self, runs: Iterable[list[str]]) -> None:
        """First pass, for texts of which one may go on in the next: what two or more of them share."""
        found_seams = [seam for run in runs if len(run) > 1 for seam in seams(run)]
        self.finder.scan_all(seam.whole for seam in found_seams)
        for seam in found_seams:
            for found in self.finder.known(seam.whole):
                shares = seam.shares(found)
                if not shares or self._complete(shares):
                    continue
                self._take(found)
                for part, share in shares:
                    if _tells(part.text):
                        self._share(part.text, share)
                    else:
                        self._pieces = True

    def learn_outputs(self, outputs: Iterable[tuple[str, Found]]) -> None:
        """First pass, for texts told by what stands before them (a command that prints a secret, a question for one): what of each is one."""
        for text, found in outputs:
            self._take(found)
            self._share(text, found)

    def pieces(self, texts: list[str]) -> dict[int, tuple[str, Found, Value]]:
        """Second pass, for a run of neighbours: what becomes of those that say too little to be known anywhere else, as
        the letters of a stream. By their number in the run; what was found there, and the value."""
        new: dict[int, tuple[str, Found, Value]] = {}
        if not self._pieces or len(texts) < 2:
            return new
        for seam in seams(texts):
            if all(_tells(part.text) for part in seam.parts):
                continue
            for found in self.finder.scan(seam.whole):
                value = self.values.get(found.value)
                shares = seam.shares(found)
                if value is None or not shares or self._complete(shares):
                    continue
                for part, share in shares:
                    text = part.text
                    if part.number in new or _tells(text) or (len(shares) < _STREAM and word(text)):
                        continue
                    value.count += 1
                    said = f"{text[: share.start]}{self.values.label(value)}{text[share.end :]}"
                    new[part.number] = (said, share, value)
        return new

    def _complete(self, shares: list[tuple[Part, Found]]) -> bool:
        """Whether the first text has the secret by itself, and the next only begins with something else."""
        if len(shares) == 1:
            return False
        (part, first), (after, second) = shares[:2]
        alone = any(each.start == first.start and each.end == first.end for each in self.finder.known(part.text))
        more = after.text[second.start : second.end]
        name = len(more) >= _NAME and more.isalpha() and on_its_own(more)
        return alone and (not mixed(more) or hashed(more) or name)

    def _share(self, text: str, found: Found) -> None:
        held = self._lines.get(text, ())
        if found not in held:
            self._lines[text] = (*held, found)

    def _take(self, found: Found) -> None:
        if found.value not in self._keep and MARK not in found.value:
            self.values.add(found)
            for plain in in_clear(found.value, found.kind):
                if plain not in self._keep:
                    self.values.add_value(plain, found.kind, found.rule)

    def freeze(self) -> None:
        """End of the first pass: find out which of the strings hold a known value."""
        self._search = self.values.freeze()
        self._least = min([_LEAST, *(len(value.text) for value in self.values if value.everywhere)])
        self._touched = None
        if self._all is None:
            return
        touched: set[str] = set()
        batch: list[str] = []
        parts: list[bytes] = []
        size = 0
        for text in self._all:
            if len(text) < self._least:
                continue
            forms = self.finder.shown(text)
            if is_spelled(text):
                forms = [*forms, *(view.text for view in escapes(View(text, None, None)))]
            for shown in forms:
                batch.append(text)
                data = shown.encode("utf-8", "surrogatepass")
                parts.append(data)
                size += len(data)
            if size > _BATCH:
                self._touch(batch, parts, touched)
                batch, parts, size = [], [], 0
        self._touch(batch, parts, touched)
        self._touched = touched
        self._within = frozenset(self._all)
        self._all = None

    def _touch(self, batch: list[str], parts: list[bytes], touched: set[str]) -> None:
        if not parts or self._search is None:
            return
        touched.update(batch[index] for index in self._search.touched(parts))

    def replace(self, text: str, *, exempt: bool = False, field: str = "") -> str:
        """Second pass: the string with every known value replaced; the same object where nothing is."""
        if len(text) < self._least and text not in self._lines:
            return text
        own = self.of_field(field, text)
        if not own:
            done = self._done.get(text)
            if done is not None:
                return done
            if text in self._clean or (
                self._touched is not None
                and text in self._within
                and text not in self._touched
                and not self.finder.known(text, exempt=exempt)
                and text not in self._lines
            ):
                return text
        spans = self.spans(text, exempt=exempt, also=own)
        if not spans:
            self._clean.add(text)
            return text
        new = self._rewrite(text, spans)
        if not own:
            self._done[text] = new
        return new

    def changing(self, texts: set[str]) -> set[str]:
        """Those of the strings in which something was found, in whatever field they stand, or may yet be found."""
        if self._touched is None:
            return texts
        found = texts & (
            self._touched | self.finder.telling | self._lines.keys() | {text for _, text in self.told_fields}
        )
        return found | {text for text in texts - self._within if len(text) >= self._least}

    @property
    def minds_short(self) -> bool:
        """Whether the user's own words are so short that even the shortest strings may hold one."""
        return self._least < _LEAST

    def of_field(self, field: str, text: str) -> tuple[Found, ...]:
        """What the field's name alone gave away of the string."""
        return self.told_fields.get((field, text), ())

    def forget(self) -> None:
        """Drop what is remembered of strings; the values stay known."""
        self._fields.clear()
        self.told_fields.clear()
        self._lines.clear()
        self._done.clear()
        self._clean.clear()
        self._all, self._all_size, self._touched, self._within = [], 0, None, frozenset()
        self.finder.forget()

    def spans(
        self, text: str, *, exempt: bool = False, also: tuple[Found, ...] = ()
    ) -> list[tuple[int, int, Value, str]]:
        """What is to be replaced in the string: characters from, to, the value, the rule; in order, apart."""
        raw: list[tuple[int, int, Value, str]] = []
        for found in (*self.finder.known(text, exempt=exempt), *also, *self._lines.get(text, ())):
            value = self.values.get(found.value)
            if value is not None:
                raw.append((found.start, found.end, value, found.rule))
        if self._search is not None:
            raw.extend(self._copies(text))
        return _apart(raw, text)

    def _copies(self, text: str) -> list[tuple[int, int, Value, str]]:
        assert self._search is not None
        out = []
        bases = roots(text)
        for view in (*bases, *(each for base in bases for each in spelled(base))):
            data = view.text.encode("utf-8", "surrogatepass")
            for start, end, value in self._search.find(data):
                low, high = view.back(view.char(data, start), view.char(data, end))
                out.append((low, high, value, "known-value"))
        return out

    def _rewrite(self, text: str, spans: list[tuple[int, int, Value, str]]) -> str:
        out: list[str] = []
        position = 0
        for start, end, value, _ in spans:
            # A lone ESC would make an escape of the placeholder: `\x1b[R`.
            out.append(text[position:start].rstrip("\x1b"))
            out.append(self.values.label(value))
            value.count += 1
            position = end
        out.append(text[position:])
        return "".join(out)


def _tells(text: str) -> bool:
    """Whether a text that is a piece of a secret says enough to be taken out wherever it stands."""
    return len(text) >= _LEAST or (len(text) >= 3 and not word(text))


def _apart(raw: list[tuple[int, int, Value, str]], text: str) -> list[tuple[int, int, Value, str]]:
    """Spans in order, with those that overlap (or touch and are one value's pieces) made one."""
    if not raw:
        return raw
    raw.sort(key=lambda each: (each[0], -each[1], rank(each[3])))
    out: list[tuple[int, int, Value, str]] = []
    for start, end, value, rule in raw:
        if inside_mark(text, start, end):
            continue
        if out:
            low, high, held, by = out[-1]
            gap = text[high:start] if start > high else ""
            same = (
                held is value
                and rule == by == "known-value"
                and len(gap) <= 24
                and "[" not in gap
                and not any(ch.isalnum() for ch in gap.replace("\\n", ""))
            )
            if start < high or (same and (len(gap) == 0 or "\n" in gap or "\\n" in gap or "+" in gap)):
                better = (rank(rule), -(end - start)) < (rank(by), -(high - low))
                out[-1] = (low, max(high, end), value if better else held, rule if better else by)
                continue
        out.append((start, end, value, rule))
    return out
