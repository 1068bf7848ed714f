"""Which parts of a command line and of a message may be recorded.

For arguments: their names, and values that cannot be a secret (numbers, switches, and words that name settings of a
training). Everything else is masked, whatever it looks like. Messages are prose, so the rule is reversed: addresses and
whatever looks like a secret are masked, the rest is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from ..record.vocabulary import MASK

_SECRET_NAME = re.compile(
    r"(key|token|secret|pass|pwd|\bpw\b|\bpin\b|credential|auth|cookie|dsn|session|cert|private|user|login|account|email)",
    re.IGNORECASE,
)
_OPTION = re.compile(r"(--?)([A-Za-z][\w.-]{0,59})\Z")
_ASSIGNED = re.compile(r"(\+{0,2}|~|-{1,2})([A-Za-z_][\w./@:-]{0,79})\Z")  # before "=": also of Hydra's overrides
_NUMBER = re.compile(r"[+-]?(\d{1,9}(\.\d{0,12})?|\.\d{1,12})([eE][+-]?\d{1,3})?\Z")
_NUMBERS = re.compile(r"[\[(]?[-+.\deE, ]{1,60}[\])]?\Z")
_SIZED = re.compile(r"(cuda|mps|xpu|resnet|vgg|densenet|vit|gpt|cifar|float|bfloat|fp|bf|int|tf)[-:_]?\d{1,4}\Z")
_WORDS = frozenset(
    """
    true false yes no on off none null auto default all any
    adam adamw adamax nadam radam sgd rmsprop adagrad adadelta lbfgs lion lamb lars adafactor muon momentum nesterov
    cosine linear constant step multistep exponential exp plateau onecycle polynomial poly warmup cyclic
    relu gelu silu swish tanh sigmoid softmax elu selu leaky leaky_relu leakyrelu mish softplus identity
    mse l1 l2 mae huber smooth_l1 ce bce nll kl hinge focal dice cross_entropy crossentropy triplet contrastive ctc
    train training test testing val valid validation eval evaluate predict fit
    amp mixed half single double bf16 fp16 fp32 fp64 fp8 int8 float32 float16 float64 bfloat16 16-mixed bf16-mixed
    cpu cuda gpu tpu mps xpu nccl gloo mpi ddp fsdp dp deepspeed
    tiny small medium base large xl huge nano mini
    mnist fashion_mnist fashionmnist cifar10 cifar100 imagenet svhn stl10 coco imdb wikitext squad iris titanic
    mlp cnn rnn lstm gru transformer unet gan vae gcn gat resnet vgg bert gpt2 vit linear logistic
    mean sum max min median batch layer group instance batchnorm layernorm
    zeros ones xavier kaiming he glorot normal uniform orthogonal random
    loss accuracy acc f1 auc bleu rouge perplexity epoch epochs steps
    info debug warning error quiet verbose
    """.split()  # noqa: SIM905
)


def masked(arguments: Sequence[str]) -> list[str]:
    """The arguments as they may be recorded: `--lr 0.1 --data ***`."""
    shown: list[str] = []
    after_secret = False  # the last argument names a secret, and this is its value
    for argument in arguments:
        name, equals, value = argument.partition("=")
        option = _OPTION.match(argument)
        assigned = _ASSIGNED.match(name) if equals else None
        secret, after_secret = after_secret, False
        if assigned is not None:
            keep = not _SECRET_NAME.search(assigned[2]) and _is_setting(value)
            shown.append(f"{name}={value if keep else MASK}")
        elif option is not None and not _NUMBER.match(argument) and _is_name(option):
            shown.append(argument)
            after_secret = bool(_SECRET_NAME.search(option[2]))
        elif option is not None and option[1] == "-":
            shown.append(argument[:2] + MASK)  # -pVALUE
        else:
            shown.append(argument if _is_setting(argument) and not secret else MASK)
    return shown


def _is_name(option: re.Match[str]) -> bool:
    """`--anything`, `-x`, and the long names with one dash that some scripts have. `-pVALUE` is none of them."""
    dashes, name = option.groups()
    return (dashes == "--" and len(name) <= 40) or len(name) == 1 or name in _ONE_DASH


_ONE_DASH = frozenset(("lr", "bs", "wd", "epochs", "epoch", "batch", "batch_size", "steps", "seed", "gpu", "device"))


def _is_setting(value: str) -> bool:
    if _NUMBER.match(value) or value.lower() in _WORDS or _SIZED.match(value.lower()):
        return True
    parts = [part for part in re.split(r"[\[\](), ]+", value) if part]
    return bool(_NUMBERS.match(value)) and len(parts) > 1 and all(_NUMBER.match(part) for part in parts)


_URL = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]{1,20}):(//|\\/\\/)[^\s'\"<>|]+")
_NAMED = re.compile(
    r"(?P<name>[\w.-]*(?:key|token|secret|passw|passphrase|pwd|credential|auth|cookie|dsn|session)[\w.-]*)"
    r"(?P<between>['\"]?\s*(?:=|:|\bis\b|\bfor\b)\s*(?:Bearer\s+|Basic\s+)?)(?P<value>'[^']*'|\"[^\"]*\"|[^\s,;)]+)",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[\w.+/=~-]{6,}", re.IGNORECASE)
_TOKEN = re.compile(
    r"\b(sk-|hf_|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|eyJ)[\w.+/=-]{6,}"
    r"|\b(?=[\w+/=-]*[0-9])(?=[\w+/=-]*[A-Z])(?=[\w+/=-]*[a-z])[A-Za-z0-9+/=_-]{24,}"
    r"|\b[0-9a-f]{32,}\b"
)
_ADDRESS = re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b|\b[\w.+-]+:[^\s:@/]+@[\w.-]+")


def masked_text(text: str, most: int = 500) -> str:
    """A message without addresses, passwords and tokens; paths in the working folder become relative."""
    text = _URL.sub(lambda found: f"{found[1]}://{MASK}", text)
    text = _BEARER.sub(lambda found: f"{found[1]} {MASK}", text)
    text = _NAMED.sub(_mask_value, text)
    text = _ADDRESS.sub(MASK, _TOKEN.sub(MASK, text))
    for folder, shown in ((_folder(Path.cwd), ""), (_folder(Path.home), "~/")):
        if len(folder) > 1:
            text = text.replace(folder.rstrip("/") + "/", shown)
    return text[:most]


def _mask_value(found: re.Match[str]) -> str:
    value = found["value"].strip("'\"")
    # `KeyError: 'weight'` and `key: 3` are what errors are about; words and short numbers are no secrets there.
    harmless = re.fullmatch(r"[A-Za-z_.]{1,40}\d{0,2}|\d{1,4}", value)
    if harmless and found["name"].lower() in ("keyerror", "key", "keys"):
        return found[0]
    return f"{found['name']}{found['between']}{MASK}"


def _folder(find: Callable[[], Path]) -> str:
    try:
        return str(find())
    except (OSError, RuntimeError):  # it has been removed; nobody knows
        return ""
