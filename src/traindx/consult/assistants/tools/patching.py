"""The tool that changes a file, after a confirmation: by the client's own question, or by a token for this patch."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import anyio.to_thread
from mcp.server.mcpserver import Context, Elicit, Resolve
from mcp.server.mcpserver.resolve import ElicitationResult
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import BaseModel, Field

from ....edits.applying import Applied, ApplyError, apply, own_file
from ....edits.applying import Change as FileChange
from ....source_text import encoded
from ..declaring import FLAG, TEXT, Folder, a_list, an_object, tool
from ..door import Door, answer, door_of
from ..folders import Refusal, plain_text

_SECRET = secrets.token_bytes(32)  # of this server; tokens of another one are invalid


@dataclass(frozen=True)
class Change:
    """One file: its path, the digest of its content when the patch was read, and its new text."""

    path: Path
    before: str  # SHA-256
    text: str


class Confirmation(BaseModel):
    apply: bool = Field(description="apply this patch")


class CannotAsk(BaseModel):
    """The client cannot ask the user, so a token is used instead."""


async def ask(ctx: Context[Door, Any], patch: str, folder: str | None) -> Elicit[Confirmation] | CannotAsk:
    """Ask the user to confirm the patch. The question includes the files' digests, so that a confirmation does not hold
    for other contents.
    """
    if not _can_ask(ctx):
        return CannotAsk()
    changes = await _changes(ctx, patch, folder)
    names = ", ".join(f"{door_of(ctx).folders.shown(c.path)} (now {c.before[:12]})" for c in changes)
    return Elicit(f"Apply this patch to {names}?\n\n{plain_text(patch)}", Confirmation)


@tool(
    "Apply a patch after a confirmation",
    ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False),
    an_object({"applied": FLAG, "files": a_list(TEXT), "next": TEXT}, {"confirm": TEXT, "backup": TEXT}),
    real=True,
)
async def apply_patch(
    ctx: Context[Door, Any],
    decision: Annotated[ElicitationResult[Confirmation], Resolve(ask)],
    patch: Annotated[str, Field(description="the unified diff, unchanged")],
    folder: Folder = None,
    confirm: Annotated[str | None, Field(description="the token that the first call returned")] = None,
) -> CallToolResult:
    """Apply a patch (fix.patch of a diagnosis, or treatment.patch) to the user's script, after the user has confirmed
    it.

    If the client can ask the user, it does. Otherwise the first call changes nothing and returns `confirm`: show the
    patch to the user, and only if they agree, call again with the same patch and this token. The token becomes invalid
    when the patch or a file changes. A patch must match exactly and may change only existing Python files. Apply one
    patch at a time, then run the script again and look for what `verify` says.
    """
    door = door_of(ctx)
    changes = await _changes(ctx, patch, folder)
    files = [door.folders.shown(change.path) for change in changes]
    unchanged = {"applied": False, "files": files}
    if decision.action != "accept":
        return answer("Not applied.", {**unchanged, "next": "The user did not agree. Do not apply it by other means."})
    if isinstance(decision.data, Confirmation):
        if not decision.data.apply:
            return answer("Not applied.", {**unchanged, "next": "The user declined. Do not apply it by other means."})
    elif confirm is None:
        say = "Show the patch to the user. If they agree, call apply_patch again with the same patch and confirm."
        token = token_for(patch, changes)
        return answer("Not applied yet: the user has to agree.", {**unchanged, "next": say, "confirm": token})
    elif not hmac.compare_digest(confirm.encode(), token_for(patch, changes).encode()):
        raise Refusal(
            "This token is not for this patch, or a file has changed since; nothing was written.",
            "Call apply_patch without confirm, and show the patch to the user again.",
        )
    applied = await anyio.to_thread.run_sync(write, changes)
    backup = {} if applied.backup is None else {"backup": str(applied.backup)}
    say = "Run the script again and look for what verify says."
    told = {"applied": True, "files": files, "next": say, **backup}
    return answer(f"Applied to {', '.join(files)}.", told)


async def _changes(ctx: Context[Door, Any], patch: str, folder: str | None) -> list[Change]:
    door = door_of(ctx)
    if plain_text(patch) != patch:  # the user would confirm a different text from the one that is written
        raise Refusal("This patch is too long or contains invisible characters.", "Take fix.patch as it is.")
    place = door.folders.folder(folder)
    found = await door.reading(ctx, "patched", patch=patch, folder=str(place))
    return [Change(_python_file(door, one["path"]), one["before"], one["text"]) for one in found["files"]]


def _python_file(door: Door, path: str) -> Path:
    file = door.folders.file(path, "a file that exists")
    if file.suffix != ".py":
        raise Refusal(f"{door.folders.shown(file)} is not a Python file.", "Only Python files are patched here.")
    root = next(root for root in door.folders.roots if file.is_relative_to(root))
    try:
        return own_file(file, root)  # refuses libraries inside the folder
    except ApplyError as error:
        raise Refusal(f"{error}.", "") from None


def _can_ask(ctx: Context[Door, Any]) -> bool:
    capabilities = ctx.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    return asking is not None and (asking.form is not None or asking.url is None)


def token_for(patch: str, changes: Sequence[Change]) -> str:
    """The token. It depends on the patch and on the current content of every file that it changes."""
    content = "\0".join([hashlib.sha256(patch.encode()).hexdigest(), *(f"{c.path}\0{c.before}" for c in changes)])
    return hmac.new(_SECRET, content.encode(), hashlib.sha256).hexdigest()[:32]


def write(changes: Sequence[Change]) -> Applied:
    """Change all files or none, as `treat --apply` does. Refuses if a file has changed since the patch was read."""
    try:
        found = [FileChange(change.path, change.path.read_bytes(), encoded(change.text)) for change in changes]
        pairs = zip(found, changes, strict=True)
        if any(hashlib.sha256(one.old).hexdigest() != change.before for one, change in pairs):
            raise Refusal("A file changed while the patch waited; nothing was written.", "Diagnose again.")
        return apply(found)
    except (ApplyError, OSError, ValueError) as error:
        raise Refusal(f"Not applied: {error}.", "") from None
