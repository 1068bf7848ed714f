"""The cases of the zoo: each is a host, a variant, a background and a seed, and the script they result in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from ..units import modules_of
from .edits import HEALTHY, EditError, Severity, Variant, swap

HOSTS = Path(__file__).parent / "hosts"
SEED_LINE = "SEED = 0\n"
PLAIN = Variant(HEALTHY, "none", "as written", ())
# Harm is judged against the spread between seeds (harm.py), so the plain host runs with more of them.
HOST_SEEDS = (0, 1, 2, 3, 4)
VARIANT_SEEDS = (0, 1)


@dataclass(frozen=True)
class Case:
    """One script to run, and its fault."""

    host: str
    variant: Variant
    seed: int
    background: Variant | None = None

    @property
    def id(self) -> str:
        background = f"+{self.background.name}" if self.background else ""
        return f"{self.host}{background}/{self.variant.cause}/{self.variant.name}/{self.seed}"

    @property
    def cause(self) -> str:
        return self.variant.cause

    @property
    def severity(self) -> Severity:
        return self.variant.severity

    @property
    def source(self) -> str:
        """The edited script. Raises `EditError` with the case's id if an edit does not fit."""
        try:
            source = self.variant.apply(host_source(self.host))
            if self.background:
                source = self.background.apply(source)
            return swap(SEED_LINE, f"SEED = {self.seed}\n").apply(source)
        except EditError as error:
            raise EditError(f"{self.id}: {error}") from None

    @property
    def key(self) -> str:
        """The name of the result in the cache: a digest of the script, including its seed."""
        return sha256(self.source.encode()).hexdigest()[:20]

    @property
    def reference(self) -> Case:
        """The same training without the fault."""
        if self.variant.base:
            base = Variant(HEALTHY, "none", f"before {self.variant.note}", self.variant.base)
            return Case(self.host, base, self.seed, self.background)
        return Case(self.host, self.background or PLAIN, self.seed)


@cache
def host_source(host: str) -> str:
    return (HOSTS / f"{host}.py").read_text(encoding="utf-8")


@cache
def variants_by_host() -> dict[str, tuple[Variant, ...]]:
    """The variants of each host, from the modules in `faults/`."""
    return {module.HOST: tuple(module.VARIANTS) for module in modules_of("traindx.zoo.faults", defining="HOST")}


@cache
def all_cases() -> tuple[Case, ...]:
    """All cases in a fixed order: by host, by variant as listed, by seed."""
    return tuple(case for host, variants in variants_by_host().items() for case in _cases_of(host, variants))


def _cases_of(host: str, variants: tuple[Variant, ...]) -> Iterator[Case]:
    backgrounds = [variant for variant in variants if variant.background]
    yield from (Case(host, PLAIN, seed) for seed in HOST_SEEDS)
    for number, variant in enumerate(variants):
        if variant.cause == HEALTHY:
            yield from (Case(host, variant, seed) for seed in VARIANT_SEEDS)
            continue
        plain, *others = VARIANT_SEEDS
        yield Case(host, variant, plain)
        # Further seeds have a background: a fault must be recognised with any optimizer, width or batch size.
        for seed in others:
            yield Case(host, variant, seed, _background_for(host, variant, backgrounds, number + seed))


def _background_for(host: str, fault: Variant, backgrounds: list[Variant], turn: int) -> Variant | None:
    """The first background whose edits do not collide with the fault's. The search starts at `turn`."""
    for offset in range(len(backgrounds)):
        background = backgrounds[(turn + offset) % len(backgrounds)]
        try:
            background.apply(fault.apply(host_source(host)))
        except EditError:
            continue
        return background
    return None


def find_case(name: str) -> Case | None:
    return next((case for case in all_cases() if case.id == name), None)


def patient(cause: str) -> Case:
    """A clear case of the cause for a demonstration: the first one without a background, gross if possible."""
    found = [case for case in all_cases() if case.cause == cause and case.background is None]
    if not found:
        raise LookupError(f"the zoo has no patient with {cause!r}")
    return min(found, key=lambda case: case.severity != "gross")
