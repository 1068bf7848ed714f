"""What the filter of system calls decides, by a second reading of its program, for machines that this one is not."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

from traindx.isolation import _seccomp

ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
ALLOWED = 0
SOCKET, CLONE, IOCTL = {"x86_64": 41, "aarch64": 198}, {"x86_64": 56, "aarch64": 220}, {"x86_64": 16, "aarch64": 29}


def decision(machine: str, number: int, *arguments: int, arch: int | None = None, namespaces: bool = True) -> int:
    """The error's number, or ALLOWED. Runs the program as the kernel does."""
    words = [number, ARCH[machine] if arch is None else arch, 0, 0]
    for argument in (*arguments, *(0,) * (6 - len(arguments))):
        words += [argument & 0xFFFFFFFF, argument >> 32]
    program, at, held = _seccomp.program(machine, namespaces), 0, 0
    while True:
        code, then, otherwise, value = program[at]
        at += 1
        if code == 0x20:
            held = words[value // 4]
        elif code == 0x06:
            return value - 0x50000 if value != 0x7FFF0000 else ALLOWED
        else:
            true = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
            at += then if true else otherwise


@pytest.mark.parametrize("machine", ARCH)
def test_every_table_is_refused_and_the_rest_is_not(machine: str) -> None:
    at = list(ARCH).index(machine)
    refused = {own[at] for own in _seccomp.REFUSED.values() if own[at] is not None}
    unknown = {own[at] for own in _seccomp.UNKNOWN.values()}
    for number in range(600):
        told = errno.EPERM if number in refused else errno.ENOSYS if number in unknown else ALLOWED
        if number != SOCKET[machine]:
            assert decision(machine, number) == told, number


@pytest.mark.parametrize("machine", ARCH)
def test_other_tables_of_system_calls_are_refused(machine: str) -> None:
    for arch in (0x40000003, 0x40000028, *(each for name, each in ARCH.items() if name != machine)):
        assert decision(machine, 0, arch=arch) == errno.EPERM
    assert decision("x86_64", 0x40000000 + 1) == errno.ENOSYS


@pytest.mark.parametrize("machine", ARCH)
def test_arguments_are_read(machine: str) -> None:
    threads, forks = 0x3D0F00, 0x1200011  # the flags of pthread_create and fork
    assert decision(machine, CLONE[machine], threads) == decision(machine, CLONE[machine], forks) == ALLOWED
    for namespace in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert decision(machine, CLONE[machine], forks | namespace) == errno.EPERM
    assert decision(machine, IOCTL[machine], 0, 0x5413) == ALLOWED
    for typing in (0x5412, 0x541C, 0x1_0000_5412):  # the kernel reads the lower half only
        assert decision(machine, IOCTL[machine], 0, typing) == errno.EPERM
    for family, inside, outside in ((1, 0, 0), (16, 0, 0), (2, 0, 97), (10, 0, 97), (40, 97, 97), (17, 97, 97)):
        assert decision(machine, SOCKET[machine], family) == inside
        assert decision(machine, SOCKET[machine], family, namespaces=False) == outside


@pytest.mark.parametrize("machine", ARCH)
def test_the_numbers_are_those_of_the_system(machine: str) -> None:
    """The kernel's own headers, where they are installed."""
    if not HEADERS[machine].exists():
        pytest.skip("no headers here")
    named = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", HEADERS[machine].read_text())
    known = {name: int(number) for name, number in named}
    at = list(ARCH).index(machine)
    tables = {**_seccomp.REFUSED, **_seccomp.UNKNOWN, **_seccomp.WITHOUT_NAMESPACES}
    tables |= {name: own for name, (own, _) in _seccomp.OF_A_PROCESS.items()}
    wrong = {name: own[at] for name, own in tables.items() if name in known and known[name] != own[at]}
    assert wrong == {}
    assert len(set(tables) & set(known)) > 50
