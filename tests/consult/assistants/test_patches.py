"""Patches change a file only after a confirmation of just this patch on just this content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from assistants_samples import said
from mcp import Client
from mcp_types import ElicitResult

from traindx.edits.diff import unified_diff

OLD = "import torch\n\nlr = 10.0\nprint(lr)\n"
NEW = OLD.replace("10.0", "0.1")


@pytest.fixture
def patch(root: Path) -> str:
    (root / "train.py").write_text(OLD)
    (root / "train.py").chmod(0o640)
    return unified_diff(Path("train.py"), OLD, NEW)


def test_a_token_takes_the_place_of_a_question(call: Any, root: Path, patch: str) -> None:
    first = call("apply_patch", patch=patch).structured_content
    assert not first["applied"]
    assert (root / "train.py").read_text() == OLD
    assert "not for this patch" in said(call("apply_patch", patch=patch, confirm="0" * 32))
    other = patch.replace("+lr = 0.1", "+lr = 0.2")
    assert "not for this patch" in said(call("apply_patch", patch=other, confirm=first["confirm"]))
    (root / "train.py").write_text(OLD + "# edited meanwhile\n")
    assert "not for this patch" in said(call("apply_patch", patch=patch, confirm=first["confirm"]))
    assert (root / "train.py").read_text() == OLD + "# edited meanwhile\n"
    (root / "train.py").write_text(OLD)
    assert call("apply_patch", patch=patch, confirm=first["confirm"]).structured_content["applied"]
    assert (root / "train.py").read_text() == NEW
    assert (root / "train.py").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in root.iterdir()) == ["log.csv", "train.py"]
    assert "exactly match" in said(call("apply_patch", patch=patch, confirm=first["confirm"])), "it is applied already"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("agrees", [True, False, None], ids=["agrees", "unticks", "declines"])
def test_a_client_that_can_ask_asks(talk: Any, root: Path, patch: str, mode: str, agrees: bool | None) -> None:
    asked: list[str] = []

    async def ask(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        if agrees is None:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"apply": agrees})

    async def conversation(client: Client) -> Any:
        # A token is of no use to a client that can ask.
        return await client.call_tool("apply_patch", {"patch": patch, "confirm": "0" * 32})

    done = talk(conversation, elicitation_callback=ask, mode=mode)
    assert len(asked) == 1
    assert "+lr = 0.1" in asked[0]
    assert done.structured_content["applied"] is (agrees is True)
    assert (root / "train.py").read_text() == (NEW if agrees else OLD)


@pytest.mark.parametrize(
    "name", ["../outside.py", "/etc/hosts", "link.py", "missing.py", "notes.txt", "nested/../../outside.py"]
)
def test_a_patch_stays_inside(call: Any, root: Path, name: str) -> None:
    outside = root.parent / "outside.py"
    outside.write_text(OLD)
    (root / "link.py").symlink_to(outside)
    (root / "notes.txt").write_text(OLD)
    patch = unified_diff(Path("x.py"), OLD, NEW).replace("b/x.py", f"b/{name}").replace("a/x.py", f"a/{name}")
    assert said(call("apply_patch", patch=patch))
    assert outside.read_text() == (root / "notes.txt").read_text() == OLD


def test_the_old_text_is_kept(call: Any, root: Path, patch: str) -> None:
    token = call("apply_patch", patch=patch).structured_content["confirm"]
    done = call("apply_patch", patch=patch, confirm=token).structured_content
    assert (Path(done["backup"]) / "train.py").read_text() == OLD


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\x1b[8m", "#" * 100_000], ids=ascii)
def test_what_the_user_would_not_see_is_not_applied(call: Any, root: Path, patch: str, hidden: str) -> None:
    odd = patch.replace("+lr = 0.1", f"+lr = 0.1  # {hidden}")
    assert "invisible characters" in said(call("apply_patch", patch=odd))
    assert (root / "train.py").read_text() == OLD


def test_a_library_inside_the_folder_is_left_alone(call: Any, root: Path) -> None:
    library = root / ".venv" / "lib" / "x.py"
    library.parent.mkdir(parents=True)
    library.write_text(OLD)
    assert "not changed" in said(call("apply_patch", patch=unified_diff(Path(".venv/lib/x.py"), OLD, NEW)))


@pytest.mark.parametrize(
    "patch", ["", "hello", "--- a/log.csv\n+++ b/log.csv\n@@ nonsense @@\n", "x" * 300_000, "+++ \0\n"]
)
def test_what_is_no_patch_is_refused(call: Any, root: Path, patch: str) -> None:
    assert "Traceback" not in said(call("apply_patch", patch=patch))
