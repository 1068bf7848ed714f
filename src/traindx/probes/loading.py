"""Loads models, weights and batches from files. Code inside a file runs only with --trust-pickle.

Without it, torch opens only files that are known to hold nothing but data. Everything here runs in isolation
(`layer_look`).
"""

from __future__ import annotations

import pickle
import pickletools
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from .launch import ProbeError
from .layer_tables import TARGETS

WRAPPED = ("state_dict", "model_state_dict", "model", "model_state", "net", "weights")
PREFIXES = ("module.", "_orig_mod.", "model.", "net.")
WEIGHTS = (
    "{path} holds weights and not the model they belong to: name what builds it as well (--model "
    "package.module:factory --checkpoint {path})"
)
CODE = (
    "{path} can run code when it is loaded ({kind}): if you made it yourself, add --trust-pickle; else save the "
    "weights alone (torch.save(model.state_dict(), …) or safetensors) and name the model's factory (--model "
    "package.module:factory --checkpoint weights.pt)"
)


def load_model(spec: str, checkpoint: Path | None, trust_pickle: bool) -> Any:
    """The model from `package.module:factory`, an exported program (.pt2), a TorchScript file or a pickled module, with
    the weights of the checkpoint, if any."""
    import torch

    if ":" in spec and not Path(spec).exists():
        factory = named(spec)
        try:
            model = factory()
        except Exception as error:  # the user's own code
            raise ProbeError(f"{spec} failed: {type(error).__name__}: {_short(error)}") from None
        if not isinstance(model, torch.nn.Module):
            raise ProbeError(f"{spec} returned {type(model).__name__}, not a torch module")
    elif not Path(spec).exists():
        raise ProbeError(f"--model {spec}: neither a file nor of the form package.module:factory")
    elif Path(spec).suffix == ".safetensors" or holds_data_only(Path(spec)):
        raise ProbeError(WEIGHTS.format(path=spec))
    elif not trust_pickle:
        raise ProbeError(CODE.format(path=spec, kind=_kind(Path(spec))))
    elif Path(spec).suffix == ".pt2":
        model = _exported(Path(spec))
    else:
        model = _scripted(Path(spec))
    if checkpoint is not None:
        fit(model, load_weights(checkpoint, trust_pickle), checkpoint)
    return model


def named(spec: str) -> Callable[..., Any]:
    """The callable that `package.module:name` names. Modules of the working folder can be imported too."""
    module_name, _, attribute = spec.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = import_module(module_name)
    except Exception as error:  # a module may fail in any way while it is imported
        raise ProbeError(f"{spec}: cannot import {module_name} ({_short(error)})") from None
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise ProbeError(f"{spec}: {module_name} has no {attribute}")
        found = getattr(found, part)
    if not callable(found):
        raise ProbeError(f"{spec} cannot be called")
    return found  # type: ignore[no-any-return]


def _exported(path: Path) -> Any:
    import torch

    try:
        return torch.export.load(str(path)).module()
    except Exception as error:  # a foreign or damaged archive fails in many ways
        raise ProbeError(f"{path} is not an exported program ({_short(error)})") from None


def _scripted(path: Path) -> Any:
    import torch

    try:
        return torch.jit.load(str(path), map_location="cpu")
    except RuntimeError:
        pass
    model = _tensors(path, trust_pickle=True)
    if not isinstance(model, torch.nn.Module):
        raise ProbeError(f"{path} holds {type(model).__name__}, not a model: give it as --checkpoint, with --model")
    return model


def _kind(path: Path) -> str:
    if path.suffix == ".pt2":
        return "an exported program"
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if any("/code/" in name for name in archive.namelist()):
                return "TorchScript"
    return "a pickle that holds more than tensors"


