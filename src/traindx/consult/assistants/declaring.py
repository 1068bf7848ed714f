"""How a tool is declared and made: the decorator `tool`, JSON schemas of answers, annotations, and shared arguments.

A tool is a function of a module of `tools/`. A diagnosis has the schema `reports/diagnosis.schema.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from inspect import cleandoc
from pkgutil import iter_modules
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import Field, ValidationError

from . import tools
from .folders import Refusal

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
# An isolated re-run has no side effects, but it takes time and its result may vary.
ISOLATED = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=False)

Folder = Annotated[
    str | None,
    Field(description="the working folder to run it in (default: the first allowed folder)", max_length=4096),
]


@dataclass(frozen=True)
class Declared:
    """A tool: an async function whose name, docstring and parameters are what assistants see."""

    function: Callable[..., Any]
    title: str
    annotations: ToolAnnotations
    output: dict[str, Any]
    real: bool  # it runs or changes something without isolation; `--read-only` removes it


def tool(
    title: str, annotations: ToolAnnotations, output: dict[str, Any], *, real: bool = False
) -> Callable[[Callable[..., Any]], Declared]:
    """Declare a function as a tool. `output` is the JSON schema of its answer below the headline, an object."""
    whole = an_object({"headline": TEXT, **{name: output["properties"][name] for name in output["required"]}})
    whole["properties"] |= output["properties"]
    return lambda function: Declared(function, title, annotations, whole, real)


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


def all_tools(read_only: bool = False) -> list[Tool]:
    modules = [import_module(f"{tools.__name__}.{module.name}") for module in iter_modules(tools.__path__)]
    declared = [value for module in modules for value in vars(module).values() if isinstance(value, Declared)]
    return [_tool(one) for one in declared if not (read_only and one.real)]


class PlainTool(Tool):
    """A tool that says in one sentence which argument is wrong."""

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            known = ", ".join(self.parameters["properties"])
            wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
            raise Refusal(f"Wrong arguments for {self.name} ({wrong}).", f"Its arguments are: {known}.") from None
        return await super().run(arguments, context, convert_result)


def _tool(declared: Declared) -> Tool:
    function = declared.function
    tool = PlainTool.from_function(
        function,
        name=function.__name__,
        title=declared.title,
        description=cleandoc(function.__doc__ or ""),
        annotations=declared.annotations,
        structured_output=False,  # use the declared schema, not one derived from Python types
    )
    metadata = tool.fn_metadata
    metadata.output_schema = declared.output
    # A misspelt argument must be an error, not silently ignored.
    metadata.arg_model.model_config["extra"] = "forbid"
    metadata.arg_model.model_rebuild(force=True)
    tool.parameters = metadata.arg_model.model_json_schema(by_alias=True)
    return tool
