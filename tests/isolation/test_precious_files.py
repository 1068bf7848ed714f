"""Whatever an isolated script does, the user's files are as they were, and the script sees its own changes."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from pathlib import Path

import attacks
import pytest
from precious import Attacker, Precious


def told_of(attack: Attacker, bodies: Mapping[str, str]) -> dict[str, str]:
    """What each attack came to, made one after another by one isolated script."""
    words = {name: (attacks.folder_of(name), body) for name, body in bodies.items()}
    done = attack(attacks.ALL, ATTACKS=json.dumps(words))
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[0]))


@pytest.mark.parametrize("kind", ["FILES", "TORCH"])
def test_files_are_as_they_were_and_changes_are_seen(kind: str, attack: Attacker, precious: Precious) -> None:
    before = precious.state()
    told = told_of(attack, getattr(attacks, kind))
    assert precious.state() == before
    assert not Path("/dev/shm/traindx_was_here").exists()
    assert not (Path(json.__file__).parent / "traindx_was_here.py").exists()
    assert {name: said for name, said in told.items() if said != "done"} == {}


@pytest.mark.parametrize("name", ["json.py", "ctypes.py", "traindx.py", "runpy.py"])
def test_nothing_in_the_working_folder_runs_before_isolation(attack: Attacker, precious: Precious, name: str) -> None:
    """A project may hold a module that is called like one of the standard library."""
    (precious.folder / name).write_text("open('made_before_isolation', 'w')")
    (precious.folder / name).chmod(0o644)
    done = attack("print('ran')")
    assert "ran" in done.stdout, done.stderr
    assert not (precious.folder / "made_before_isolation").exists()


def test_other_programs_change_nothing(attack: Attacker, precious: Precious) -> None:
    before = precious.state()
    for name, body in attacks.PROGRAMS.items():
        done = attack(body)
        if attack.mode == "kernel":
            assert "done" in done.stdout, (name, done.stderr)
        else:
            assert "isolated run: no other programs" in done.stderr, name
    time.sleep(2.5)  # of the program that goes on
    assert precious.state() == before


def test_a_daemon_ends_with_the_script(attack: Attacker, precious: Precious) -> None:
    beacon = precious.root / "kept" / "beacon"
    waiting = "import time\nwhile not os.path.exists(os.environ['BEACON']):\n    time.sleep(0.05)"
    done = attack(attacks.DAEMON + waiting, BEACON=str(beacon))
    assert "done" in done.stdout and beacon.exists()
    size = beacon.stat().st_size
    time.sleep(0.4)
    assert beacon.stat().st_size == size


def test_nobody_is_connected_to(attack: Attacker, precious: Precious) -> None:
    path = precious.root / "kept.sock"
    with (
        socket.socket() as server,
        socket.socket(socket.AF_UNIX) as local,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
    ):
        server.bind(("127.0.0.1", 0))
        datagrams.bind(("127.0.0.1", server.getsockname()[1]))
        local.bind(str(path))
        path.chmod(0o777)
        server.listen()
        local.listen()
        done = attack(attacks.CONNECT + attacks.DATAGRAM, PORT=str(server.getsockname()[1]), SOCKET=str(path))
        assert "done" in done.stdout, done.stderr
        for each in (server, local, datagrams):
            each.setblocking(False)
        for listening in (server, local):
            with pytest.raises(BlockingIOError):
                listening.accept()
        with pytest.raises(BlockingIOError):
            datagrams.recv(10)


def test_a_script_that_eats_memory_is_ended(attack: Attacker, monkeypatch: pytest.MonkeyPatch) -> None:
    eats = "held = []\nfor _ in range(2000):\n    held.append(bytearray(os.urandom(2**20) * 8))\nprint('all eaten')"
    done = attack(eats, TRAINDX_ISOLATED_MEMORY=str(300 * 2**20))
    assert done.returncode != 0 and "all eaten" not in done.stdout
    assert "exceeded the memory or process limit" in done.stderr


def test_a_deleted_working_folder_stays_deleted(attack: Attacker, precious: Precious) -> None:
    body = "try:\n    os.getcwd()\nexcept FileNotFoundError:\n    print('gone')"
    gone = precious.root / "gone"
    gone.mkdir()
    attack.prefix = [*attack.prefix, "sh", "-c", f'cd "{gone}" && rmdir "{gone}" && exec "$@"', "sh"]
    gone.chmod(0o777)
    precious.root.chmod(0o777)
    assert "gone" in attack(body).stdout
