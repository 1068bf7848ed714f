"""A Model Context Protocol server: traindx for coding assistants (`traindx mcp`).

The server itself only checks paths and arguments. Files are read and scripts run in child processes with a time limit,
which end when the call is cancelled. `work/` is the code of these children; most of the rest needs the package `mcp`.
"""
