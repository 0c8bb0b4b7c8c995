"""What surroundings give away: assignments, flags, headers, fields, sentences, tables, commands.

Works on one buffer of UTF-8 bytes. An Aho-Corasick automaton finds the cues; only there do regular
expressions run, anchored, each over a bounded stretch, so that the time stays linear in the text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import ahocorasick_rs

from dragoman.filters.redact.catalog import Phrase, phrases
from dragoman.filters.redact.context import cookies, kubernetes, private_keys, sentences
from dragoman.filters.redact.context.behind_names import behind, tells_nothing
from dragoman.filters.redact.context.buffers import VALUE_REACH
from dragoman.filters.redact.context.inserts import inserted
from dragoman.filters.redact.context.offers import offer
from dragoman.filters.redact.context.phrases import judged
from dragoman.filters.redact.context.shells import CUES, below
from dragoman.filters.redact.hits import Hit, Seen
from dragoman.filters.redact.names import words

_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-$" + bytes(range(0x80, 0x100))
_NAME_MAP = bytes(ord("a") if byte in _NAME_BYTES else 0x20 for byte in range(256))
_SIGN_MAP = bytes(0x31 if byte in b"0123456789=:|\"'`<>,;\t" or byte >= 0x80 else 0x20 for byte in range(256))
_SIGN_REACH = 100
_NAME_REACH = 96
_LONG = 400


class Context:
    """The cues and their rules, compiled once."""

    def __init__(self, only: frozenset[str] = frozenset()) -> None:
        """`only` limits it to the phrases of these ids, without names and tables."""
        rules: dict[str, list[Phrase]] = {}
        for rule in phrases():
            if only and rule.id not in only:
                continue
            for cue in rule.cues:
                rules.setdefault(cue, []).append(rule)
        name_cues = set() if only else set(words().cues)
        hooks: dict[str, Callable[[bytes, int, list[Hit], Seen], None]] = (
            {}
            if only
            else {
                "cookie": cookies.in_header,
                "-b ": cookies.by_flag,
                "kind": kubernetes.entries,
                **dict.fromkeys(CUES, _printed),
                "insert ": _inserted,
                **dict.fromkeys(words().said_after, sentences.said_before),
                **dict.fromkeys(words().commented, sentences.commented),
            }
        )
        plain = sorted(
            name_cues | set(rules) | set(hooks) | {cue.capitalize() for cue in name_cues if not cue.isascii()}
        )
        self._cues = plain
        self._is_name = [cue in name_cues or cue.lower() in name_cues for cue in plain]
        self._hooks = [hooks.get(cue) for cue in plain]
        self._phrases = [rules.get(cue, []) for cue in plain]
        self._more = [cue in rules or cue in hooks for cue in plain]
        self._automaton = ahocorasick_rs.BytesAhoCorasick(
            [cue.encode() for cue in plain],
            matchkind=ahocorasick_rs.MatchKind.Standard,
            implementation=ahocorasick_rs.Implementation.DFA,  # 2.5 times as fast; built in a few milliseconds
        )

    def find(self, buffer: bytes) -> list[Hit]:
        """Every secret that something around it gives away, in the order of the cues."""
        low = buffer.lower()
        matches = self._automaton.find_matches_as_indexes(low, overlapping=True)
        if not matches:
            return []
        hits: list[Hit] = []
        seen: Seen = {}
        names = buffer.translate(_NAME_MAP)
        signs = buffer.translate(_SIGN_MAP)
        done = settled = -1
        more, is_name, next_sign = self._more, self._is_name, signs.find
        for index, start, end in matches:
            if more[index]:
                self._phrases_and_hooks(index, buffer, start, hits, seen)
            # Most names stand in sentences that give nothing away: no sign, quote or digit follows soon.
            if start < done or start < settled or not is_name[index] or next_sign(b"1", end, end + _SIGN_REACH) < 0:
                continue
            left = names.rfind(b" ", max(0, start - _NAME_REACH), start) + 1
            if left == 0:
                left = max(0, start - _NAME_REACH)
            right = names.find(b" ", end, end + _NAME_REACH)
            if right < 0:
                right = min(len(buffer), end + _NAME_REACH)
            done = right
            if tells_nothing(buffer[left:right]):
                continue
            before = len(hits)
            behind(buffer, left, right, hits)
            if len(hits) > before:
                settled = max(settled, _settled(hits[-1]))
        if b"PRIVATE KEY" in buffer:
            private_keys.lone_ends(buffer, hits)
        return hits

    def _phrases_and_hooks(self, index: int, buffer: bytes, start: int, hits: list[Hit], seen: Seen) -> None:
        """What begins with the cue that stands at `start`, beside names."""
        for rule in self._phrases[index]:
            match = rule.compiled.match(buffer, start, min(len(buffer), start + VALUE_REACH * 3))
            if match is not None:
                each = rule.compiled_each
                for one in (match,) if each is None else each.finditer(buffer, *match.span("value")):
                    hit = judged(rule, one)
                    if hit is not None:
                        hits.append(hit)
        hook = self._hooks[index]
        if hook is not None:
            hook(buffer, start, hits, seen)


@cache
def context(only: frozenset[str] = frozenset()) -> Context:
    """A context, one a process: it doesn't change."""
    return Context(only)


def _settled(hit: Hit) -> int:
    """Up to where names within a long value needn't be judged: theirs would end where it does.

    Near its end they are, as theirs may begin behind it; further off where the value was cut for its length.
    """
    length = hit.end - hit.start
    if hit.rule != "named-assignment" or length < _LONG:
        return -1
    return hit.end - (VALUE_REACH // 2 if length > VALUE_REACH - _NAME_REACH else 2 * _NAME_REACH)


def _printed(buffer: bytes, start: int, hits: list[Hit], _seen: Seen) -> None:
    """A command that prints a secret, and the line below it."""
    found = below(buffer, start)
    if found is not None:
        hits.append(Hit(found[0], found[1], "named-output", found[2].kind))


def _inserted(buffer: bytes, start: int, hits: list[Hit], _seen: Seen) -> None:
    """The values that SQL inserts below columns with the names of secrets."""
    for name, low, high in inserted(buffer, start):
        offer(buffer, name, low, high, "field", hits, "row")
