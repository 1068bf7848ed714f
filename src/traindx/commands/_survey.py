"""Diagnoses many logs: in several processes or on a Ray cluster, without keeping the runs in memory.

Each answer is a few lines for the table, and the JSON object where that was asked for. It is stored in the user's cache
folder, so that the next survey reads only the logs that have changed, and an interrupted one goes on where it was.
"""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from .. import __version__
from ..comparison import Skipped
from ..diagnosis import Diagnosis, diagnose
from ..history import History, with_similar_case
from ..paths import cache_folder
from ..readers import Options, ReaderError
from ..readers.folders import Place, places_at, read_places
from ..record import RecordError, Run
from ..reports import Row, render, row_of
from ..spreading import Elsewhere, spread
from ._findings import Finding, findings
from ._inputs import LOSSES, runs_at
from ._output import page_of_worst
from ._progress import Bar
from ._say import complain

MOST_KEPT = 100_000  # answers; those not used for longest are deleted first
WAIT = 10.0  # seconds for another process that writes
_TABLE = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, stamp TEXT, used INTEGER, answer BLOB)"


@dataclass
class Answer:
    """What a survey says of one log."""

    rows: list[Row] = field(default_factory=list)  # one for each of its runs
    findings: list[Finding] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)  # the diagnoses as JSON, where asked for
    has_loss: bool = False
    reason: str = ""  # why it could not be read

    def packed(self) -> bytes:
        return zlib.compress(json.dumps(asdict(self)).encode())

    @classmethod
    def unpacked(cls, packed: bytes) -> Answer:
        content = json.loads(zlib.decompress(packed))
        rows = [Row(tuple(order), *rest) for order, *rest in content.pop("rows")]
        return cls(rows, [Finding(**finding) for finding in content.pop("findings")], **content)


@dataclass
class Survey:
    answers: dict[Place, Answer]
    failed: list[str] = field(default_factory=list)  # reasons why logs that the user named could not be read
    skipped: Skipped = field(default_factory=Skipped)

    def of_all(self, what: str) -> list[Any]:
        return [item for answer in self.answers.values() for item in getattr(answer, what)]


def places_in(inputs: Sequence[Path]) -> list[Place]:
    """The logs in the folders and files; what cannot be read is complained about when it is read."""
    places: list[Place] = []
    for path in inputs:
        try:
            places += places_at(path)
        except ReaderError:
            places.append(Place(path))
    return places


def surveyed(
    verb: str,
    places: Sequence[Place],
    options: Options,
    objects: bool = False,
    cached: bool = True,
    elsewhere: Elsewhere | None = None,
) -> Survey:
    """Diagnose the logs under a progress bar, and complain about those that cannot be read."""
    store, bar = Store(options, objects) if cached else None, Bar("diagnosing")
    try:
        found = survey(places, options, objects, store, bar, elsewhere)
    finally:
        bar.close()
        if store:
            store.close()
    for sentence in (*found.failed, *found.skipped.sentences()):
        complain(verb, sentence)
    return found


def page_of_survey(found: Survey, options: Options) -> str:
    """The page of all runs. Only those that it shows in full are read again, the worst first."""
    ranked = [(row, place, at) for place, answer in found.answers.items() for at, row in enumerate(answer.rows)]
    ranked.sort(key=lambda one: (one[0].order, one[0].source))

    def pairs() -> Iterator[tuple[Run, Diagnosis]]:
        for _, place, at in ranked:
            run = runs_at(place.path, options)[at]
            yield run, with_similar_case(diagnose(run))

    return page_of_worst(pairs(), [row for row, _, _ in ranked])


