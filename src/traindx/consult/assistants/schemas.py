"""JSON schemas of answers. A diagnosis has the schema `reports/diagnosis.schema.json`."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def diagnosis_schema() -> dict[str, Any]:
    text = files("traindx.reports").joinpath("diagnosis.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    schema.pop("$schema", None)  # allowed only at the top level
    return schema


def an_object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """An object with these properties."""
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


def a_list(of: dict[str, Any], about: str = "") -> dict[str, Any]:
    return {"type": "array", "items": of, **({"description": about} if about else {})}


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
WHOLE = {"type": "integer"}
FLAG = {"type": "boolean"}
POINT = {"type": ["number", "string", "null"], "description": 'a number, or the string "NaN", "Infinity", "-Infinity"'}


def maybe(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}
