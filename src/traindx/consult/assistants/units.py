"""Collects the tools: each is one file of `tools/`.

A tool's module defines `TITLE`, `ANNOTATIONS`, `OUTPUT` (the JSON schema of its answer) and `call`, an async function
whose parameters are the tool's arguments. Assistants read the module's docstring; the file's name is the tool's name.
`REAL = True` marks a tool with real effects (it runs or changes something without isolation); `--read-only` removes it.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from pydantic import ValidationError

from . import tools
from .refusals import Refusal


def all_tools(read_only: bool = False) -> list[Tool]:
    names = sorted(module.name for module in iter_modules(tools.__path__) if not module.name.startswith("_"))
    modules = [import_module(f"{tools.__name__}.{name}") for name in names]
    return [_tool(module) for module in modules if not (read_only and getattr(module, "REAL", False))]


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


def _tool(module: Any) -> Tool:
    name = module.__name__.rpartition(".")[2]
    tool = PlainTool.from_function(
        module.call,
        name=name,
        title=module.TITLE,
        description=module.__doc__.strip(),
        annotations=module.ANNOTATIONS,
        structured_output=False,  # use the module's schema, not one derived from Python types
    )
    metadata = tool.fn_metadata
    metadata.output_schema = module.OUTPUT
    # A misspelt argument must be an error, not silently ignored.
    metadata.arg_model.model_config["extra"] = "forbid"
    metadata.arg_model.model_rebuild(force=True)
    tool.parameters = metadata.arg_model.model_json_schema(by_alias=True)
    return tool
