"""A patch is written whole or not at all, only inside the project, and can be undone."""

from __future__ import annotations

import stat
import subprocess
import threading
import time
from pathlib import Path, PurePath
from typing import Any

import pytest

from traindx.commands.treat import files_now
from traindx.edits import applying
from traindx.edits.applying import ApplyError, apply, changes_of, digests, held_by_git
from traindx.edits.diff import unified_diff
from traindx.probes.launch import Script

OLD = "import torch  # kept\nlr = 0.5   # as it was\n\nprint(lr)"  # no newline at the end, odd spacing
NEW = OLD.replace("0.5", "0.05")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(OLD)
    (folder / "train.py").chmod(0o750)
    return folder


def patch_of(name: str = "train.py", old: str = OLD, new: str = NEW) -> str:
    return unified_diff(PurePath(name), old, new)


def git(folder: Path, *words: str) -> None:
    settings = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, "-C", str(folder), *words], check=True, capture_output=True)


def backups(folder: Path) -> list[Path]:
    return [path for path in (folder.parent / "state").rglob("*") if path.is_file()]


def test_a_file_outside_git_is_copied_before_it_is_written(project: Path) -> None:
    applied = apply(changes_of(patch_of(), project))
    assert (project / "train.py").read_text() == NEW
    assert stat.S_IMODE((project / "train.py").stat().st_mode) == 0o750
    assert applied.backup is not None
    (copy,) = backups(project)
    assert copy.read_text() == OLD and copy.is_relative_to(applied.backup)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert sorted(path.name for path in project.iterdir()) == ["train.py"]  # nothing of ours beside the user's files


def test_git_is_backup_enough_where_it_holds_the_very_text(project: Path) -> None:
    git(project, "init", "-q")
    assert not held_by_git(project / "train.py", OLD.encode())
    git(project, "add", "train.py")
    git(project, "commit", "-qm", "x")
    assert held_by_git(project / "train.py", OLD.encode())
    assert apply(changes_of(patch_of(), project)).backup is None
    assert not held_by_git(project / "train.py", NEW.encode())
    back = apply(changes_of(patch_of(old=NEW, new=OLD), project))  # uncommitted by now
    assert back.backup is not None
    assert (project / "train.py").read_text() == OLD


@pytest.mark.parametrize("trick", ["assume-unchanged", "line ends", "staged"])
def test_a_file_that_git_only_takes_for_unchanged_is_copied(project: Path, trick: str) -> None:
    script = project / "train.py"
    git(project, "init", "-q")
    git(project, "add", "train.py")
    git(project, "commit", "-qm", "x")
    text = OLD
    if trick == "assume-unchanged":
        git(project, "update-index", "--assume-unchanged", "train.py")
        text = OLD + "  # hours of work"
    elif trick == "line ends":
        git(project, "config", "core.autocrlf", "true")
        text = OLD.replace("\n", "\r\n")
    else:  # git checkout -- train.py would bring this one, not what was there
        script.write_text("staged = True\n")
        git(project, "add", "train.py")
    script.write_bytes(text.encode())
    backup = apply(changes_of(patch_of(old=text, new=text.replace("0.5", "0.05")), project)).backup
    assert backup is not None
    assert (backup / "train.py").read_bytes() == text.encode()


