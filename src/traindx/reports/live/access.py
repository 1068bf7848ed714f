"""Who may view the page: requests that carry the token and address this server by its own name.

A record always has the same token on one machine, so that an open page finds a restarted server again. The token is
derived from a random secret in the user's state folder, which only the user can read.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
PORTS = range(20_000, 32_000)  # below the ports that systems use for outgoing connections


def token_of(record: Path) -> str:
    return _digest(record, "token")[:43]


def port_of(record: Path) -> int:
    """The port to try first, always the same for a record."""
    return PORTS[int(_digest(record, "port")[:8], 16) % len(PORTS)]


def allowed(target: str, headers: Mapping[str, str], token: str, port: int) -> bool:
    """Whether a request has the token, names this server as its host, and does not come from a foreign page.

    A foreign page can make a browser send a request (its `Origin` then differs), or can let its own domain point to
    this machine (its `Host` then differs). Both are refused, whatever the token. Header names are in lower case.
    """
    given = parse_qs(urlsplit(target).query).get("token", [""])[0]
    hosts = {f"{name}:{port}" for name in NAMES}
    origin = headers.get("origin")
    return (
        hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())
        and headers.get("host") in hosts
        and (origin is None or origin in {f"http://{host}" for host in hosts})
    )


def _digest(record: Path, purpose: str) -> str:
    return hmac.new(
        _secret(), f"{purpose}\0{record.resolve()}".encode("utf-8", "surrogateescape"), hashlib.sha256
    ).hexdigest()


def _secret() -> bytes:
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "traindx"
    file = folder / "live-secret"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            pass
        else:
            with os.fdopen(handle, "wb") as new:
                new.write(secrets.token_bytes(32))
        found = file.read_bytes()
        if len(found) == 32 and file.stat().st_mode & 0o077 == 0:
            return found
    except (OSError, RuntimeError):
        pass
    return _of_this_process()


@cache
def _of_this_process() -> bytes:
    """A secret for this process only, used if no file can keep one: the address then changes with every start."""
    return secrets.token_bytes(32)
