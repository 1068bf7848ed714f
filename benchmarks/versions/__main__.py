"""Which versions of the frameworks traindx works with, beside the installed torch.

    python -m benchmarks.versions FOLDER [--only lightning …] [--versions 2.0.0 …]

Each version gets an environment of its own in FOLDER, over the packages of the running one, which stay as they are.
There the same small training (tests/observe/frameworks/matrix) runs bare, then observed: healthy, and with a softmax
before the loss. Delete FOLDER afterwards.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import traindx

ROOT = Path(__file__).parents[2]
MATRIX = ROOT / "tests/observe/frameworks/matrix"
SECONDS = 540
STEPS = 256  # of the training: 8 epochs of 1,024 samples in batches of 32


@dataclass(frozen=True)
class Framework:
    script: str
    versions: tuple[str, ...]  # oldest first
    edits: tuple[tuple[str, str], ...] = ()
    older: tuple[tuple[str, str], ...] = ()  # edits where the bare script does not run: how older versions write it
    beside: dict[str, tuple[str, ...]] | None = None  # by version: packages of its time
    fault: tuple[str, str] = ("self.head(h)", "self.head(h).softmax(dim=1)")


# Older versions import it; newer setuptools have it no more.
WITH_PKG_RESOURCES = dict.fromkeys(("1.9.5", "2.0.9", "2.2.5"), ("setuptools<81",))
WITH_OLDER_SKLEARN = {"0.11.0": ("scikit-learn<1.6", "setuptools<81"), "0.15.0": ("scikit-learn<1.6",)}
TALKATIVE = (("seed_everything(0, verbose=False)", "seed_everything(0)"),)
FRAMEWORKS = {
    "lightning": Framework("lit.py", ("2.0.9", "2.2.5", "2.6.6"), older=TALKATIVE, beside=WITH_PKG_RESOURCES),
    "pytorch-lightning": Framework(
        "lit.py",
        ("1.9.5", "2.0.9", "2.6.6"),
        (("lightning.pytorch", "pytorch_lightning"),),
        older=TALKATIVE,
        beside=WITH_PKG_RESOURCES,
    ),
    "transformers": Framework(
        "hf.py",
        ("4.30.2", "4.41.2", "4.57.6", "5.23.0"),
        older=(("eval_strategy", "evaluation_strategy"), ("        use_cpu=True,\n", "        no_cuda=True,\n")),
        beside={
            "4.30.2": ("accelerate==0.21.0", "numpy<2"),
            "4.41.2": ("accelerate==0.30.1",),
        },
    ),
    "accelerate": Framework("accelerated.py", ("0.20.3", "0.30.1", "1.15.0"), beside={"0.20.3": ("setuptools<81",)}),
    "keras": Framework(
        "keras_on_torch.py",
        ("3.0.5", "3.6.0", "3.15.1"),
        fault=('name="head"', 'activation="softmax", name="head"'),
    ),
    "skorch": Framework("skorched.py", ("0.11.0", "0.15.0", "1.4.0"), beside=WITH_OLDER_SKLEARN),
}


def environment(folder: Path, package: str, version: str) -> tuple[Path, str]:
    """The environment's Python, and why it could not be made ('' if it could)."""
    home = folder / f"{package}-{version}"
    python = home / "bin/python"
    if not python.exists():
        venv.create(home, with_pip=True)
        packages = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
        sources = Path(traindx.__file__).parents[1]
        above = [str(sources), *(path for path in sys.path if path.endswith("site-packages"))]
        (packages / "above.pth").write_text("\n".join(above) + "\n")
    beside = FRAMEWORKS[package].beside or {}
    torch = importlib.metadata.version("torch").partition("+")[0]
    wanted = [f"{package}=={version}", *beside.get(version, ()), f"torch=={torch}"]
    done = subprocess.run([python, "-m", "pip", "install", "-q", *wanted], capture_output=True, text=True, check=False)
    return python, _last(done.stderr) if done.returncode else ""


def _last(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip() and "WARNING" not in line]
    return lines[-1][:160] if lines else "no output"


def written(folder: Path, framework: Framework, edits: tuple[tuple[str, str], ...]) -> None:
    for name in ("task.py", "net.py", framework.script):
        text = (MATRIX / name).read_text(encoding="utf-8")
        for old, new in (*framework.edits, *edits):
            text = text.replace(old, new)
        (folder / name).write_text(text, encoding="utf-8")


def executed(python: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [str(python), *words]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=SECONDS)


def row(folder: Path, package: str, version: str) -> str:
    framework = FRAMEWORKS[package]
    python, why = environment(folder, package, version)
    if why:
        return f"cannot be installed: {why}"
    with TemporaryDirectory() as name:
        place = Path(name)
        for older in ((), framework.older):
            written(place, framework, older)
            bare = executed(python, place, framework.script)
            if bare.returncode == 0:
                break
        if bare.returncode:
            return f"does not run without traindx: {_last(bare.stderr)}"
        answers = []
        for fault in ((), (framework.fault,)):
            written(place, framework, (*older, *fault))
            run = ["-m", "traindx", "run", "--no-diagnosis", "--force", "--out", "run.tdx", framework.script]
            observed = executed(python, place, *run)
            if observed.returncode:
                return f"FAILS under traindx: {_last(observed.stderr)}"
            answers.append(answer(place / "run.tdx", version))
    return " · ".join(answers)


def answer(record: Path, version: str) -> str:
    run = traindx.load(record)
    diagnosis = run.diagnose()
    off = f", off: {', '.join(run.facts['observers_off'])}" if "observers_off" in run.facts else ""
    steps = "" if run.steps == STEPS else f", {run.steps} steps instead of {STEPS}"
    told = run.fact("framework").get("version")
    wrong = f", version told as {told}" if told and told != version else ""
    named = diagnosis.leading.cause if diagnosis.verdict == "sick" else diagnosis.verdict
    return f"{named}{steps}{off}{wrong}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("folder", type=Path)
    options.add_argument("--only", nargs="+", choices=FRAMEWORKS, default=list(FRAMEWORKS))
    options.add_argument("--versions", nargs="+", help="instead of the listed ones")
    options.add_argument("--keep", action="store_true", help="keep the environments")
    chosen = options.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    print(f"torch {importlib.metadata.version('torch')}, Python {sys.version.split()[0]}\n", flush=True)
    print("| package | version | healthy · softmax before the loss |\n|---|---|---|", flush=True)
    for package in chosen.only:
        for version in chosen.versions or FRAMEWORKS[package].versions:
            print(f"| {package} | {version} | {row(chosen.folder.absolute(), package, version)} |", flush=True)
            if not chosen.keep:
                shutil.rmtree(chosen.folder / f"{package}-{version}", ignore_errors=True)


if __name__ == "__main__":
    main()
