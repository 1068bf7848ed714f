"""The live server without a browser: who is let in, what viewers are sent, how alerts leave."""

from __future__ import annotations

import http.client
import json
import os
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from traindx.diagnosis import diagnose
from traindx.record import RunBuilder
from traindx.record.ending import STALE_SECONDS
from traindx.record.reading import load
from traindx.record.writer import RecordWriter
from traindx.reports.live import Alert, HookError, LiveServer, follow, hook_of, serving
from traindx.reports.live.alerts import AlertBook
from traindx.reports.live.following import Hub, Source

PATIENCE = 60.0


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[RecordWriter]:
    writer = RecordWriter(tmp_path / "run.tdx")
    writer.fact("started", 1.8e9)
    writer.fact("heartbeat", 4e9)
    writer.points("loss/train", range(100), [1.0] * 100)
    writer.flush()
    yield writer
    writer.close()


@pytest.fixture
def server(writer: RecordWriter) -> Iterator[LiveServer]:
    path = writer.path
    server, following = follow(path, lambda: load(path), complain=lambda message: None)
    yield server
    following.stop()
    server.close()


def ask(server: LiveServer, target: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.putrequest("GET", target, skip_host=True)
    for name, value in {"Host": f"127.0.0.1:{server.port}", **headers}.items():
        connection.putheader(name, value)
    connection.endheaders()
    return connection.getresponse()


def events(server: LiveServer, after: str = "") -> Iterator[tuple[str, str, Any]]:
    """(id, kind, content) of what a viewer is sent."""
    answer = ask(server, f"/events?token={server.token}&after={after}")
    assert answer.status == 200
    fields: dict[str, str] = {}
    while line := answer.readline().decode().rstrip("\n"):
        name, _, value = line.partition(": ")
        fields[name] = value
        if name == "data":
            yield fields["id"], fields["event"], json.loads(value)
            assert answer.readline() == b"\n"


def test_the_page_is_served_to_who_has_the_token(server: LiveServer) -> None:
    answer = ask(server, f"/?token={server.token}")
    page = answer.read().decode()
    assert answer.status == 200
    assert "connect-src 'self'" in page
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert ask(server, f"/other?token={server.token}").status == 404


@pytest.mark.parametrize("where", ["/", "/events", "/other"])
@pytest.mark.parametrize("token", ["", "?token=", "?token=wrong", "?token=%00%ff", "?tokens={}", "?token={}x"])
def test_nobody_else_is_let_in(where: str, token: str, server: LiveServer) -> None:
    assert ask(server, where + token.format(server.token)).status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1.evil.example:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1:{port}"},
    ],
)
def test_foreign_pages_and_names_are_refused(headers: dict[str, str], server: LiveServer) -> None:
    told = {name: value.format(port=server.port) for name, value in headers.items()}
    assert ask(server, f"/?token={server.token}", **told).status == 403


def test_its_own_names_are_accepted(server: LiveServer) -> None:
    own = f"localhost:{server.port}"
    assert ask(server, f"/?token={server.token}", Host=own, Origin=f"http://{own}").status == 200


