"""Lines that hold a secret each, as .env files and lists do: every secret goes, every name and every other line stays.

Folded tokens are put together again; once, that went on over the next variable, its name and what stood below.
"""

from __future__ import annotations

import re

import pytest

from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.recipes import cook
from dragoman.filters.redact.replace import Replacer

TOKENS = {
    "ANT": "sk-ant-" + "api03-{A*93}AA", "OAI": "sk-" + "proj-{A*48}", "GH": "ghp_" + "{A*36}", "NPM": "npm_" + "{A*36}",
    "STRIPE": "sk_" + "live_{A*24}", "SLACK": "xoxb-" + "{d*12}-{d*12}-{A*24}", "OPAQUE": "{A*40}", "PASSWORD": "Sup3r{A*6}Pw{d*2}",
}  # fmt: skip

TEXTS = {
    "env": "ANTHROPIC_API_KEY=ANT\nOPENAI_API_KEY=OAI\nDEBUG=1", "two": "GITHUB_TOKEN=GH\nNPM_TOKEN=NPM", "CRLF": "GITHUB_TOKEN=GH\r\nNPM_TOKEN=NPM\r\nA=1",
    "password first": "DB_PASSWORD=PASSWORD\nSTRIPE_KEY=STRIPE\nX=2", "three": "GITHUB_TOKEN=GH\nSLACK=SLACK\nDB_PASSWORD=PASSWORD",
    "numbered": "     1\tGITHUB_TOKEN=GH\n     2\tOPENAI_API_KEY=OAI\n     3\tX=1", "arrows": "     1→GITHUB_TOKEN=GH\n     2→OPENAI_API_KEY=OAI\n     3→X=1",
    "diff": "+GITHUB_TOKEN=GH\n+OPENAI_API_KEY=OAI\n+X=1", "removed": "-API_TOKEN=OPAQUE\n+API_TOKEN=GH\n context",
    "code below": "STRIPE=STRIPE\nmyVariableName=12\nz", "an id below": "STRIPE=STRIPE\ncommit_hash_9f8e7d6c5b4a39281706\nz", "a word below": "API_TOKEN=OPAQUE\nHelloWorld42Foo\n",
    "bare": "STRIPE\nmyVariableName12\nGH\nHelloWorld42Foo", "list": "GH\nNPM\nSTRIPE\nOAI\nend", "same kind": "GH\nGH\nGH\n", "yaml": "github: GH\nopenai: OAI\nport: 8080",
    "json": '{\n  "api_token": "GH",\n  "api_key": "OPAQUE",\n  "c": 1\n}', "hash below": "token GH\n3f786850e387550fdab836ed7e6dc881de23001b fix\n",
    "csv": "name,token\nalice,GH\nbob,NPM\n", "shell": "export A=GH\nexport B=NPM\nls -la\n", "path below": "API_TOKEN=OPAQUE\nsrc/app/Main2.tsx:14:7\n",
    "uuid below": "API_TOKEN=OPAQUE\n8c6b1f0e-52a4-4f0b-9c3e-1d2b3a4c5d6e\n", "time below": "API_TOKEN=OPAQUE\n2026-11-30T10:20:30Z INFO started\n",
    "sentence below": "API_TOKEN=OPAQUE\nThen run make2 test3 again\n", "prompt below": "API_TOKEN=OPAQUE\nuser@host42:~/src$ ls\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_each_line_keeps_what_is_its_own(finder: Finder, text: str) -> None:
    word = re.compile(rf"(?<![A-Z_])(?:{'|'.join(TOKENS)})(?![A-Z_=])")
    seeds = iter(range(1000))
    for _ in range(8):
        filled = word.sub(lambda match: cook(TOKENS[match[0]], next(seeds)), text)
        replacer = Replacer(finder)
        replacer.learn([filled])
        replacer.freeze()
        new = replacer.replace(filled)
        assert re.sub(r"\[REDACTED:[\w-]+:\d+\]", "§", new) == word.sub("§", text)