def load_weights(path: Path, trust_pickle: bool) -> Mapping[str, Any]:
    """The state dict in a file, also if it lies under one of the usual keys."""
    content = _tensors(path, trust_pickle)
    for key in WRAPPED:
        if isinstance(content, Mapping) and isinstance(content.get(key), Mapping):
            content = content[key]
            break
    if hasattr(content, "state_dict"):
        content = content.state_dict()
    if not isinstance(content, Mapping) or not all(isinstance(key, str) for key in content):
        raise ProbeError(f"{path} holds no state dict ({type(content).__name__})")
    return content


def _tensors(path: Path, trust_pickle: bool) -> Any:
    import torch

    if not path.exists():
        raise ProbeError(f"{path} does not exist")
    if path.suffix == ".safetensors":
        try:
            from safetensors.torch import load_file
        except ImportError:
            raise ProbeError(f"reading {path} needs safetensors: pip install safetensors") from None
        try:
            return load_file(path)
        except Exception as error:  # its own error class comes from compiled code
            raise ProbeError(f"{path} is not a safetensors file ({_short(error)})") from None
    if not trust_pickle and _looks_like_torch(path) and not holds_data_only(path):
        raise ProbeError(CODE.format(path=path, kind=_kind(path)))
    try:
        return torch.load(path, map_location="cpu", weights_only=not trust_pickle)
    except pickle.UnpicklingError:
        raise ProbeError(CODE.format(path=path, kind=_kind(path))) from None
    except Exception as error:  # a foreign or damaged file, or a class that cannot be imported
        raise ProbeError(f"{path} cannot be read ({_short(error)})") from None


def _looks_like_torch(path: Path) -> bool:
    """Whether the file starts like a zip or a pickle. `torch.load` refuses any other file without unpickling it."""
    with path.open("rb") as file:
        start = file.read(4)
    return start[:2] == b"PK" or start[:1] in (b"\x80", b"(", b"c", b"]", b"}")


def fit(model: Any, weights: Mapping[str, Any], path: Path) -> None:
    """Load the weights into the model, without a wrapper's prefix in their names. Raises `ProbeError` if they do not
    match."""
    wanted = model.state_dict()
    for prefix in PREFIXES:
        if not set(weights) & set(wanted) and all(key.startswith(prefix) for key in weights):
            weights = {key.removeprefix(prefix): value for key, value in weights.items()}
    missing, unexpected = sorted(set(wanted) - set(weights)), sorted(set(weights) - set(wanted))
    other = [
        f"{key} {tuple(weights[key].shape)} for {tuple(wanted[key].shape)}"
        for key in wanted
        if key in weights and hasattr(wanted[key], "shape") and weights[key].shape != wanted[key].shape
    ]
    troubles = [
        f"{len(names)} {word} ({', '.join(names[:3])}{', …' if len(names) > 3 else ''})"
        for word, names in (("missing", missing), ("unexpected", unexpected), ("of another shape", other))
        if names
    ]
    if troubles:
        raise ProbeError(f"{path} does not match the model: {'; '.join(troubles)}. Was it saved from this model?")
    model.load_state_dict(weights)


def load_batch(path: Path, trust_pickle: bool) -> Any:
    """A tensor, or a tuple or mapping of inputs and a target (the last one, or named like one)."""
    import torch

    if path.suffix == ".npz":
        import numpy as np

        try:
            with np.load(path, allow_pickle=False) as arrays:
                content: Any = {key: torch.from_numpy(arrays[key]) for key in arrays.files}
        except (OSError, ValueError, TypeError) as error:
            raise ProbeError(f"{path} cannot be read as arrays ({_short(error)})") from None
    elif path.suffix in (".py", ".csv", ".json", ".txt"):
        raise ProbeError(f"{path} is not a batch of tensors: save one as .pt, .npz or .safetensors")
    else:
        content = _tensors(path, trust_pickle)
    if isinstance(content, Mapping):
        content = dict(content)
        if not any(key in content for key in TARGETS) and len(content) > 1:
            content = tuple(content.values())
    if not isinstance(content, (torch.Tensor, tuple, list, dict)) or not _tensors_of(content):
        raise ProbeError(f"{path} holds no tensors: save (inputs, targets), or a mapping with x and y")
    if all(tensor.numel() == 0 for tensor in _tensors_of(content)):
        raise ProbeError(f"{path} holds an empty batch")
    return content


