"""The rules as data: each meets its own examples, on both engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import InputError
from dragoman.filters.redact.beside import Beside
from dragoman.filters.redact.catalog import Phrase, Shape, own_shapes, phrases, shapes
from dragoman.filters.redact.context.cues import Context
from dragoman.filters.redact.engine import Engine, KingfisherEngine, PlainEngine, available, build
from dragoman.filters.redact.recipes import cook

pytestmark = pytest.mark.skipif(not available(), reason="Kingfisher has no wheel here")


@pytest.fixture(scope="module")
def engines() -> list[Engine]:
    return [KingfisherEngine(catalogue=False), PlainEngine()]


@pytest.fixture(scope="module")
def context() -> Context:
    return Context()


@pytest.mark.parametrize("rule", shapes(), ids=lambda rule: rule.id)
def test_a_shape_meets_its_examples(rule: Shape, engines: list[Engine]) -> None:
    assert rule.says and rule.source.startswith("https://") and rule.match and rule.differ
    for engine in engines:
        for seed in range(3):
            for example in rule.match:
                text = f"see {cook(example, seed)} there\n".encode()
                assert rule.id in {hit.rule for hit in engine.find(text)}, (engine.name, example, seed)
            for example in rule.differ:
                text = f"see {cook(example, seed)} there\n".encode()
                assert rule.id not in {hit.rule for hit in engine.find(text)}, (engine.name, example, seed)


@pytest.mark.parametrize("rule", phrases(), ids=lambda rule: rule.id)
def test_a_phrase_meets_its_examples(rule: Phrase, context: Context) -> None:
    assert rule.says and rule.source.startswith("https://") and rule.match and rule.differ
    for example in rule.match:
        text = f"\n{cook(example)}\n".encode()
        assert rule.id in {hit.rule for hit in context.find(text)}, example
    for example in rule.differ:
        text = f"\n{cook(example)}\n".encode()
        assert rule.id not in {hit.rule for hit in context.find(text)}, example


def test_both_engines_find_the_same(engines: list[Engine]) -> None:
    text = "\n".join(cook(example, 5) for rule in shapes() for example in (*rule.match, *rule.differ)).encode()
    found = [sorted((hit.start, hit.end, hit.rule) for hit in engine.find(text)) for engine in engines]
    assert {rule for _, _, rule in found[0]} == {rule for _, _, rule in found[1]}
    assert {(start, rule) for start, _, rule in found[0]} == {(start, rule) for start, _, rule in found[1]}


def test_rule_ids_are_unique() -> None:
    rules: list[Shape | Phrase] = [*shapes(), *phrases()]
    ids = [rule.id for rule in rules]
    assert len(ids) == len(set(ids))


def test_own_rules_are_tried_when_they_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text("[[rule]]\nid = 'ours'\npattern = 'acme-([0-9]{6})'\nmatch = ['acme-{d*6}']\n", "utf-8")
    assert [rule.id for rule in own_shapes(path)] == ["ours"]
    path.write_text("[[rule]]\nid = 'ours'\npattern = 'acme-([0-9]{6})'\nmatch = ['acme-x']\n", "utf-8")
    with pytest.raises(InputError, match="must match"):
        own_shapes(path)
    path.write_text("[[rule]]\nid = 'ours'\npattern = '('\nmatch = ['x']\n", "utf-8")
    with pytest.raises(InputError, match="compile"):
        own_shapes(path)


def test_an_engine_is_built_once_for_the_same_rules() -> None:
    assert build(plain=True) is build(plain=True)
    assert build(plain=True) is not build(())


def test_what_is_made_beside_is_there_when_asked_for() -> None:
    plain = PlainEngine()
    early = Beside(lambda: plain)
    assert early.result() is plain
    assert early.result() is plain


def test_what_goes_wrong_beside_is_raised_where_it_is_needed() -> None:
    def fails() -> Engine:
        raise ValueError("no rules")

    early = Beside(fails)
    with pytest.raises(ValueError, match="no rules"):
        early.result()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", r"no \[\[rule\]\] in it"),
        ("# [[rule]]\n", r"no \[\[rule\]\] in it"),
        ("[[rules]]\nid = 'z'\npattern = 'zebra'\nmatch = ['zebra']\n", "unknown field `rules`"),
        ("[[rule]]\nid = 'z'\nregex = 'zebra'\npattern = 'x'\nmatch = ['x']\n", "unknown field `regex`"),
        ("[[rule]]\nid = 'z'\npattern = 'a{9999999999999}'\nmatch = ['x']\n", "compile"),
        ("[[rule]]\nid = 'z'\npattern = 'x'\nmatch = ['{e*3}']\n", "must match"),
    ],
)
def test_a_file_that_holds_no_rules_is_refused(text: str, why: str, tmp_path: Path) -> None:
    """A table of another name was no rule, and nothing said so: what it should have taken out stayed in."""
    path = tmp_path / "rules.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=why) as caught:
        own_shapes(path)
    assert "\n" not in str(caught.value)


def test_a_rule_that_the_engine_does_not_understand_is_one_line() -> None:
    """Python's `re`, by which a rule is tried, knows look-around; Kingfisher doesn't."""
    with pytest.raises(InputError, match="look-around"):
        KingfisherEngine([Shape(id="z", pattern="(?=z)(zebra)", match=("zebra",))], catalogue=False).find(b"zebra")
