"""A Model Context Protocol server: traindx for coding assistants (`traindx mcp`).

The server itself only checks paths and arguments. Whatever reads a file or runs a script happens in a child process
with a time limit, which ends when the call is cancelled. `work/` is what runs there; everything else in this folder
needs the package `mcp`.
"""
