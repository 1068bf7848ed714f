"""No isolated script leaves its isolation, as root or as an ordinary user, through any verb that runs code."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from precious import USER, WITHOUT, Attacker, Precious
from ways_out import ATTACK, HOSTILE, IN_LAYERS, REMOUNT, VERBS, WITHOUT_NAMESPACES, scripts

from traindx.isolation import IsolationError, choose

LARGE = b"precious weights" * 200_000  # shown read-only beside a mount, because it is too large to copy


def beside_a_mount(attack: Attacker) -> None:
    """Put a mount below the folder, which the kernel then refuses to layer as a whole."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("only root can mount here")
    folder = attack.precious.folder
    (folder / "mounted").mkdir()
    (folder / "mounted").chmod(0o755)
    (folder / "weights.bin").write_bytes(LARGE)
    (folder / "weights.bin").chmod(0o666)
    mounting = f"mount -t tmpfs -o size=1m none '{folder}/mounted' && exec \"$@\""
    attack.prefix = ["unshare", "-m", "sh", "-c", mounting, "sh", *attack.prefix]


def test_every_way_out_is_refused(attack: Attacker, precious: Precious) -> None:
    before, name = precious.state(), socket.gethostname()
    done = attack(ATTACK + (WITHOUT_NAMESPACES if attack.mode == "python" else IN_LAYERS) + "\nattack()\n")
    assert "done" in done.stdout, done.stderr
    assert precious.state() == before and socket.gethostname() == name


def test_what_is_shown_read_only_stays_so(attack: Attacker, precious: Precious) -> None:
    beside_a_mount(attack)
    before = precious.state()
    done = attack(ATTACK + REMOUNT + "\nattack()\n")
    assert "done" in done.stdout, done.stderr
    assert precious.state() == before


def test_a_script_without_capabilities_still_trains(attack: Attacker) -> None:
    """Threads, forks and workers need `clone`, of which the filter reads the flags."""
    body = """
import threading, multiprocessing, torch
from torch.utils.data import DataLoader
told = []
thread = threading.Thread(target=told.append, args=(1,))
thread.start(); thread.join()
process = multiprocessing.get_context("fork").Process(target=print, args=("forked",))
process.start(); process.join()
assert told == [1] and process.exitcode == 0
torch.randn(300, 300) @ torch.randn(300, 300)
assert sum(len(batch) for batch in DataLoader(torch.randn(64, 3), batch_size=8, num_workers=2)) == 64
"""
    done = attack(body)
    assert "done" in done.stdout and "forked" in done.stdout, done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_lets_a_script_out(verb: str, attack: Attacker, precious: Precious) -> None:
    if attack.mode != "kernel":
        pytest.skip("every verb takes the strongest mode")
    beside_a_mount(attack)
    folder = precious.folder
    for name, text in scripts().items():
        (folder / name).write_text(text)
    subprocess.run([sys.executable, "-c", HOSTILE, "payload.py"], cwd=folder, check=True)
    for path in folder.iterdir():
        if path.is_file():
            path.chmod(0o644)
    before = precious.state()
    own = str(precious.root / "kept")  # what `treat` remembers
    done = attack.command([sys.executable, "-m", "traindx", *VERBS[verb]], XDG_CACHE_HOME=own)
    after = precious.state()
    before["tmp"] = after["tmp"]  # the verb keeps its own results there until it ends
    assert after == before
    assert "reached" not in done.stdout + done.stderr
    if verb == "--trust-pickle":  # the file is no model, which is found out after it was loaded
        assert done.returncode == 2 and "isolat" not in done.stderr, done.stderr
    else:
        assert done.returncode in (0, 1), done.stderr


@pytest.mark.skipif(bool(WITHOUT["kernel"]), reason=WITHOUT["kernel"])
def test_a_script_is_not_run_where_a_write_in_isolation_is_real(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from traindx.isolation._held import Canary, NotHeld

    canary = Canary()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            canary.check([str(tmp_path)], [])
        except NotHeld:
            code = 42
        finally:
            os._exit(code)
    canary.observe()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
    assert list(tmp_path.iterdir()) == []


def test_a_process_with_capabilities_is_refused() -> None:
    from traindx.isolation._held import NotHeld, check_privileges

    with pytest.raises(NotHeld):
        check_privileges()


def test_root_needs_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINDX_ISOLATION", "python")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(IsolationError, match=r"root needs namespaces.*--in-place"):
        choose("train.py")
    assert choose("train.py", in_place=True).mode == "off"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has files of other users")
@pytest.mark.skipif(bool(WITHOUT["kernel"]), reason=WITHOUT["kernel"])
def test_root_uses_the_files_of_another_user_as_usual(precious: Precious) -> None:
    for path in (precious.folder, *precious.folder.rglob("*")):
        os.chown(path, USER, USER, follow_symlinks=False)
    (precious.folder / "model.pt").chmod(0o600)
    before = precious.state()
    body = """
assert open('model.pt', 'rb').read(8) == b'precious'
open('model.pt', 'wb').write(b'new'); open('new.txt', 'w').write('new'); os.chown('new.txt', 4242, 4242)
held = int(open('/proc/self/status').read().partition('CapPrm:')[2].split()[0], 16)
assert held == 0b11011, held  # CHOWN, DAC_OVERRIDE, FOWNER, FSETID
"""
    done = Attacker(precious, "kernel", [])(ATTACK + body + "attack()\n")
    assert "done" in done.stdout, done.stderr
    assert precious.state() == before
