"""Ways to pass a secret on a command line, and messages that hold one: none of them is recorded."""

from __future__ import annotations

import pytest

from traindx.observe.secrets import masked, masked_text

SECRET = "hunter2"
WAYS = {
    "option": ["--password", SECRET],
    "option with equals": ["--password=" + SECRET],
    "harmless name": ["--name", SECRET],
    "harmless name with equals": ["--tag=" + SECRET],
    "short option": ["-p", SECRET],
    "short option attached": ["-p" + SECRET],
    "positional": [SECRET],
    "after two dashes": ["--", SECRET],
    "override": ["db.password=" + SECRET],
    "override added": ["+secrets.value=" + SECRET],
    "address": ["--db", f"postgres://me:{SECRET}@host/db"],
    "address with a query": [f"https://host/data?token={SECRET}"],
    "json": [f'{{"password": "{SECRET}", "lr": 0.1}}'],
    "header": ["-H", f"Authorization: Bearer {SECRET}"],
    "pin": ["--pin", "493817"],
    "numeric token": ["--token", "493817"],
    "numeric token with equals": ["--api_key=493817"],
    "card": ["--number", "4929381749381749"],
    "several values": ["--users", "anna", SECRET],
    "environment": [f"WANDB_API_KEY={SECRET}"],
    "path": ["--key-file", f"/home/anna/{SECRET}.pem"],
    "one dash": ["-token", SECRET],
    "one dash with equals": ["-token=" + SECRET],
    "colon": ["--auth:" + SECRET],
}


@pytest.mark.parametrize("way", WAYS)
def test_no_way_to_pass_a_secret_is_recorded(way):
    said = " ".join(masked(WAYS[way]))
    assert SECRET not in said and "4938" not in said and "***" in said


def test_settings_are_kept():
    words = ["--lr", "1e-3", "--epochs=90", "--betas", "0.9,0.999", "--optimizer", "adamw", "--device=cuda:0", "--amp"]
    words += [
        "-lr",
        "0.1",
        "--weight-decay",
        "-0.5",
        "model.depth=12",
        "trainer.precision=bf16-mixed",
        "--shuffle",
        "true",
    ]
    assert masked(words) == words
    assert masked(["--lr", "0.1", "--data", "corpus.txt"]) == ["--lr", "0.1", "--data", "***"]


MESSAGES = (
    f"could not connect to postgresql://me:{SECRET}@db.example.org:5432/x",
    f"401 for url https://api.example.org/v1?key={SECRET}",
    f"login failed: password={SECRET}",
    f"bad credentials {{'api_key': '{SECRET}'}}",
    f"Authorization: Bearer {SECRET}{SECRET}",
    "refused hf_aVeryLongTokenIndeed1234",
    f"cannot reach me:{SECRET}@host",
    f"token {SECRET}9f86d081884c7d659a2feaa0c55ad015a3bf4f1b".replace(f"{SECRET}", "is "),
)


@pytest.mark.parametrize("message", MESSAGES)
def test_secrets_in_messages_are_masked(message):
    said = masked_text(message)
    assert SECRET not in said and "hf_aVery" not in said and "9f86d081" not in said and "***" in said


@pytest.mark.parametrize(
    "message",
    [
        "mat1 and mat2 shapes cannot be multiplied (64x128 and 256x10)",
        "KeyError: 'weight'",
        'Missing key(s) in state_dict: "layer1.0.conv1.weight", "fc.bias".',
        "Expected more than 1 value per channel when training, got input size torch.Size([1, 64])",
        "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.79 GiB total capacity)",
    ],
)
def test_messages_about_training_stay_as_they_are(message):
    assert masked_text(message) == message
