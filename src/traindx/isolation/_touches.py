"""Finds in the source of a script what it would write, delete, start or connect to."""

from __future__ import annotations

import ast
from pathlib import Path

SHOWN = 4
WRITING = {
    "save", "savez", "savez_compressed", "savetxt", "save_file", "save_pretrained", "save_model", "save_checkpoint",
    "dump", "savefig", "imwrite", "imsave", "to_csv", "to_parquet", "to_pickle", "to_json", "tofile", "write_text",
    "write_bytes", "write_csv", "write_parquet", "mkdir", "makedirs", "remove", "unlink", "rmdir", "rmtree", "rename",
    "replace", "move", "copy", "copy2", "copyfile", "copytree", "touch", "truncate", "chmod", "symlink",
    "SummaryWriter", "FileHandler", "RotatingFileHandler", "system", "Popen", "check_call", "check_output", "urlopen",
    "urlretrieve", "connect", "extractall",
}  # fmt: skip
# Ambiguous names, which strings, lists and dicts have as well, count only as functions of these modules.
MODULES = {"os", "shutil", "subprocess", "torch", "np", "numpy", "json", "pickle", "joblib", "sqlite3", "plt", "cv2"}
AMBIGUOUS = {"replace", "copy", "remove", "move", "touch", "connect", "rename", "truncate", "dump", "save"}


def what_it_touches(script: str) -> str:
    """Return what the script does, as the predicate of a sentence."""
    try:
        tree = ast.parse(Path(script).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return "may write, delete and connect"
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := _written_by(node)):
            found.setdefault(name, node.lineno)
    if not found:
        return "may write, delete and connect through what it imports"
    listed = [f"{name} (line {line})" for name, line in list(found.items())[:SHOWN]]
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"calls {', '.join(listed)}{more}"


def _written_by(call: ast.Call) -> str | None:
    """Return the name of the call if it changes something outside the process."""
    name = ast.unparse(call.func)
    owner, _, last = name.rpartition(".")
    if last == "open":
        modes = [*call.args[:2], *(word.value for word in call.keywords if word.arg == "mode")]
        texts = [mode.value for mode in modes if isinstance(mode, ast.Constant) and isinstance(mode.value, str)]
        return "open for writing" if any(set(text) & set("wax+") and len(text) < 4 for text in texts) else None
    if last == "run" and owner == "subprocess":
        return name
    if last not in WRITING or (last in AMBIGUOUS and owner.split(".")[0] not in MODULES):
        return None
    return name if len(name) < 40 else last