def _tensors_of(content: Any) -> list[Any]:
    import torch

    values = (
        content.values() if isinstance(content, Mapping) else content if not hasattr(content, "shape") else [content]
    )
    return [value for value in values if isinstance(value, torch.Tensor)]


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


# ── what a pickle holds ───────────────────────────────────────────────────────────────────────────

# The globals in pickles of tensors, storages and plain containers. None of them can run code chosen by the file.
ALLOWED = {
    ("collections", "OrderedDict"), ("collections", "defaultdict"), ("_codecs", "encode"), ("builtins", "set"),
    ("builtins", "bytearray"), ("torch", "Size"), ("torch", "device"), ("torch.serialization", "_get_layout"),
    *(("torch._utils", f"_rebuild_{name}") for name in (
        "tensor", "tensor_v2", "tensor_v3", "parameter", "parameter_with_state", "sparse_tensor", "qtensor",
        "sparse_csr_tensor", "meta_tensor_no_storage")),
    ("torch.nn.parameter", "Parameter"), ("torch", "Tensor"), ("torch._tensor", "_rebuild_from_type_v2"),
    ("torch.storage", "UntypedStorage"), ("torch.storage", "TypedStorage"),
}  # fmt: skip
TYPES = ("Storage", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bfloat16", "bool", "uint8",
         "complex64", "complex128", "half", "float", "double", "long", "int", "strided", "per_tensor_affine",
         "per_channel_affine")  # fmt: skip
LEGACY_PICKLES = 5  # in one file: magic number, protocol, system information, the object, its storages
STRINGS = {"SHORT_BINUNICODE", "BINUNICODE", "UNICODE", "BINUNICODE8"}
BETWEEN = {"MEMOIZE", "BINPUT", "LONG_BINPUT", "PUT"}  # may stand between the two strings of a STACK_GLOBAL


def holds_data_only(path: Path) -> bool:
    """Whether the file holds only data; False if that cannot be told."""
    try:
        if zipfile.is_zipfile(path):
            return _archive(path)
        with path.open("rb") as file:
            return all(_plain(file) for _ in range(LEGACY_PICKLES))
    except (OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile, NotImplementedError):
        return False


def _archive(path: Path) -> bool:
    """Whether a zip holds one harmless pickle and raw storages. TorchScript and exported programs also hold code."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if len(names) != len(set(names)):
            return False  # two entries with one name: torch may read the one that was not checked
        pickles = [name for name in names if name.endswith(".pkl")]
        if len(pickles) != 1 or not pickles[0].endswith("/data.pkl"):
            return False
        if any("/code/" in name or name.endswith((".py", ".json", ".so")) for name in names):
            return False
        with archive.open(pickles[0]) as file:
            return _plain(file)


def _plain(file: IO[bytes]) -> bool:
    """Whether the next pickle in the file imports only allowed globals."""
    return all(found is not None and _is_allowed(*found) for found in _globals(file))


def _globals(file: IO[bytes]) -> Iterator[tuple[str, str] | None]:
    """The (module, name) pairs that the pickle would import; None for an import that the opcodes do not show."""
    strings: list[str] = []
    for opcode, argument, _ in pickletools.genops(file):
        if opcode.name in STRINGS:
            strings.append(str(argument))
        elif opcode.name == "GLOBAL":
            module, _, name = str(argument).partition(" ")
            yield module, name
        elif opcode.name == "STACK_GLOBAL":
            yield (strings[-2], strings[-1]) if len(strings) >= 2 else None
        elif opcode.name in ("INST", "EXT1", "EXT2", "EXT4"):
            yield None
        elif opcode.name not in BETWEEN:
            strings = []  # only strings pushed directly before STACK_GLOBAL are its operands


def _is_allowed(module: str, name: str) -> bool:
    return (module, name) in ALLOWED or (module in ("torch", "torch.storage") and name.endswith(TYPES))