def test_only_this_machine_can_connect(server: LiveServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_connections_are_bounded_also_without_a_token(server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MOST_CONNECTIONS", 3)
    monkeypatch.setattr(serving, "GREETING_SECONDS", PATIENCE)  # only the bound sends anybody away
    idle = [socket.create_connection(("127.0.0.1", server.port), PATIENCE) for _ in range(3)]
    until(lambda: server.connections == 3)
    assert ask(server, f"/?token={server.token}").status == 200, "who is idle makes room"
    assert idle[0].recv(1) == b"", "the first of them"
    for connection in idle:
        connection.close()
    until(lambda: server.connections == 0)
    viewers = [events(server) for _ in range(3)]
    assert [next(viewer)[1] for viewer in viewers] == ["full"] * 3
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as late:
        assert late.recv(1) == b"", "who has the token is not sent away"
    assert [next(viewer)[1] for viewer in viewers] == ["ping"] * 3


def test_idle_connections_shut_nobody_out(server: LiveServer) -> None:
    idle = [socket.create_connection(("127.0.0.1", server.port), PATIENCE) for _ in range(2 * serving.MOST_CONNECTIONS)]
    assert ask(server, f"/?token={server.token}").status == 200
    assert server.connections <= 2 * serving.MOST_CONNECTIONS
    for connection in idle:
        connection.close()


def test_who_is_slow_to_show_the_token_is_sent_away(server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "GREETING_SECONDS", 1.0)
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as slow, pytest.raises(OSError):
        while True:  # a byte now and then, so that the connection is never silent
            slow.sendall(b"G")
            time.sleep(0.1)
    until(lambda: server.connections == 0)


def test_a_viewer_may_stay(server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "GREETING_SECONDS", 0.0)
    monkeypatch.setattr(serving, "HEARTBEAT_SECONDS", 0.2)
    server.service_actions = lambda: None  # type: ignore[method-assign]
    viewer = events(server)
    next(viewer)
    type(server).service_actions(server)
    assert [next(viewer)[1] for _ in range(5)] == ["ping"] * 5


def test_every_answer_forbids_what_it_does_not_contain(server: LiveServer) -> None:
    for target in (f"/?token={server.token}", "/", f"/nothing?token={server.token}"):
        answer = ask(server, target)
        policy = answer.headers["Content-Security-Policy"]
        rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}
        assert rules["default-src"] == rules["frame-ancestors"] == ["'none'"]
        assert not any(word.startswith("'unsafe") for word in policy.split())
        scripts = rules.get("script-src", [])
        assert all(word.startswith("'sha256-") for word in scripts) and len(scripts) == (
            2 if answer.status == 200 else 0
        )


def until(there: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_token_and_port_stay_and_differ_by_record(tmp_path: Path, state_folder: Path) -> None:
    one, other = tmp_path / "a.tdx", tmp_path / "b.tdx"
    assert serving.token_of(one) == serving.token_of(one) != serving.token_of(other)
    assert serving.port_of(one) == serving.port_of(one)
    secret = state_folder / "traindx" / "live-secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert len(serving.token_of(one)) >= 32


def test_a_secret_that_others_can_read_is_not_used(tmp_path: Path, state_folder: Path) -> None:
    before = serving.token_of(tmp_path / "a.tdx")
    (state_folder / "traindx" / "live-secret").chmod(0o644)
    assert serving.token_of(tmp_path / "a.tdx") != before


def test_several_viewers_get_new_points_and_can_continue(server: LiveServer, writer: RecordWriter) -> None:
    viewers = [events(server), events(server)]
    first = [next(viewer) for viewer in viewers]
    assert [kind for _, kind, _ in first] == ["full", "full"]
    writer.points("loss/train", range(100, 130), [2.0] * 30)
    writer.flush()
    for viewer in viewers:
        mark, content = next((mark, content) for mark, kind, content in viewer if kind == "points")
        assert [(line["name"], line["n"]) for line in content["lines"]] == [("loss/train", 30)]
        assert content["last"] == 129
    again = events(server, mark)
    assert next(again)[1] != "full"
    assert next(events(server, "another-7"))[1] == "full"


def test_points_are_read_from_where_they_are_known(writer: RecordWriter) -> None:
    writer.points("loss/train", range(100, 5000), [float(step) for step in range(100, 5000)])
    writer.flush()
    source = Source(writer.path, lambda: load(writer.path))
    for known in (0, 1, 1023, 1024, 1025, 4999):
        assert source.points({"loss/train": known})["loss/train"].steps.tolist() == list(range(known, 5000))
    assert source.points({"loss/train": 5000, "absent": 0}) == {}


def test_a_viewer_who_fell_behind_begins_anew() -> None:
    hub = Hub()
    hub.publish("points", {"n": 1})
    hub.complete({"a": 1})
    start = hub.latest()
    assert start is not None
    hub.publish("points", {"n": 2})
    assert [message.content["n"] for message in hub.after(start[0], 0) or []] == [2]
    hub.complete({"a": 2})
    hub.complete({"a": 3})
    hub.publish("points", {"n": 3})
    assert hub.after(start[0], 0) is None
    assert hub.after("nonsense", 0) is None


def run_of(*, loss: Any, **facts: Any) -> Any:
    builder = RunBuilder("runs/a.tdx", "observed").series("loss/train", np.arange(len(loss)), loss)
    for key, value in {"started": 1.8e9, "heartbeat": 4e9, **facts}.items():
        builder.fact(key, value)
    return builder


def test_alerts_are_raised_once_and_verdicts_must_hold() -> None:
    book = AlertBook()
    fine = run_of(loss=np.linspace(2, 1, 200)).build()
    assert book.new(fine, diagnose(fine)) == []
    builder = run_of(loss=np.r_[np.linspace(2, 1, 200), np.full(100, np.nan)])
    sick = builder.event("nonfinite-loss", 200, value="nan").build()
    diagnosis = diagnose(sick)
    assert diagnosis.verdict == "sick"
    assert [alert.key for alert in book.new(sick, diagnosis)] == ["nonfinite-loss"]
    assert [alert.title for alert in book.new(sick, diagnosis)] == ["Sick"]
    assert book.new(sick, diagnosis) == []


def test_a_killed_run_is_told_and_a_finished_one_is_not() -> None:
    book = AlertBook()
    running = run_of(loss=np.linspace(2, 1, 50)).build()
    book.new(running, diagnose(running))
    killed = run_of(loss=np.linspace(2, 1, 50), exit="killed").build()
    assert "was killed" in book.new(killed, diagnose(killed))[-1].text
    assert AlertBook().new(killed, diagnose(killed)) == []


ALERT = Alert("k", "critical", "NaN/Inf", 'The loss; $(touch pwned) `x` "y"', 7, "a.tdx")


def fired(hook: Callable[[Alert], None], until: Callable[[], bool]) -> None:
    hook(ALERT)
    for _ in range(int(PATIENCE / 0.05)):
        if until():
            return
        threading.Event().wait(0.05)
    raise AssertionError("the hook did nothing")


def test_a_command_gets_the_alert_as_data(tmp_path: Path) -> None:
    file = tmp_path / "told"
    hook = hook_of(
        f'cat > "{file}.part"; echo "$TRAINDX_TEXT|$TRAINDX_STEP" >> "{file}.part"; mv "{file}.part" "{file}"', print
    )
    fired(hook, file.exists)
    first, _, rest = file.read_text().partition("}")
    assert json.loads(first + "}")["text"] == ALERT.text
    assert rest.strip() == f"{ALERT.text}|7"
    assert not (tmp_path / "pwned").exists()
    assert not Path("pwned").exists()


def test_an_address_gets_json() -> None:
    taken: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as target:
        threading.Thread(target=target.handle_request, daemon=True).start()
        fired(hook_of(f"http://127.0.0.1:{target.server_address[1]}/x", print), lambda: bool(taken))
    assert ALERT.text in taken[0]["text"]
    assert taken[0]["step"] == 7


@pytest.mark.parametrize("target", ["exit 3", "http://127.0.0.1:9/nobody-listens", "http://127.0.0.1:9/a b"])
def test_a_hook_that_fails_is_one_line(target: str) -> None:
    told: list[str] = []
    fired(hook_of(target, told.append), lambda: bool(told))
    assert told[0].startswith("traindx live: the alert was not delivered")
    assert "\n" not in told[0]


def test_a_hook_without_a_target_is_refused() -> None:
    for target in ("", "  ", "http://", "http://["):
        with pytest.raises(HookError):
            hook_of(target, print)


def test_following_leaves_the_record_to_its_writer(server: LiveServer, writer: RecordWriter) -> None:
    assert server.hub.latest(PATIENCE) is not None
    writer.close()
    assert not writer.path.with_name("run.tdx-wal").exists() or os.name == "nt"


def test_a_run_that_falls_silent_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("traindx.reports.live.following.PAUSE_SECONDS", 0.1)
    monkeypatch.setattr("traindx.reports.live.following.COST", 0.0)
    monkeypatch.setattr("traindx.reports.live.following.STALE_CHECK_SECONDS", 0.3)
    writer = RecordWriter(tmp_path / "run.tdx")
    writer.fact("started", time.time() - 100)
    writer.fact("heartbeat", time.time() - STALE_SECONDS + 4)
    writer.points("loss/train", range(100), np.linspace(2, 1, 100).tolist())
    writer.flush()
    told: list[Alert] = []
    server, following = follow(writer.path, lambda: load(writer.path), hooks=[told.append], complain=print)
    try:
        assert following.ended.wait(PATIENCE)
        latest = server.hub.latest()
        assert latest is not None
        assert "was killed at about step 100" in latest[1]["about"]["details"]
        assert told[-1].key == "ended"
    finally:
        following.stop()
        server.close()
        writer.close()
