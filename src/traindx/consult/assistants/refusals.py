"""Errors that an assistant can act on."""

from __future__ import annotations

from mcp.server.mcpserver.exceptions import ToolError

from .plain import plain_text


class Refusal(ToolError):
    """What is wrong, and what to do instead. Both reach the assistant as an error result."""

    def __init__(self, wrong: str, instead: str) -> None:
        super().__init__(plain_text(f"{wrong} {instead}".strip()))
