"""Seccomp: makes the Linux kernel refuse this process and its children the system calls that no training needs.

They are calls that change mounts, namespaces, clocks, names, kernel modules or other processes. Most of them need a
capability that an isolated script does not have; the filter also keeps the script away from their code in the kernel.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys

from . import _libc as libc

MACHINES = ("x86_64", "aarch64")
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32 = 0x40000000  # bit of the numbers of the second table that x86-64 kernels may have
# Numbers on x86-64 and aarch64; None where the call does not exist.
REFUSED: dict[str, tuple[int | None, int | None]] = {
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "open_tree_attr": (467, 467),
    "unshare": (272, 97), "setns": (308, 268),
    "ptrace": (101, 117), "process_vm_writev": (311, 271), "process_madvise": (440, 440),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "reboot": (169, 142),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "clock_settime": (227, 112), "settimeofday": (164, 170), "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    "sethostname": (170, 161), "setdomainname": (171, 162), "syslog": (103, 116), "vhangup": (153, 58),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "open_by_handle_at": (304, 265),
    "iopl": (172, None), "ioperm": (173, None),
}  # fmt: skip
# glibc falls back to `clone`, whose flags a filter can read; liburing falls back to ordinary calls.
UNKNOWN = {"clone3": (435, 435), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
           "io_uring_register": (427, 427)}  # fmt: skip
# Where the process shares the machine's files and memory (mode `python`): System V and POSIX queues and shared memory,
# and what Landlock does not see. `chmod` and `utime` are missing, because the layer itself needs them.
WITHOUT_NAMESPACES = {
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semop": (65, 193),
    "semctl": (66, 191), "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188),
    "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "chown": (92, None), "lchown": (94, None), "fchown": (93, 55), "fchownat": (260, 54),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "removexattrat": (466, 466),
}  # fmt: skip
# Calls that change any process of this user, and which argument says which; 0 is the caller itself.
OF_A_PROCESS = {"prlimit64": ((302, 261), 0), "setpriority": ((141, 140), 1), "ioprio_set": ((251, 30), 1)}
CLONE, IOCTL, SOCKET = (56, 220), (16, 29), (41, 198)
NEW_NAMESPACES = 0x7E020000  # CLONE_NEW*
TIOCSTI, TIOCLINUX = 0x5412, 0x541C  # they type into the user's terminal
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16

ALLOW, REFUSE = 0x7FFF0000, 0x00050000  # the error's number is added to REFUSE
LOAD, IF_EQUAL, IF_AT_LEAST, IF_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
FILTER_MODE = 2


def missing() -> str:
    """Return why there is no filter here, or "" if there is one."""
    machine = platform.machine()
    return "" if sys.platform == "linux" and machine in MACHINES else f"no table of system calls for {machine}"


def install(namespaces: bool) -> None:
    """Refuse the calls for the rest of this process's life. `namespaces`: it has a network and memory of its own."""
    if missing():
        return
    code = b"".join(struct.pack("=HBBI", *one) for one in program(platform.machine(), namespaces))
    held = ctypes.create_string_buffer(code, len(code))
    about = struct.pack("@HP", len(code) // 8, ctypes.addressof(held))
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    libc.prctl(libc.PR_SET_SECCOMP, FILTER_MODE, ctypes.c_char_p(about))


def program(machine: str, namespaces: bool) -> list[tuple[int, int, int, int]]:
    """Return the filter's instructions: code, jump if true, jump if false, value."""
    at = MACHINES.index(machine)
    made = [(LOAD, 0, 0, 4), (IF_EQUAL, 1, 0, AUDIT_ARCH[machine]), _refuse(errno.EPERM), (LOAD, 0, 0, 0)]
    if machine == "x86_64":
        made += [(IF_AT_LEAST, 0, 1, X32), _refuse(errno.ENOSYS)]
    more = {} if namespaces else WITHOUT_NAMESPACES
    for table, number in ((REFUSED, errno.EPERM), (UNKNOWN, errno.ENOSYS), (more, errno.EPERM)):
        for calls in table.values():
            made += _call(calls[at], [_refuse(number)])
    if not namespaces:
        for own, argument in OF_A_PROCESS.values():
            made += _call(own[at], [_argument(argument), (IF_EQUAL, 0, 1, 0), _allow(), _refuse(errno.EPERM)])
    made += _call(CLONE[at], [_argument(0), (IF_ANY_BIT, 0, 1, NEW_NAMESPACES), _refuse(errno.EPERM), _allow()])
    typing = [(IF_EQUAL, 0, 1, TIOCSTI), _refuse(errno.EPERM), (IF_EQUAL, 0, 1, TIOCLINUX), _refuse(errno.EPERM)]
    made += _call(IOCTL[at], [_argument(1), *typing, _allow()])
    # Others, like those to a virtual machine's host (AF_VSOCK), are not bound to a network namespace.
    families = (UNIX, NETLINK, INET, INET6) if namespaces else (UNIX, NETLINK)
    chosen = [one for family in families for one in ((IF_EQUAL, 0, 1, family), _allow())]
    made += _call(SOCKET[at], [_argument(0), *chosen, _refuse(errno.EAFNOSUPPORT)])
    return [*made, _allow()]


def _call(number: int | None, then: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Return what to do at this call. `then` ends in a decision."""
    return [] if number is None else [(IF_EQUAL, 0, len(then), number), *then]


def _argument(number: int) -> tuple[int, int, int, int]:
    return LOAD, 0, 0, 16 + 8 * number  # its lower half, on machines that keep it first


def _refuse(number: int) -> tuple[int, int, int, int]:
    return RETURN, 0, 0, REFUSE + number


def _allow() -> tuple[int, int, int, int]:
    return RETURN, 0, 0, ALLOW
