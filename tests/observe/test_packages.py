"""The packages that people use with torch import under traindx as they do without it."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import traindx

# By use, as far as they install from the index without a compiler. Absent ones are skipped.
PACKAGES = (
    "lightning", "pytorch_lightning", "transformers", "accelerate", "torchmetrics", "safetensors.torch", "tokenizers",
    "timm", "einops.layers.torch", "torch_geometric.nn", "torch_geometric.loader", "ignite.engine", "fastai.learner",
    "kornia.augmentation", "monai.networks.nets", "monai.losses", "peft", "trl", "diffusers", "datasets",
    "sentence_transformers", "skorch", "pyro", "gpytorch", "botorch", "captum.attr", "torchinfo", "torchsde",
    "torchdiffeq", "torch_optimizer", "pytorch_metric_learning.losses", "stable_baselines3", "tensordict",
    "tensordict.nn", "torchrl.modules", "e3nn.o3", "opacus", "wandb", "tensorboardX", "optuna", "jaxtyping",
    "beartype", "x_transformers", "vector_quantize_pytorch", "pytorch_tabnet.tab_model", "pytorch_forecasting",
    "lion_pytorch", "torchopt", "fairscale.nn", "lpips", "open_clip", "schedulefree", "ptflops", "linear_operator",
    "torchsummary", "ema_pytorch", "local_attention", "rotary_embedding_torch", "torchtyping", "pytorch_optimizer",
    "torchvision", "torchaudio", "deepspeed", "ray", "hydra", "omegaconf", "sklearn", "pandas", "matplotlib.pyplot",
    "tensorboard", "torch.utils.tensorboard", "torch.distributed.fsdp", "torch.ao.quantization", "torch.onnx",
    "torch.fx", "torch.export",
)  # fmt: skip
IN_DEVELOPMENT = ("lightning", "transformers", "accelerate", "torchmetrics", "safetensors", "sklearn", "pandas")

IMPORTS = """
import importlib, os, sys, warnings
warnings.simplefilter("ignore")
import torch
for name in {names!r}:
    try:
        module = importlib.import_module(name)
        print(name, "imported", sorted(key for key in vars(module) if not key.startswith("_"))[:1000])
    except Exception as error:
        print(name, type(error).__name__, str(error)[:300])
"""


def test_packages_import_as_without_us(tmp_path):
    assert all(find_spec(name) is not None for name in IN_DEVELOPMENT)
    present = [name for name in PACKAGES if find_spec(name.split(".")[0]) is not None]
    script = tmp_path / "imports.py"
    script.write_text(IMPORTS.format(names=present))
    paths = [str(Path(traindx.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "HF_HUB_OFFLINE": "1",
        "WANDB_MODE": "disabled",
        "PYTHONHASHSEED": "0",
    }

    def said(*words: str) -> str:
        ended = subprocess.run(
            [sys.executable, *words, str(script)], env=environment, cwd=tmp_path, text=True, capture_output=True
        )
        assert ended.returncode == 0, ended.stderr
        return "".join(line for line in ended.stdout.splitlines(True) if line.split(" ")[0] in present)

    observed = said("-m", "traindx", "run", "--no-diagnosis", "--out", str(tmp_path / "run.tdx"))
    bare = said()
    assert observed == bare
    assert bare.count(" imported ") >= len(IN_DEVELOPMENT)
    assert "observers_off" not in traindx.load(tmp_path / "run.tdx").facts