def test_an_interrupt_between_two_files_leaves_both_as_they_were(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "model.py").write_text(OLD)
    changes = changes_of(patch_of() + patch_of("model.py"), project)
    replace, calls = applying._replace, []

    def interrupted(path: Path, expected: bytes, new: bytes) -> None:
        replace(path, expected, new)
        calls.append(path)
        if len(calls) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(applying, "_replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        apply(changes)
    assert (project / "train.py").read_text() == (project / "model.py").read_text() == OLD


def test_an_edit_while_the_patch_is_fitted_is_not_lost(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edited, script = OLD + "  # edited", project / "train.py"
    fit = applying.patched_texts

    def and_then_edited(*words: Any) -> Any:
        found = fit(*words)
        script.write_text(edited)
        return found

    monkeypatch.setattr(applying, "patched_texts", and_then_edited)
    with pytest.raises(ApplyError, match="changed in the meantime"):
        apply(changes_of(patch_of(), project))
    assert script.read_text() == edited


def test_a_file_that_changed_since_the_run_is_left_alone(project: Path) -> None:
    script = project / "train.py"
    script.write_text("# new first line\n" + OLD)
    with pytest.raises(ApplyError, match="changed since the run"):
        changes_of(patch_of(), project)
    script.write_text(OLD + "\n")
    as_run = digests(project)
    far_below = "\n" * 9 + "# a line that the patch does not see\n"
    script.write_text(OLD + far_below)
    patch = patch_of(old=OLD + "\n" * 9, new=NEW + "\n" * 9)
    assert changes_of(patch, project)  # it fits, and is refused all the same
    with pytest.raises(ApplyError, match="changed since the run"):
        changes_of(patch, project, as_run)


def test_a_file_that_changes_between_the_look_and_the_writing_is_left_alone(project: Path) -> None:
    changes = changes_of(patch_of(), project)
    (project / "train.py").write_text("edited meanwhile")
    with pytest.raises(ApplyError, match="changed in the meantime"):
        apply(changes)
    assert (project / "train.py").read_text() == "edited meanwhile"
    assert sorted(path.name for path in project.iterdir()) == ["train.py"]


def test_nothing_outside_the_project_is_written(project: Path) -> None:
    outside = project.parent / "library.py"
    outside.write_text(OLD)
    (project / "link.py").symlink_to(outside)
    (project / "venv").mkdir()
    (project / "venv" / "lib.py").write_text(OLD)
    for name in ("../library.py", "link.py", "venv/lib.py"):
        with pytest.raises(ApplyError, match="outside the project"):
            changes_of(patch_of(name), project)
    assert outside.read_text() == OLD


def test_a_link_inside_the_project_stays_a_link(project: Path) -> None:
    (project / "link.py").symlink_to("train.py")
    apply(changes_of(patch_of("link.py"), project))
    assert (project / "link.py").is_symlink() and (project / "train.py").read_text() == NEW


def test_all_files_or_none(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "model.py").write_text(OLD)
    changes = changes_of(patch_of() + patch_of("model.py"), project)
    assert len(changes) == 2
    (project / "model.py").write_text("edited meanwhile")
    with pytest.raises(ApplyError):
        apply(changes)
    assert (project / "train.py").read_text() == OLD
    assert (project / "model.py").read_text() == "edited meanwhile"


def test_a_backup_that_cannot_be_made_stops_everything(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = project.parent / "blocked"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    with pytest.raises(ApplyError, match="no backup"):
        apply(changes_of(patch_of(), project))
    assert (project / "train.py").read_text() == OLD


def test_a_read_only_file_is_one_clear_line(project: Path) -> None:
    (project / "train.py").chmod(0o444)
    with pytest.raises(ApplyError, match="cannot be written"):
        changes_of(patch_of(), project)


def test_two_at_once_do_not_overwrite_each_other(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have read the same text; the second must see what the first has written."""
    texts = [OLD.replace("0.5", number) for number in ("0.05", "0.005")]
    changes = [changes_of(patch_of(new=text), project) for text in texts]
    write, inside, most = applying._apply, [], []

    def slowly(changes: list[applying.Change]) -> applying.Applied:
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.05)
        try:
            return write(changes)
        finally:
            inside.pop()

    monkeypatch.setattr(applying, "_apply", slowly)
    told: list[str] = []

    def treat(own: list[applying.Change]) -> None:
        try:
            told.append(str(len(apply(own).files)))
        except ApplyError as error:
            told.append(str(error))

    threads = [threading.Thread(target=treat, args=(own,)) for own in changes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    written, refused = sorted(told, key=len)
    assert written == "1" and "changed in the meantime" in refused
    assert (project / "train.py").read_text() in texts


def test_a_script_that_is_a_link_is_watched_where_its_file_is(project: Path, tmp_path: Path) -> None:
    link = tmp_path / "train.py"
    link.symlink_to(project / "train.py")
    assert set(files_now(Script(str(link)))) == {(project / "train.py").resolve()}


def test_a_script_that_is_a_link_elsewhere_under_another_name_is_written(project: Path, tmp_path: Path) -> None:
    """The patch calls it by the name of the link."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "link.py").symlink_to(project / "train.py")
    apply(changes_of(patch_of("link.py"), folder, files_now(Script(str(folder / "link.py")))))
    assert (folder / "link.py").is_symlink() and (project / "train.py").read_text() == NEW


def test_a_module_is_watched_too(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    as_run = files_now(Script("train", module=True))
    (project / "train.py").write_text(OLD + "  # edited")
    with pytest.raises(ApplyError, match="changed since the run"):
        changes_of(patch_of(old=OLD + "  # edited", new=NEW + "  # edited"), project, as_run)


def test_a_repository_with_missing_objects_starts_no_program(project: Path, tmp_path: Path) -> None:
    """git would fetch what is missing from the promised remote, with the program that its settings name."""
    git(project, "init", "-q")
    git(project, "add", "train.py")
    git(project, "commit", "-qm", "x")
    for path in (project / ".git" / "objects").rglob("*"):
        if path.is_file() and path.parent.name != "info":
            path.chmod(0o600)
    blob = subprocess.run(
        ["git", "-C", str(project), "rev-parse", "HEAD:train.py"], capture_output=True, text=True, check=True
    ).stdout.strip()
    (project / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    made = tmp_path / "made"
    for name, value in (
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", str(tmp_path)),
        ("remote.origin.uploadpack", f"touch '{made}' #"),
    ):
        git(project, "config", name, value)
    assert not held_by_git(project / "train.py", OLD.encode())
    assert not made.exists()
