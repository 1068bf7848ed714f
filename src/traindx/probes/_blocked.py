"""Recognises errors that a script met only because it was isolated, and says what to do."""

from __future__ import annotations

import re

NETWORK = re.compile(
    r"gaierror|URLError|ConnectionError|ConnectionRefused|MaxRetry|Network is unreachable|name resolution|"
    r"LocalEntryNotFound|offline|Name or service not known|nodename nor servname",
    re.IGNORECASE,
)
FILES = re.compile(r"Read-only file system|No space left on device|Value too large|isolated run", re.IGNORECASE)


def hint(error: str) -> str:
    """The rest of a sentence about the error; empty where isolation has no part in it."""
    if NETWORK.search(error):
        return ". Isolated runs have no network: download first, or let it run for real with --in-place"
    if FILES.search(error):
        return ". Isolated runs cannot do this: let it run for real with --in-place"
    return ""
