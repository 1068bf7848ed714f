"""Delivers an alert: runs a command, or posts it to a URL. A failing hook neither blocks nor breaks the server."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from urllib.parse import urlsplit

from .alerts import Alert

SECONDS = 30.0

Hook = Callable[[Alert], None]


class HookError(Exception):
    """The target of --on-alert is invalid; `str(error)` is one line."""


def hook_of(target: str, complain: Callable[[str], None]) -> Hook:
    """A hook for a command line or an http(s) URL. Failures are reported to `complain` in one line."""
    if not target.strip():
        raise HookError("--on-alert needs a command or a URL")
    if target.split(":", 1)[0].lower() in ("http", "https"):
        if not _host(target):
            raise HookError(f"{target} is not a valid URL: it has no host")
        act: Hook = lambda alert: _send(target, alert)  # noqa: E731
    else:
        act = lambda alert: _run(target, alert)  # noqa: E731

    def later(alert: Alert) -> None:
        threading.Thread(target=_guarded, args=(act, alert, target, complain), daemon=True).start()

    return later


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _guarded(act: Hook, alert: Alert, target: str, complain: Callable[[str], None]) -> None:
    try:
        act(alert)
    except (OSError, HTTPException, subprocess.SubprocessError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        complain(f"traindx live: the alert was not delivered ({target.split()[0]}: {reason})")


def _run(command: str, alert: Alert) -> None:
    """Run the command in the shell, as the user typed it. The alert is passed as environment variables and on standard
    input, never as part of the command."""
    told = {
        "TRAINDX_TITLE": alert.title,
        "TRAINDX_TEXT": alert.text,
        "TRAINDX_SEVERITY": alert.severity,
        "TRAINDX_STEP": "" if alert.step is None else str(alert.step),
        "TRAINDX_SOURCE": alert.source,
    }
    done = subprocess.run(
        command,
        shell=True,
        input=json.dumps(alert.as_object()).encode(),
        env={**os.environ, **{name: value.replace("\0", " ") for name, value in told.items()}},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        raise ValueError(f"exit code {done.returncode}")


def _send(address: str, alert: Alert) -> None:
    """Post the alert as JSON. Slack and Mattermost show `text`, Discord shows `content`."""
    sentence = f"{alert.title}: {alert.text} ({alert.source})"
    body = {**alert.as_object(), "sentence": alert.text, "text": sentence, "content": sentence}
    request = urllib.request.Request(
        address, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        answer.read(1024)
