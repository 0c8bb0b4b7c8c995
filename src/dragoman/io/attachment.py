"""The neutral conversation inside a PDF: what the attached file is called, by which it is found again."""

from __future__ import annotations

NAME = "conversation.json"
DESCRIPTION = "The conversation in dragoman's neutral form"
MEDIA_TYPE = "application/json"
