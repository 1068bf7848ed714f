"""Tells without unpickling whether a file for `torch.load` holds only data."""

from __future__ import annotations

import pickletools
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

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
