"""`traindx redact`: what is private is gone, what a diagnosis rests on is not."""

from __future__ import annotations

import numpy as np
import pytest

from traindx.__main__ import main
from traindx.record import RunBuilder, load
from traindx.record.reading import save
from traindx.record.redacting import base_name

SECRET = "hunter2"
SITE = {"file": f"/home/{SECRET}/project/train.py", "line": 7, "text": f"login('{SECRET}')", "function": "main"}


def private_run():
    return (
        RunBuilder(f"/home/{SECRET}/run.tdx", "observed")
        .fact(
            "script", {"path": f"/home/{SECRET}/train.py", "argv": ["--token", SECRET, f"--key={SECRET}", SECRET, "-v"]}
        )
        .fact("platform", f"Linux-6.1-{SECRET}")
        .fact("error", {"type": "ConnectionError", "message": f"https://me:{SECRET}@host failed", "site": SITE})
        .fact("observers_off", {"samples": f"could not read /data/{SECRET}/x"})
        .fact("not_visible", [f"the file /mnt/{SECRET}/model.py was not seen", f"mail {SECRET}@example.org"])
        .fact("distributed", {"rank": 0, "world_size": 2, "backend": "gloo", "master": SECRET})
        .fact("log", {"config": {"lr": 0.1, "data": SECRET, "nested": {"key": SECRET}}, "notes": [SECRET]})
        .fact("losses", [{"fn": "mse_loss", "site": SITE, "phase": "train", "input": {"shape": [4, 1]}}])
        .fact("params", [{"name": "encoder/layer.0/weight", "module": "Linear", "shape": [3, 4], "init_std": 0.5}])
        .fact("data/train", {"mean": 1.5, "source": f"s3://bucket/{SECRET}", "folder": f"data/{SECRET}/set.csv"})
        .fact("graph", {"ops": {"AddmmBackward0": 2}, "custom": [f"C:\\Users\\{SECRET}\\op.py"]})
        .series("loss/train", range(40), [1.0 / (i + 1) for i in range(40)])
        .layers("grad_norm", [1, 2], ["encoder/layer.0/weight"], [[1.0], [2.0]])
        .event("observer-off", 3, observer="samples", reason=f"no {SECRET}")
        .event("nonfinite-origin", 9, where="loss", site=SITE, detail=f"{SECRET}", op="log")
        .build()
    )


@pytest.fixture
def shared(tmp_path):
    save(private_run(), tmp_path / "private.tdx")
    assert main(["redact", str(tmp_path / "private.tdx"), "-o", str(tmp_path / "shared.tdx")]) == 0
    return tmp_path / "shared.tdx"


def test_nothing_private_is_left_in_the_file(shared):
    content = shared.read_bytes()
    assert content.count(SECRET.encode()) == content.count(b"s3://") == 0
    assert b"train.py" in content and b"op.py" in content
    assert shared.stat().st_mode & 0o777 == 0o600


# Only these fields of a record are names, and stay as far as they are; file names stay without their folders.
NAMED = {"name", "class", "type", "fn", "op", "function", "module", "dataset", "custom", "observer", "file", "path"}
TEXTS = (
    f"the password is {SECRET}", f"{SECRET}!", f"/home/{SECRET}/data", f"https://{SECRET}.example.org/x",
    f"C:\\Users\\{SECRET}\\x", f"me@{SECRET}.org", f"{SECRET}", f"sk-live-{SECRET}", f"<function {SECRET}.f at 0x7f>",
)  # fmt: skip
GROUP = {"lr": 0.1, "weight_decay": 0.01, "decoupled": True}


def planted(value, text, free=False):
    """The value with the text in every place that holds one, and in fields that nobody expects."""
    if isinstance(value, dict):
        kept = {key for key in value if key in NAMED and not free}
        rest = {
            key: part if key in kept else planted(part, text, free or key in ("groups", "settings", "config"))
            for key, part in value.items()
        }
        return {**rest, "api_key": text, "more": [text, {"deep": text}]}
    if isinstance(value, list):
        return [*(planted(part, text, free) for part in value), text]
    return text if isinstance(value, str) else value


