"""Bare answers to questions that ask for a secret, and what is asked and answered without one."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.filters.redact.filter import RedactFilter, RedactOptions
from dragoman.filters.redact.receipt import Receipt
from dragoman.model import Header, Message, Role, Session, Text, ToolCall, ToolResult
from dragoman.report import Report

DRAWN = "Zzdg" + "aKjIg8xN" + "be3n"
CHOSEN = "Quin" + "ce!2417"


def redacted(*messages: Message) -> list[Message]:
    session = Session(header=Header(id="asked"), entries=messages)
    redact, report = RedactFilter(RedactOptions()), Report()
    redact.prepare([session], report)
    assert isinstance(redact.receipt, Receipt)
    return list(redact.apply(session, report).messages)


def said(role: Role, words: str) -> Message:
    return Message(role=role, origin="prompt" if role == "user" else "reply", blocks=(Text(words),))


def answered(question: str, answer: str, asker: Role = "assistant") -> str:
    """What becomes of the answer."""
    other: Role = "user" if asker == "assistant" else "assistant"
    (block,) = redacted(said(asker, question), said(other, answer))[1].blocks
    assert isinstance(block, Text)
    return block.text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the password for the staging database?", "§"),
        ("I looked at it.\n\nWhat's the password for that?", "§"),
        ("Please enter your passphrase:", "`§`"),
        ("Could you paste the password here?", "Sure: §"),
        ("I can't log in. Please give me the credentials for staging.", "use §, it's the old one"),
        ("Und wie lautet das Passwort?", "§"),
        ("Quel est le mot de passe ?", "c'est §"),
        ("¿Cuál es la contraseña?", '"§"'),
        ("I need the database password. Can you share it?", "**§**"),
    ],
)
@pytest.mark.parametrize("secret", [DRAWN, CHOSEN], ids=["drawn", "chosen"])
def test_an_answer_to_such_a_question_is_one(question: str, answer: str, secret: str) -> None:
    assert answered(question, answer.replace("§", secret)) == answer.replace("§", "[REDACTED:password:1]")


def test_an_agent_may_answer_too() -> None:
    assert (
        answered("What was the root password again?", f"It is `{DRAWN}`.", "user") == "It is `[REDACTED:password:1]`."
    )


@pytest.mark.parametrize(
    "question", ["Which token should I use?", "Can you send me the API key of the weather service?"]
)
def test_tokens(question: str) -> None:
    assert answered(question, f"take {DRAWN}") == "take [REDACTED:token:1]"


def test_a_name_in_an_answer_is_no_part_of_the_secret() -> None:
    """Its pieces would be found in placeholders: the check after rendering stopped the output."""
    text = answered("Which credential?", f"gcp_refresh_token={DRAWN}")
    assert text.startswith("gcp_refresh_token=[REDACTED:")


def test_what_is_known_by_an_answer_goes_everywhere() -> None:
    messages = redacted(
        said("assistant", "What is the password?"), said("user", DRAWN), said("assistant", f"I set it to {DRAWN} now.")
    )
    assert "[REDACTED:password:1] now" in repr(messages[2])


@pytest.mark.parametrize("secret", [DRAWN, CHOSEN], ids=["drawn", "chosen"])
def test_forms(secret: str) -> None:
    """Claude Code's AskUserQuestion: the words for the model, the twin, and what a reader keeps of it."""
    question = "What is the database password?"
    structured: dict[str, Any] = {"questions": [{"question": question}], "answers": {question: secret}}
    told = f'User has answered your questions: "Which one?"="staging", "{question}"="{secret}". You can now continue'
    call = ToolCall("toolu_1", "AskUserQuestion", '{"questions":[]}')
    result = ToolResult("toolu_1", (Text(told),), structured, feedback=secret, tool_name="AskUserQuestion")
    after = redacted(
        Message(role="assistant", origin="reply", blocks=(call,)),
        Message(role="tool", origin="result", blocks=(result,)),
    )
    assert secret not in repr(after)
    assert '"Which one?"="staging", "What is the database password?"="[REDACTED:password:1]". You can now' in repr(
        after
    )


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Shall I rotate the token?", "yes, with build 20417"),
        ("Which branch has the password fix?", "feature/password-12"),
        ("Where is the secret stored?", "secrets-prod-eu-1"),
        ("What is the token limit?", "200000"),
        ("Which key should I press?", "F12 or Ctrl+C"),
        ("Which commit broke the token check?", "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"),
        ("What is the password policy?", "12 characters, 2 digits"),
        ("What is the password?", "I don't remember, ask Ann"),
        ("What is the password?", "https://wiki.example.com/passwords"),
        ("What is the password?", "config/secrets.yml"),
        ("What is the password?", "the same as before"),
        ("Which file holds the credentials for it?", "settings_v2.py"),
        ("Here is the plan.", DRAWN[:4] + "plan12"),
    ],
)
def test_other_answers_stay(question: str, answer: str) -> None:
    assert answered(question, answer) == answer
