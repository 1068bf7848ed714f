"""How much of what people say the interview understands.

    python -m benchmarks.consult.understanding           totals; what went wrong in the half that may be read
    python -m benchmarks.consult.understanding --threads the same for the symptoms of benchmarks/base_rates/threads.tsv

`phrases.tsv`: an address of a public thread, what was meant, and how it was said in a few words. Collected by
symptom, wish and matter out of scope, never by what traindx recognises; one reader labelled them. `a,b`: either is
right; `+c`: may be recognised as well (`+*`: anything); `-`: nothing that traindx should react to. Half of the
sources (by a hash of the repository or site) are set aside: of them only totals are printed. The same reader labelled
both halves and watched these totals. The paraphrases of `threads.tsv` are terse, and one condition was noted where
several hold; they are judged by whether that one is heard.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from traindx.consult.matching import recognise

HERE = Path(__file__).parent
PHRASES = HERE / "phrases.tsv"
THREADS = HERE.parent / "base_rates" / "threads.tsv"
SYMPTOMS = {
    "non-finite": "nan", "overfitting": "overfitting", "validation-apart": "overfitting",
    "not-generalising": "overfitting", "diverging": "oscillating", "oscillating": "oscillating",
    "spiking": "oscillating", "exploding-gradients": "exploding", "vanishing-gradients": "vanishing",
    "not-learning": "not-learning,plateau", "one-class": "not-learning", "plateau": "plateau,not-learning",
    "underfitting": "plateau,not-learning,slow", "learning-slowly": "slow,plateau,not-learning",
    "waiting-for-data": "slow-training", "slowing-down": "slow-training",
}  # fmt: skip
NOTHING, ANY = "-", "*"


@dataclass(frozen=True)
class Phrase:
    address: str
    means: str
    said: str

    @property
    def aside(self) -> bool:
        parts = self.address.removeprefix("https://").split("/")
        source = "/".join(parts[1:3]) if parts[0] == "github.com" else parts[0].removeprefix("www.")
        return sha256(source.encode()).digest()[0] % 2 == 1

    @property
    def kind(self) -> str:
        return self.means.split("+")[0].split(",")[0]

    def judge(self) -> tuple[str, list[str]]:
        """`right`, `wrong` or `nothing` (not understood), and what was recognised."""
        wanted, _, also = self.means.partition("+")
        found = [match.id for match in recognise(self.said)]
        if wanted == NOTHING:
            return ("wrong" if found else "right"), found
        if not found:
            return "nothing", found
        right, bearable = {*wanted.split(",")}, {*filter(None, also.split(","))}
        fits = right & {*found} and (also == ANY or {*found} <= right | bearable)
        return ("right" if fits else "wrong"), found


def phrases() -> Iterator[Phrase]:
    with open(PHRASES, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield Phrase(row["address"], row["means"], row["said"])


def threads() -> Iterator[Phrase]:
    with open(THREADS, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["condition"] in SYMPTOMS:
                yield Phrase(row["address"], f"{SYMPTOMS[row['condition']]}+{ANY}", row["said_as"])


def totals(found: list[Phrase]) -> dict[str, int]:
    judged = [phrase.judge()[0] for phrase in found]
    return {name: judged.count(name) for name in ("right", "wrong", "nothing")}


def main(arguments: list[str]) -> int:
    found = list(threads() if "--threads" in arguments else phrases())
    for name, half in (("read", False), ("set aside", True)):
        part = [phrase for phrase in found if phrase.aside == half]
        counts = totals(part)
        shares = ", ".join(f"{what} {n} ({n / len(part):.0%})" for what, n in counts.items())
        print(f"{name}: {len(part)} phrases of {len({p.address for p in part})} threads: {shares}")
    for phrase in found:
        answer, recognised = phrase.judge()
        if answer != "right" and not phrase.aside:
            print(f"  {answer:<8} {phrase.said}   meant {phrase.means}, found {', '.join(recognised) or 'nothing'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
