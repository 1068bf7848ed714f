"""Tells whether a file that `torch.load` would open holds data only, without unpickling it."""

from __future__ import annotations

import pickletools
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

# What tensors, their storages and plain containers are pickled as. Nothing here runs code of the file's choice.
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
LEGACY_PICKLES = 5  # magic number, protocol, about the system, the object, its storages
STRINGS = {"SHORT_BINUNICODE", "BINUNICODE", "UNICODE", "BINUNICODE8"}
BETWEEN = {"MEMOIZE", "BINPUT", "LONG_BINPUT", "PUT"}


def holds_data_only(path: Path) -> bool:
    """False also for what cannot be told."""
    try:
        if zipfile.is_zipfile(path):
            return _archive(path)
        with path.open("rb") as file:
            return all(_plain(file) for _ in range(LEGACY_PICKLES))
    except (OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile, NotImplementedError):
        return False


def _archive(path: Path) -> bool:
    """A zip of one pickle beside raw storages. TorchScript and exported programs hold code."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if len(names) != len(set(names)):
            return False  # two files of one name: another reader may see the other
        pickles = [name for name in names if name.endswith(".pkl")]
        if len(pickles) != 1 or not pickles[0].endswith("/data.pkl"):
            return False
        if any("/code/" in name or name.endswith((".py", ".json", ".so")) for name in names):
            return False
        with archive.open(pickles[0]) as file:
            return _plain(file)


def _plain(file: IO[bytes]) -> bool:
    """Whether the next pickle names nothing but `ALLOWED`."""
    return all(found is not None and _is_allowed(*found) for found in _globals(file))


def _globals(file: IO[bytes]) -> Iterator[tuple[str, str] | None]:
    """What the pickle would import; None for what cannot be told from the opcodes alone."""
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
            strings = []  # a name that was pushed earlier does not count


def _is_allowed(module: str, name: str) -> bool:
    return (module, name) in ALLOWED or (module in ("torch", "torch.storage") and name.endswith(TYPES))
