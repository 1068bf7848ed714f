"""`traindx redact`: what is private is gone, what a diagnosis rests on is not."""

from __future__ import annotations

import numpy as np
import pytest

from traindx.__main__ import main
from traindx.record import RunBuilder, load
from traindx.record.redacting import base_name
from traindx.record.saving import save

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
    # Base names stay; here two of them are the secret itself, to show that no folder is.
    assert content.count(SECRET.encode()) == content.count(b"s3://") == 0
    assert b"train.py" in content and b"set.csv" in content and b"op.py" in content
    assert shared.stat().st_mode & 0o777 == 0o600


def test_measurements_and_names_stay(shared):
    before, after = private_run(), load(shared)
    assert np.array_equal(after.series("loss/train").values, before.series("loss/train").values)
    assert after.layers("grad_norm").layers == ("encoder/layer.0/weight",)
    assert after.facts["params"] == before.facts["params"]
    assert after.facts["losses"][0]["site"] == {"file": "train.py", "line": 7, "text": "", "function": "main"}
    assert after.facts["script"]["argv"] == ["--token", "***", "--key=***", "***", "-v"]
    assert after.facts["error"]["type"] == "ConnectionError" and after.facts["error"]["message"] == "***"
    assert after.facts["log"]["config"]["lr"] == 0.1 and after.facts["platform"] == "Linux"
    assert after.facts["distributed"] == {"rank": 0, "world_size": 2, "backend": "gloo"}
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
