"""Numbers of people: phones, payment cards, bank accounts, US social security numbers; by form and checksum."""

from __future__ import annotations

import re
from collections.abc import Iterator

# The look behind stands after the first character: so the search for that runs at full speed.
_CARD = re.compile(r"\d(?<![\w.-].)(?:[ -]?\d){12,18}(?!\w|[.-]\d)")
_IBAN = re.compile(r"[A-Za-z](?<![A-Za-z0-9].)[A-Za-z]\d{2}(?=[ -]?[A-Za-z0-9])")
_SSN = re.compile(r"\d(?<![\w.-].)(?<!9)\d\d(?<!000)(?<!666)([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-]|\.\d)")
_PHONE = re.compile(
    r"\+(?<![\w.+/=:-].)\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ ./-]?\d{2,4}){2,4}(?!\w|[-.]\d)"
)  # +49 30 1234567
_AREA_PHONE = re.compile(r"\((?<![\w.+/=:-].)[2-9]\d\d\) ?\d{3}[-. ]\d{4}(?!\w|[-.]\d)")  # (415) 555-2671
_US_PHONE = re.compile(
    r"[12-9](?<![\w.+/=:-].)(?:(?<=1)[-.][2-9])?\d\d([-.])[2-9]\d\d\1\d{4}(?!\w|[-.]\d)"  # 415-555-2671
)
_NAMED_PHONE = re.compile(
    r"(?i)(?<![a-z])(?:phone|telephone|tel|mobile|cell|fax|telefon|handy|whatsapp)(?:[ _-]?(?:no|nr|number))?[\"']?\.?\s?[:=]\s?[\"']?"
    r"(\+?\(?\d[\d ()./-]{5,20}\d)(?!\w)"
)
_PHONE_WORDS = ("phone", "tel", "mobile", "cell", "fax", "handy", "whatsapp")
_IBAN_LENGTHS = dict(
    pair.split("=")
    for pair in (
        "AD=24 AE=23 AL=28 AT=20 AZ=28 BA=20 BE=16 BG=22 BH=22 BI=27 BR=29 BY=28 CH=21 CR=22 CY=28 CZ=24 DE=22 DJ=27 DK=18 DO=28 "
        "EE=20 EG=29 ES=24 FI=18 FK=18 FO=18 FR=27 GB=22 GE=22 GI=23 GL=18 GR=27 GT=28 HR=21 HU=28 IE=22 IL=23 IQ=23 IS=26 IT=27 "
        "JO=30 KW=30 KZ=20 LB=28 LC=32 LI=21 LT=20 LU=20 LV=21 LY=25 MC=27 MD=24 ME=22 MK=19 MN=20 MR=27 MT=31 MU=30 NI=28 NL=18 "
        "NO=15 OM=23 PK=24 PL=28 PS=29 PT=25 QA=29 RO=24 RS=22 RU=33 SA=24 SC=31 SD=18 SE=24 SI=19 SK=24 SM=27 SO=23 ST=25 SV=28 "
        "TL=23 TN=24 TR=26 UA=29 VA=22 VG=24 XK=20 YE=30"
    ).split()
)
"""Characters of an account's number by country, from the IBAN registry (ISO 13616)."""


def numbers(text: str) -> Iterator[tuple[int, int, str]]:
    """Where numbers of people stand: from, to, and the kind (`iban`, `card`, `ssn`, `phone`)."""
    if len(text) < 9:
        return
    for match in _IBAN.finditer(text):
        end = _iban_end(text, match.start(), match[0][:2].upper())
        if end:
            yield match.start(), end, "iban"
    for match in _CARD.finditer(text):
        if luhn(match[0]):
            yield *match.span(), "card"
    if "-" in text or " " in text:
        for match in _SSN.finditer(text):
            yield *match.span(), "ssn"
        for match in (*_US_PHONE.finditer(text), *_AREA_PHONE.finditer(text)):
            yield *match.span(), "phone"
    if "+" in text:
        for match in _PHONE.finditer(text):
            # A plus at a line's start with bare digits is a line that a diff adds.
            first = not match.start() or text[match.start() - 1] == "\n"
            added = match[0][1:].isdigit() and first
            if 8 <= sum(ch.isdigit() for ch in match[0]) <= 15 and not added:
                yield *match.span(), "phone"
    low = text.lower()
    if any(word in low for word in _PHONE_WORDS):
        for match in _NAMED_PHONE.finditer(text):
            if 7 <= sum(ch.isdigit() for ch in match[1]) <= 15:
                yield *match.span(1), "phone"


def bare(value: str) -> str:
    """The number without what groups it and its letters' case: two ways to write it are one number."""
    return re.sub(r"[ ./()-]", "", value).upper()


_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d{14})|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12,15}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}|(?:50|5[6-8])\d{14}"
)
"""Who issues cards, and how long their numbers are: Visa, Mastercard, American Express, Discover, JCB, Diners, UnionPay, Maestro."""


def luhn(value: str) -> bool:
    """A payment card's number: an issuer's beginning, its length, the Luhn checksum (ISO/IEC 7812)."""
    digits = [int(ch) for ch in value if ch.isdigit()]
    if len(set(digits)) < 2 or not _ISSUERS.fullmatch("".join(map(str, digits))):
        return False
    total = 0
    for index, digit in enumerate(reversed(digits)):
        if index % 2:
            digit = digit * 2 - 9 if digit > 4 else digit * 2
        total += digit
    return total % 10 == 0


def _iban_end(text: str, start: int, country: str) -> int:
    """Where the account's number that begins here ends; 0 where none does."""
    length = int(_IBAN_LENGTHS.get(country, "0"))
    place, found = start, ""
    while place < len(text) and len(found) < length:
        ch = text[place].upper()
        if "0" <= ch <= "9" or "A" <= ch <= "Z":
            found += ch
        elif ch not in " -":
            return 0
        place += 1
    if len(found) != length or not length or (place < len(text) and text[place].isalnum()):
        return 0
    return place if iban(found) else 0


def iban(value: str) -> bool:
    """An account's number with its country's length and the right remainder by 97 (ISO 13616)."""
    plain = value.replace(" ", "")
    if str(len(plain)) != _IBAN_LENGTHS.get(plain[:2]):
        return False
    moved = plain[4:] + plain[:4]
    return int("".join(str(int(ch, 36)) for ch in moved)) % 97 == 1