def survey(
    places: Sequence[Place],
    options: Options,
    objects: bool,
    store: Store | None,
    progress: Callable[[int, int], None],
    elsewhere: Elsewhere | None = None,
) -> Survey:
    """Diagnose the logs at all places. Of logs in a folder, those without a loss count only if none has one."""

    def answers(some: Sequence[Place]) -> Iterator[tuple[Place, Answer]]:
        known = store.find(some) if store else {}
        yield from known.items()
        work = partial(_answer, options=options, objects=objects)
        for place, answer in spread(work, [p for p in some if p not in known], progress, elsewhere):
            if store:
                store.keep(place, answer)
            yield place, answer

    found, left_out = read_places(places, answers, lambda answer: answer.has_loss)
    some_loss = any(answer.has_loss for answer in found.values())
    result = Survey({p: a for p, a in found.items() if a.has_loss or not (some_loss and p.root)})
    result.skipped.beside_logs += left_out
    for place, answer in found.items():
        if answer.reason and place.root:
            result.skipped.add(place, [answer.reason])
        elif answer.reason:
            result.failed.append(answer.reason)
    return result


def _answer(place: Place, options: Options, objects: bool) -> Answer:
    try:
        runs = runs_at(place.path, options)
    except (ReaderError, RecordError) as error:
        return Answer(reason=str(error))
    answer = Answer(has_loss=any(run.series(name) for run in runs for name in LOSSES))
    for run in runs:
        diagnosis = with_similar_case(diagnose(run))
        answer.rows.append(row_of(diagnosis))
        answer.findings += findings(diagnosis)
        if objects:
            answer.objects.append(render(diagnosis, "jsonl"))
    return answer


class Store:
    """The answers in the user's cache folder. An answer holds as long as its log and traindx are unchanged."""

    def __init__(self, options: Options, objects: bool, path: Path | None = None) -> None:
        self._about = json.dumps([sorted(options.columns.items()), options.step, objects, _code_state()])
        self._path = path or cache_folder() / "answers.sqlite"
        self._stamps: dict[Place, str] = {}
        self._database = self._opened()

    def _opened(self) -> sqlite3.Connection | None:
        """Without a store, a survey only takes longer."""
        with suppress(OSError, sqlite3.Error):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)
            database = sqlite3.connect(self._path, timeout=WAIT)
            database.execute("PRAGMA synchronous = OFF")  # after a power failure answers are made again
            database.execute(_TABLE)
            return database
        return None

    def find(self, places: Sequence[Place]) -> dict[Place, Answer]:
        """Return the answers that still hold. What a log is now is looked up before it is read."""
        self._stamps |= {place: _state(place.path) for place in places}
        known: dict[Place, Answer] = {}
        for place in places:
            with suppress(sqlite3.Error, zlib.error, ValueError, TypeError):
                query = "SELECT answer FROM answers WHERE key = ? AND stamp = ?"
                found = self._database and self._database.execute(query, (self._key(place), self._stamps[place]))
                if found and (row := found.fetchone()):
                    known[place] = Answer.unpacked(row[0])
        with suppress(sqlite3.Error):
            if self._database:
                used = [(int(time.time()), self._key(place)) for place in known]
                self._database.executemany("UPDATE answers SET used = ? WHERE key = ?", used)
                self._database.commit()
        return known

    def keep(self, place: Place, answer: Answer) -> None:
        with suppress(sqlite3.Error):
            if self._database:
                values = (self._key(place), self._stamps[place], int(time.time()), answer.packed())
                self._database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", values)
                self._database.commit()

    def close(self) -> None:
        with suppress(sqlite3.Error):
            if self._database:
                with closing(self._database), self._database:
                    oldest = "SELECT key FROM answers ORDER BY used DESC LIMIT -1 OFFSET ?"
                    self._database.execute(f"DELETE FROM answers WHERE key IN ({oldest})", (MOST_KEPT,))

    def _key(self, place: Place) -> str:
        return sha256(f"{self._about}{place.path.absolute()}".encode("utf-8", "surrogateescape")).hexdigest()


def _state(path: Path) -> str:
    """Sizes and times of the log's files, of a record's write-ahead log too."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path, path.with_name(f"{path.name}-wal")]
    return sha256(repr([_size_and_time(file) for file in files]).encode()).hexdigest()


def _size_and_time(file: Path) -> tuple[str, int, int] | None:
    try:
        state = file.stat()
    except OSError:
        return None
    return file.name, state.st_size, state.st_mtime_ns


@cache
def _code_state() -> str:
    """Changes when traindx does, or the history that it mentions similar cases from."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    return __version__ + sha256(repr([_size_and_time(file) for file in (*files, History().path)]).encode()).hexdigest()