@pytest.mark.parametrize("text", TEXTS)
def test_no_text_is_left_that_is_no_name(tmp_path, text):
    run, builder = private_run(), RunBuilder("run.tdx", "observed")
    facts = {
        **run.facts,
        "optimizers": [
            {"class": "SGD", "groups": [{**GROUP, "name": text, "api_key": text, "class": text}], "steps": 9}
        ],
        "models": [
            {"class": "Net", "modules": [{"name": "a", "type": "Linear", "settings": {"type": text, "p": 0.5}}]}
        ],
        "schedulers": [{"class": "StepLR", "settings": {"mode": "min", "note": text}}],
        "told": {"signs": {"loss-flat": {"text": text, "level": 1.0}}},
        "somebody/else": {"any": [text]},
        "planned": {"steps": 3, "source": text},
        "exit": text,
    }
    for key, value in facts.items():
        builder.fact(key, planted(value, text))
    for event in run.events:
        builder.event(event.kind, event.step, **planted(dict(event.data), text))
    save(builder.build(), tmp_path / "private.tdx")
    assert SECRET.encode() in (tmp_path / "private.tdx").read_bytes()
    assert main(["redact", str(tmp_path / "private.tdx"), "-o", str(tmp_path / "shared.tdx")]) == 0
    assert SECRET.encode() not in (tmp_path / "shared.tdx").read_bytes()
    group = load(tmp_path / "shared.tdx").facts["optimizers"][0]["groups"][0]
    assert {key: group[key] for key in GROUP} == GROUP and group["api_key"] == group["name"] == "***"


@pytest.mark.parametrize("text", [t for t in TEXTS if t not in (SECRET, f"the password is {SECRET}")])
def test_names_are_kept_only_as_names(tmp_path, text):
    """Folders, addresses and what looks like a token are taken out of names, too, and of the names of fields."""
    facts = {"losses": [{"fn": text, "site": {**SITE, "function": text}}], "graph": {"ops": {text: 1}, "tail": [text]}}
    builder = RunBuilder("run.tdx", "observed")
    for key, value in facts.items():
        builder.fact(key, value)
    save(builder.event(text, 1, op=text).build(), tmp_path / "private.tdx")
    assert main(["redact", str(tmp_path / "private.tdx"), "-o", str(tmp_path / "shared.tdx")]) == 0
    if "function" not in text:
        assert SECRET.encode() not in (tmp_path / "shared.tdx").read_bytes()


def test_measurements_and_names_stay(shared):
    before, after = private_run(), load(shared)
    assert np.array_equal(after.series("loss/train").values, before.series("loss/train").values)
    assert after.layers("grad_norm").layers == ("encoder/layer.0/weight",)
    assert after.facts["params"] == before.facts["params"]
    assert after.facts["losses"][0]["site"] == {"file": "train.py", "line": 7, "text": "", "function": "main"}
    assert after.facts["script"]["argv"] == ["--token", "***", "--key=***", "***", "-v"]
    assert after.facts["error"]["type"] == "ConnectionError" and after.facts["error"]["message"] == "***"
    assert after.facts["log"]["config"]["lr"] == 0.1 and after.facts["platform"] == "Linux"
    assert after.facts["distributed"] == {"rank": 0, "world_size": 2}
    assert after.events[1].data["op"] == "log" and after.events[1].data["detail"] == "***"


def test_source_lines_stay_on_request(shared, tmp_path):
    assert main(["redact", str(tmp_path / "private.tdx"), "-o", str(tmp_path / "open.tdx"), "--keep-source"]) == 0
    assert load(tmp_path / "open.tdx").facts["losses"][0]["site"]["text"] == SITE["text"]


def test_the_diagnosis_is_the_same(shared, tmp_path):
    before, after = (load(tmp_path / name).diagnose() for name in ("private.tdx", "shared.tdx"))
    assert [(h.cause, h.confidence) for h in before.hypotheses] == [(h.cause, h.confidence) for h in after.hypotheses]


def test_nothing_is_overwritten(shared, capsys):
    content = shared.read_bytes()
    assert main(["redact", str(shared), "-o", str(shared)]) == 2
    assert "exists already" in capsys.readouterr().err and shared.read_bytes() == content


@pytest.mark.parametrize("path", ["/a/b.py", "b.py", "C:\\a\\b.py", "a/b.py", "\\\\host\\share\\b.py", "x/b.py/"])
def test_base_names(path):
    assert base_name(path) == "b.py"
