"""The loops of docs/guides/any_framework.md leave a full record where their framework is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import traindx

PAGE = Path(__file__).parents[2] / "docs/guides/any_framework.md"
JAX = """
import flax.linen as nn, jax, jax.numpy as jnp, optax, traindx

class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(32)(x)))

x = jax.random.normal(jax.random.PRNGKey(0), (512, 8))
batches = [(x[i % 512 : i % 512 + 32], jnp.sin(x[i % 512 : i % 512 + 32, :1]) + 1) for i in range(0, 3200, 32)]
net, optimizer = Net(), optax.adam(1e-2)
params = net.init(jax.random.PRNGKey(1), x[:1])
opt_state = optimizer.init(params)

def loss_fn(params, batch):
    return jnp.mean((net.apply(params, batch[0]) - batch[1]) ** 2)
"""
TENSORFLOW = """
import keras, numpy as np, tensorflow as tf, traindx
keras.utils.set_random_seed(0)
x = np.random.default_rng(0).normal(size=(512, 8)).astype("float32")
dataset = tf.data.Dataset.from_tensor_slices((x, (x[:, :1] > 0).astype("float32"))).batch(32).repeat(7).take(100)
model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
model.build((None, 8))
optimizer, loss_fn = keras.optimizers.Adam(1e-2), keras.losses.BinaryCrossentropy(from_logits=True)
"""


@pytest.mark.parametrize(
    ("heading", "before", "needs"),
    [("JAX with Flax and Optax", JAX, ("jax", "flax", "optax")), ("TensorFlow", TENSORFLOW, ("tensorflow", "keras"))],
)
def test_the_loop_of_the_guide(tmp_path, heading, before, needs):
    if missing := [package for package in needs if find_spec(package) is None]:
        pytest.skip(f"{', '.join(missing)} not installed")
    loop = re.search(rf"^## {heading}$.*?```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert loop is not None
    (tmp_path / "train.py").write_text(before + loop[1])
    env = {**os.environ, "OMP_NUM_THREADS": "1", "KERAS_BACKEND": "tensorflow"}
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0 and "traindx:" not in done.stderr, done.stderr[-2000:]
    run = traindx.load(tmp_path / "run.tdx")
    losses = run.series("loss/train").values
    assert run.steps == len(losses) == 100 and losses[-10:].mean() < 0.7 * losses[:10].mean()
    assert len(run.layers("grad_norm").layers) == 4 and len(run.layers("grad_norm")) == 2
    assert run.diagnose().verdict != "sick"
