"""What `--fail-on` counts, and the baseline of findings that a project has accepted.

A diagnosis has these findings:

- verdict sick: the leading cause, which is critical if its confidence is at least one half or a symptom is critical,
  else a warning; and each additional fault, which is critical. Symptoms are effects and are not counted again.
- any other verdict: each symptom of severity critical or warning, under the id of its sign.

The findings of a check are its failed answers (critical) and doubtful answers (warnings), under their ids. Advice never
fails a build. `--fail-on warning` fails on both severities, `--fail-on critical` only on critical findings.

A baseline is a JSON file: `{"schema": "traindx.baseline/1", "accepted": [{"cause": …, "source": …}]}`. `cause` is the
id of a cause, a sign or an answer. `source` is a path relative to the baseline file; it may contain the wildcards * and
?.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from ._output import write
from ._say import CommandError, complain

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis

SCHEMA = "traindx.baseline/1"
THRESHOLDS = ("never", "warning", "critical")
CONVINCED = 0.5  # a leading cause is critical from this confidence on


@dataclass(frozen=True)
class Finding:
    cause: str
    source: str
    critical: bool

    def __str__(self) -> str:
        return f"{self.cause} ({'critical' if self.critical else 'warning'}) in {self.source}"


def findings(diagnosis: Diagnosis) -> list[Finding]:
    """The findings of this diagnosis, as defined above."""
    source = diagnosis.source
    if diagnosis.verdict == "sick" and diagnosis.hypotheses:
        leading = diagnosis.leading
        critical = any(symptom.severity == "critical" for symptom in diagnosis.symptoms)
        named = Finding(leading.cause, source, critical or leading.confidence >= CONVINCED)
        return [named, *(Finding(fault.cause, source, True) for fault in diagnosis.additional)]
    return [Finding(s.id, source, s.severity == "critical") for s in diagnosis.symptoms if s.severity != "info"]


def exit_code(verb: str, found: Sequence[Finding], arguments: argparse.Namespace) -> int:
    """Write the baseline that the user wants; return 1 if a finding is severe enough and not accepted, else 0."""
    if arguments.write_baseline:
        count = accept(arguments.write_baseline, found)
        complain(verb, f"findings accepted in {arguments.write_baseline}: {count}")
    failed = unaccepted(found, arguments.fail_on, arguments.baseline)
    for finding in failed:
        complain(verb, f"failing on {finding}")
    return int(bool(failed))


def unaccepted(found: Iterable[Finding], threshold: str, baseline: Path | None) -> list[Finding]:
    """The findings that make the command fail: severe enough and not in the baseline."""
    accepted = read_baseline(baseline) if baseline else []
    if threshold == "never":
        return []
    return [
        finding
        for finding in found
        if (finding.critical or threshold == "warning")
        and not any(_accepts(entry, finding, baseline) for entry in accepted)
    ]


def _accepts(entry: tuple[str, str], finding: Finding, baseline: Path | None) -> bool:
    cause, pattern = entry
    where = _relative(finding.source, baseline) if baseline else finding.source
    # Brackets occur in file names (`run[1].log`) and are not wildcards here.
    return cause == finding.cause and fnmatchcase(where, pattern.replace("[", "[[]"))


def read_baseline(path: Path) -> list[tuple[str, str]]:
    """The accepted pairs of cause and source."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["schema"] != SCHEMA:
            raise CommandError(f"baseline {path} has the schema {content['schema']!r}, this traindx reads {SCHEMA!r}")
        return [(str(entry["cause"]), str(entry["source"])) for entry in content["accepted"]]
    except OSError as error:
        raise CommandError(f"baseline {path} cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError):
        raise CommandError(f'baseline {path} is not of the form {{"schema": "{SCHEMA}", "accepted": […]}}') from None


def accept(path: Path, found: Iterable[Finding]) -> int:
    """Write a baseline that lists these findings. Returns how many there are."""
    pairs = sorted({(finding.cause, _relative(finding.source, path)) for finding in found})
    content = {"schema": SCHEMA, "accepted": [{"cause": cause, "source": source} for cause, source in pairs]}
    write(path, json.dumps(content, indent=2) + "\n")
    return len(pairs)


def _relative(source: str, baseline: Path) -> str:
    """`source` relative to the baseline's folder, so that the baseline works from any working folder."""
    return Path(os.path.relpath(source, baseline.absolute().parent)).as_posix()
