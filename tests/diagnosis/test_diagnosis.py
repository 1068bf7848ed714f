"""A diagnosis from end to end, on runs that the test builds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from traindx.diagnosis import diagnose, model_for
from traindx.diagnosis.next_tests import next_tests
from traindx.diagnosis.parameters import current
from traindx.record import Run, RunBuilder


def falling(points: int = 400) -> np.ndarray:
    rng = np.random.default_rng(0)
    return 0.05 + 2.2 * np.exp(-np.arange(points) / 40) + 0.01 * rng.standard_normal(points)


def observed(**facts: object) -> RunBuilder:
    builder = RunBuilder("run.tdx", "observed").series("loss/train", np.arange(400), falling())
    builder.fact("steps", 400).fact("backwards", 400).fact("exit", "ok")
    for key, value in facts.items():
        builder.fact(key, value)
    return builder


def kept_gradients() -> Run:
    site = {
        "file": "train.py",
        "line": 12,
        "text": "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        "function": "main",
    }
    group = {"lr": 0.1, "momentum": 0.0, "tensors": 4, "elements": 500}
    optimizer = {"class": "SGD", "site": site, "groups": [group], "tensors": 4, "elements": 500, "steps": 400}
    return (
        observed(
            optimizers=[{**optimizer, "first_step": 0, "grads_kept": 399}], script={"path": "train.py", "argv": []}
        )
        .event("grads-kept", 1, optimizer=0)
        .build()
    )


def test_a_seen_fault_is_named_with_its_line() -> None:
    found = diagnose(kept_gradients())
    assert found.verdict == "sick"
    assert found.leading.cause == "missing-zero-grad"
    assert found.leading.basis == "seen"
    assert found.leading.fix is not None and "zero_grad" in found.leading.fix.code
    assert any("399 of the 400" in line for line in found.leading.evidence)


def test_confidences_sum_to_at_most_one_and_are_in_order() -> None:
    found = diagnose(kept_gradients())
    shared = [h.confidence for h in found.hypotheses if h.basis != "measured" and h.beside is None]
    assert sum(shared) <= 1 + 1e-9
    assert shared == sorted(shared, reverse=True)


def test_contributions_add_up_to_the_score() -> None:
    values = falling()
    values[250:] = np.nan
    found = diagnose(RunBuilder("run.tdx", "observed").series("loss/train", np.arange(400), values).build())
    levels = {name: sign.level for name, sign in found.signs.items()}
    for hypothesis in found.hypotheses:
        total = hypothesis.prior + sum(c.amount for c in hypothesis.contributions)
        assert abs(total - current().score(hypothesis.cause, levels)) < 1e-9


def test_a_falling_log_is_not_called_sick() -> None:
    log = RunBuilder("log.txt", "text").series("loss/train", np.arange(400), falling())
    log.fact("log", {"columns": {"loss/train": "loss"}, "step_unit": "step", "runs": 1})
    assert diagnose(log.build()).verdict == "healthy"


def test_a_nan_is_sick_even_in_a_log() -> None:
    values = falling()
    values[250:] = np.nan
    found = diagnose(RunBuilder("log.txt", "text").series("loss/train", np.arange(400), values).build())
    assert found.verdict == "sick"
    assert any(sign.id == "loss-not-finite" for sign in found.symptoms)
    assert found.onset == 250
    assert "healthy" not in {hypothesis.cause for hypothesis in found.hypotheses}


def test_a_log_without_a_loss_is_handed_back() -> None:
    found = diagnose(RunBuilder("log.txt", "text").series("lr", [0, 1], [0.1, 0.1]).build())
    assert found.verdict == "out-of-scope"


def test_a_log_is_sent_on_to_observation_and_a_script_to_its_tests() -> None:
    values = falling()
    values[250:] = np.nan
    log = diagnose(RunBuilder("log.txt", "text").series("loss/train", np.arange(400), values).build())
    assert [test.command for test in log.next_tests] == ["traindx run train.py"]
    chances = {"lr-too-high": 0.5, "noisy-labels": 0.4, "unknown": 0.1}
    run = observed(script={"path": "my train.py", "argv": ["--lr", "1"], "module": False}).build()
    commands = [test.command for test in next_tests("sick", chances, run, None)]
    assert "traindx lr 'my train.py' --lr 1" in commands and "traindx check 'my train.py' --lr 1" in commands


def test_diagnosing_never_imports_torch(tmp_path: Path) -> None:
    code = (
        "import sys, numpy as np\n"
        "from traindx.record import RunBuilder\n"
        "from traindx.diagnosis import diagnose\n"
        "run = RunBuilder('x', 'text').series('loss/train', np.arange(50), np.linspace(2, 1, 50)).build()\n"
        "print(diagnose(run))\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=tmp_path)


def test_a_log_without_weights_says_nothing_of_the_size_of_steps() -> None:
    loss = 0.5 + 2 * np.exp(-np.linspace(0, 8, 200))
    run = RunBuilder("train.log", "text").series("loss/train", range(200), loss)
    judged = diagnose(run.series("lr", range(200), np.linspace(1e-3, 1e-5, 200)).build())
    assert not any("weights" in sentence for sentence in judged.checked)
    assert any("step sizes" in sentence for sentence in judged.not_measured)


def test_causes_about_labels_do_not_compete_where_there_are_none() -> None:
    images = {"shape": [64, 144], "min": 0.0, "max": 1.0, "mean": 0.174, "std": 0.305}
    other = images | {"max": 1.4}
    of_values = [{"fn": "mse_loss", "phase": "train", "target": {"integer_valued": False}}]
    one_hot = [{"fn": "mse_loss", "phase": "train", "target": {"integer_valued": True}}]

    def competing(inputs: dict, targets: dict, losses: list) -> set[str]:
        run = observed(**{"data/train": inputs, "targets/train": targets, "losses": losses}).build()
        return {"noisy-labels", "class-imbalance"} & set(model_for(run)[0].causes)

    assert competing(images, images | {"kind": "values", "mean": 0.1741}, of_values) == set()
    assert competing(other, images | {"kind": "values"}, of_values) == {"noisy-labels"}  # targets can be shuffled
    assert competing(other, images | {"kind": "values"}, one_hot) == {"noisy-labels", "class-imbalance"}
    assert competing(images, images | {"kind": "class ids"}, []) == {"noisy-labels", "class-imbalance"}
    assert competing({}, {}, []) == {"noisy-labels", "class-imbalance"}
