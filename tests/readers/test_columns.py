"""What names mean."""

# ruff: noqa: E501 - log lines and lists of names are as long as they are

from __future__ import annotations

import pytest

from traindx.readers.meaning.names import role_of


@pytest.mark.parametrize("name", [
    "loss", "train_loss", "trainLoss", "train/loss", "Training Loss", "loss_train", "trainloss", "train/CrossEntropyLoss", "lm loss",
    "ctc_loss", "total_loss", "CrossEntropy", "trl", "Le", "nll", "train_loss_step", "epoch_loss", "avg loss", "训练损失", "tr_loss",
])  # fmt: skip
def test_training_losses(name: str) -> None:
    assert role_of(name).kind == "loss" and role_of(name).phase in ("train", "")


@pytest.mark.parametrize(
    "name",
    [
        "val_loss",
        "valid loss",
        "eval/loss",
        "Validation Loss",
        "valLoss",
        "dev_loss",
        "vloss",
        "eval_wikitext_loss",
        "validation/ctc_loss",
    ],
)
def test_validation_losses(name: str) -> None:
    assert (role_of(name).kind, role_of(name).phase) == ("loss", "validation")


@pytest.mark.parametrize("name", [
    "loss_scale", "loss scale", "best_loss", "loss_weight", "epoch_time", "entropy", "train_runtime", "steps_per_second",
    "eval_samples_per_second", "glossary", "num_loss_steps", "time", "warmup_steps", "lambda", "best val loss", "flops",
])  # fmt: skip
def test_not_losses(name: str) -> None:
    assert role_of(name).kind != "loss"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("lr", "lr"), ("learning_rate", "lr"), ("lr-Adam", "lr"), ("Current learning rate", "lr"), ("lr/pg0", "lr"),
        ("grad_norm", "grad_norm"), ("gnorm", "grad_norm"), ("optim/total_grad_norm", "grad_norm"), ("Gradient Norm", "grad_norm"),
        ("grad_2.0_norm_total", "grad_norm"), ("step", "step"), ("_step", "step"), ("trainer/global_step", "step"), ("iteration", "step"),
        ("num_updates", "step"), ("Eit", "step"), ("current_steps", "step"), ("epoch", "epoch"), ("Epoch", "epoch"),
        ("acc", "accuracy"), ("val_accuracy", "accuracy"), ("Prec1", "accuracy"), ("eval_mean_token_accuracy", "accuracy"),
        ("acc5", "other"), ("lr_decay", "other"), ("loss_scale", "loss_scale"), ("consumed samples", "seen"), ("perplexity", "perplexity"),
    ],
)  # fmt: skip
def test_other_roles(name: str, kind: str) -> None:
    assert role_of(name).kind == kind


def test_totals_go_before_parts_and_smoothed_ones_last() -> None:
    names = ["moving ave loss", "loss_cls", "lm loss", "mean_loss", "loss", "total_loss"]
    assert sorted(names, key=lambda name: role_of(name).rank) == names[::-1]


@pytest.mark.parametrize("name", ["norm", "total_norm", "grad"])
def test_a_norm_of_nothing_is_the_gradients(name: str) -> None:
    assert role_of(name).kind == "grad_norm"
    assert role_of("weight_norm").kind == "other"


@pytest.mark.parametrize(
    "name", ["|g|", "||grad||", "‖∇L‖", "train/|grad|", "grad norm (pre-clip)", "unclipped_grad_norm"]
)
def test_norms_of_gradients_before_clipping(name: str) -> None:
    assert role_of(name).kind == "grad_norm" and not role_of(name).extra
    assert role_of("clipped_grad_norm").kind == role_of("clip_grad_norm").kind == role_of("|w|").kind == "other"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("step_ms", "step_time"), ("s/it", "step_time"), ("sec_per_step", "step_time"), ("iter_time", "step_time"),
        ("it/s", "throughput"), ("tokens_per_sec", "throughput"), ("train_samples_per_second", "throughput"),
        ("data_ms", "data_time"), ("dataloader_wait_ms", "data_time"), ("skipped_steps", "skipped"), ("overflow", "skipped"),
        ("eval_samples_per_second", "other"), ("epoch_time", "other"), ("steps", "step"), ("batch_size", "other"),
    ],
)  # fmt: skip
def test_times_of_steps_and_what_is_not_one(name: str, kind: str) -> None:
    assert role_of(name).kind == kind
