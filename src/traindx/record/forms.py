"""How the entries of a record become objects with types.

A subclass of `Entry` is the form of one entry of a fact in docs/record.md. The annotation of a field says how it is
read. An entry may hold anything: what has another type than its field reads as absent.
"""

from __future__ import annotations

import sys
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from .values import entries, histogram, index, listed, mapping, number, numbers, shape, text, texts, truth

Form = TypeVar("Form")
Reader = Callable[[Any], Any]

# Fields whose name in the record is another one.
STORED_AS = {"class_name": "class", "trains": "requires_grad", "started_as": "from", "became": "to"}
_HELD = "held"  # the field that says whether the record holds the entry

# How a value is read, by its type. None means that the record does not say.
_READERS: dict[Any, Reader] = {
    Any: lambda value: value,
    str: text,
    bool: lambda value: value is True,
    bool | None: truth,
    float: lambda value: number(value) or 0.0,
    float | None: number,
    int: lambda value: index(value) or 0,
    int | None: index,
    tuple[int, ...]: lambda value: shape(value) or (),
    tuple[int, ...] | None: shape,
    tuple[float, ...]: lambda value: tuple(numbers(value)),
    tuple[str, ...]: lambda value: tuple(texts(value)),
    tuple[tuple[int, ...], ...]: lambda value: tuple(one for one in map(shape, listed(value)) if one is not None),
    Mapping[str, Any]: mapping,
    Mapping[str, float]: histogram,
}


if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        return lambda kind: kind


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Entry:
    """Every subclass is a frozen dataclass. An entry is false where the record does not hold it."""

    held: bool

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    def __bool__(self) -> bool:
        return self.held


def read(kind: type[Form], entry: Mapping[str, Any], /, **known: Any) -> Form:
    """Make the typed form of an entry; `known` holds fields that do not stand in it."""
    for name, key, reader in fields_of(kind):  # type: ignore[arg-type]
        if name not in known:
            known[name] = bool(entry) if name == _HELD else reader(entry.get(key))
    return kind(**known)


def read_all(kind: type[Form], found: Iterable[Mapping[str, Any]]) -> tuple[Form, ...]:
    return tuple(read(kind, entry) for entry in found)


@cache
def absent(kind: type[Form]) -> Form:
    """What stands for an entry that the record does not hold."""
    return read(kind, {})


@cache
def fields_of(kind: Any) -> tuple[tuple[str, str, Reader], ...]:
    """The fields of a form: name, name in the record, and how it is read."""
    hints = hints_of(kind)
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else list(hints)
    return tuple((name, STORED_AS.get(name, name), reader_of(hints[name])) for name in names)


@cache
def hints_of(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind, vars(sys.modules[kind.__module__]))


@cache
def reader_of(hint: Any) -> Reader:
    """How a value of that type is read."""
    if hint in _READERS:
        return _READERS[hint]
    inner = typing.get_args(hint)
    if type(None) in inner and (container := typing.get_origin(inner[0])):
        whole, held = reader_of(inner[0]), (list, tuple) if container is tuple else container
        return lambda value: whole(value) if isinstance(value, held) else None
    if type(None) in inner:
        kind = inner[0]
        return kind.of if hasattr(kind, "of") else lambda value: read(kind, value) if mapping(value) else None
    if typing.get_origin(hint) is tuple:
        return lambda value: read_all(inner[0], entries(value))
    if inner:  # a mapping by names
        return lambda value: {str(name): read(inner[1], mapping(one)) for name, one in mapping(value).items()}
    return lambda value: read(hint, mapping(value))
