"""Signs of faults as people write them, against a second, plain computation."""

from __future__ import annotations

import numpy as np
import pytest

from traindx.record import RunBuilder
from traindx.signs import Missing, Sign, all_signs


def factor_model(std: float, width: int, first: float, linear_maps: int = 0) -> RunBuilder:
    table = {"module": "Embedding", "kind": "embedding", "shape": [100, width], "elements": 100 * width,
             "requires_grad": True, "ran": True, "init_std": std, "init_mean": 0.0}  # fmt: skip
    call = {"fn": "mse_loss", "phase": "train", "calls": 40, "reduction": "mean", "value_ratio": 1.0}
    call |= {"input": {"shape": [32]}, "target": {"shape": [32]}}
    builder = RunBuilder("run.tdx", "observed").fact("steps", 200).fact("losses", [call])
    builder.fact("params", [{"name": f"{who}.weight", **table} for who in ("users", "items")])
    builder.fact("targets/train", {"kind": "values", "mean": 3.0, "std": 1.0})
    builder.fact("graph", {"nodes": 9, "linear_maps": linear_maps})
    return builder.series("loss/function", [0, 1, 2], [first, first, first])


@pytest.mark.parametrize(("std", "width"), [(1.0, 64), (1.0, 16), (0.1, 64), (1.0, 4)])
@pytest.mark.parametrize("first", [10.0, 30.0, 74.0])
def test_embedding_scale_against_its_definition(std: float, width: int, first: float) -> None:
    found = all_signs()["embedding-scale-large"].measure(factor_model(std, width, first).build())
    assert isinstance(found, Sign)
    ratio = std * std * np.sqrt(width) / np.sqrt(10.0)  # targets of mean 3 and deviation 1
    naive = min(np.log(ratio) / np.log(2.5), np.log(first / 10 / 2) / np.log(5 / 2))
    assert found.level == pytest.approx(min(1.0, max(0.0, naive)), abs=1e-9)


def test_embeddings_before_layers_are_not_judged() -> None:
    found = all_signs()["embedding-scale-large"].measure(factor_model(1.0, 64, 74.0, linear_maps=2).build())
    assert isinstance(found, Missing)
