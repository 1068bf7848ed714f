"""Ways out of isolation: system calls that a script makes through ctypes, and that isolated runs must refuse.

`ATTACK` defines `attack()`, which tries them all and raises an error that names each that was not refused. Most have
arguments that the kernel rejects, or repeat what is so already. Run it in isolation only.
"""

from __future__ import annotations

ATTACK = r'''
import ctypes, errno, os, platform, socket, struct

LIBC = ctypes.CDLL(None, use_errno=True)
AT = ("x86_64", "aarch64").index(platform.machine())
NOWHERE = ctypes.c_void_p(8)
RAW = {
    "pivot_root": (155, 41), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "finit_module": (313, 273), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "clone": (56, 220), "quotactl": (179, 60),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "clone3": (435, 435),
    "io_uring_setup": (425, 425), "quotactl_fd": (443, 443), "clock_settime": (227, 112), "settimeofday": (164, 170),
}
NAMESPACES = {"user": 0x10000000, "mounts": 0x20000, "processes": 0x20000000, "network": 0x40000000, "names": 0x4000000}


def number(value):
    return ctypes.c_long(value)


def call(name, *words):
    """The error's number; 0 where the call succeeds."""
    ctypes.set_errno(0)
    words = [number(word) if isinstance(word, int) else word for word in words]
    done = LIBC.syscall(number(RAW[name][AT]), *words) if name in RAW else getattr(LIBC, name)(*words)
    if name == "clone" and done == 0:
        os._exit(0)
    return ctypes.get_errno() if done < 0 else 0


def capset(effective):
    bits = [1 << number for number in effective]
    data = (ctypes.c_uint32 * 6)(sum(bits), sum(bits), 0, 0, 0, 0)
    return call("capset", ctypes.byref((ctypes.c_uint32 * 2)(0x20080522, 0)), ctypes.byref(data))


def tries():
    yield "capset: CAP_SYS_ADMIN", capset([21])
    yield "capset: CAP_SYS_CHROOT", capset([18])
    for path in (b"/", os.fsencode(os.getcwd()), b"weights.bin", b"/proc/sys", b"/sys"):
        yield f"remount {path.decode()}", call("mount", b"none", path, None, 32 | 4096, None)
    yield "mount", call("mount", b"none", b"/not there", b"tmpfs", 0, None)
    yield "umount2", call("umount2", b"/not there", 2)
    yield "chroot", call("chroot", b".")
    yield "pivot_root", call("pivot_root", b".", b".")
    for name in ("open_tree", "fspick"):
        yield name, call(name, -100, b"/", 0)
    yield "move_mount", call("move_mount", -1, b"", -1, b"", 4)
    yield "fsopen", call("fsopen", b"tmpfs", 0)
    yield "fsconfig", call("fsconfig", -1, 6, None, None, 0)
    yield "fsmount", call("fsmount", -1, 0, 0)
    yield "mount_setattr", call("mount_setattr", -100, b"/", 0x8000, ctypes.byref((ctypes.c_uint64 * 4)()), 32)
    for name, flag in NAMESPACES.items():
        yield f"unshare: {name}", call("unshare", flag)
        yield f"clone: {name}", call("clone", flag | 17, None, None, None, None)
    yield "clone3", call("clone3", NOWHERE, 64)
    yield "setns", call("setns", -1, 0)
    yield "ptrace", call("ptrace", 0, 0, None, None)
    yield "process_vm_writev", call("process_vm_writev", os.getpid(), None, 0, None, 0, 0)
    yield "keyctl", call("keyctl", 0, -3, 0)
    yield "add_key", call("add_key", b"user", b"traindx", b"x", 1, -1)
    yield "request_key", call("request_key", b"user", b"traindx", None, 0)
    yield "kexec_load", call("kexec_load", 0, -1, NOWHERE, 0)
    yield "kexec_file_load", call("kexec_file_load", -1, -1, 0, None, 0)
    yield "reboot", call("reboot", 0)
    yield "init_module", call("init_module", NOWHERE, 0, b"")
    yield "finit_module", call("finit_module", -1, b"", 0)
    yield "delete_module", call("delete_module", b"traindx", 0)
    yield "bpf", call("bpf", 999, None, 0)
    yield "perf_event_open", call("perf_event_open", NOWHERE, 0, -1, -1, 0)
    yield "userfaultfd", call("userfaultfd", 1)
    yield "swapon", call("swapon", b"nothing", 0)
    yield "swapoff", call("swapoff", b"nothing")
    yield "acct", call("acct", b"nothing")
    yield "quotactl", call("quotactl", -1, None, 0, None)
    yield "quotactl_fd", call("quotactl_fd", -1, 0, 0, None)
    yield "open_by_handle_at", call("open_by_handle_at", -1, NOWHERE, 0)
    yield "syslog", call("klogctl", 10, None, 0)
    yield "io_uring_setup", call("io_uring_setup", 1, NOWHERE)
    yield "clock_settime", call("clock_settime", 0, NOWHERE)
    yield "settimeofday", call("settimeofday", NOWHERE, None)
    yield "adjtimex", call("adjtimex", ctypes.byref((ctypes.c_char * 512)()))
    yield "clock_adjtime", call("clock_adjtime", 0, ctypes.byref((ctypes.c_char * 512)()))
    name = os.uname().nodename.encode()
    yield "sethostname", call("sethostname", name, len(name))
    yield "setdomainname", call("setdomainname", b"(none)", 6)
    yield "typing into the terminal", call("ioctl", 0, 0x5412, ctypes.byref(ctypes.c_char(0)))
    yield "typing with other upper bits", call("ioctl", 0, 0x1_0000_5412, ctypes.byref(ctypes.c_char(0)))
    yield "socket to the virtual machine's host", call("socket", 40, 1, 0)
    yield "raw packets", call("socket", 17, 3, 0)
    for path in ("/proc/sys/kernel/hostname", "/proc/sys/vm/swappiness", "/sys/kernel/mm/transparent_hugepage/enabled",
                 "/proc/sysrq-trigger", f"/proc/{os.getppid()}/mem", "/proc/1/mem", "/proc/1/root/etc/hostname"):
        error = call("open", path.encode(), os.O_WRONLY)
        yield f"write {path}", errno.EPERM if error == errno.ENOENT else error


MORE = []  # what else a test wants to be tried


def outcomes():
    """Of each way: whether it was refused."""
    refused = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EAFNOSUPPORT, errno.EROFS}
    return {name: error in refused for each in (tries, *MORE) for name, error in each()}


def attack():
    reached = [name for name, refused in outcomes().items() if not refused]
    if reached:
        raise RuntimeError("reached: " + ", ".join(reached))
'''

# Where the machine's network, memory and names are not separated by namespaces.
WITHOUT_NAMESPACES = r"""
def tries_without_namespaces():
    yield "UDP", call("socket", 2, 2, 0)
    yield "UDP over IPv6", call("socket", 10, 2, 0)
    yield "TCP", call("socket", 2, 1, 0)
    yield "shmget", call("shmget", 0, 4096, 0o1600)
    yield "shmat", call("shmat", -1, None, 0)
    yield "semget", call("semget", 0, 1, 0o1600)
    yield "msgget", call("msgget", 0, 0o1600)
    path = os.path.abspath("raw.bin").encode()
    yield "chown", call("chown", path, os.getuid(), os.getgid())
    yield "setxattr", call("setxattr", path, b"user.traindx", b"1", 1, 0)
    yield "limit another process", call("prlimit", os.getppid(), 7, None, None)
    parent = os.getppid()
    yield "priority of another process", call("setpriority", 0, parent, os.getpriority(os.PRIO_PROCESS, parent))
    yield "mq_open", call("mq_open", b"/traindx", 0)
    for name in sorted(os.listdir("/dev")):
        if name.startswith(("sd", "vd", "nvme", "loop", "mem", "kmsg", "port")):
            yield f"read /dev/{name}", call("open", f"/dev/{name}".encode(), os.O_RDONLY)


def change_the_interpreter():
    # By Python's own function; compiled code can do it here.
    try:
        os.chmod("/proc/self/exe", os.stat("/proc/self/exe").st_mode & 0o7777)
    except OSError as error:
        yield "mode of the interpreter", error.errno
    else:
        yield "mode of the interpreter", 0


MORE += [tries_without_namespaces, change_the_interpreter]
"""

# Where every file that a script can name is in a layer: the real ones that it holds all the same must not change.
IN_LAYERS = r"""
def tries_on_what_it_holds():
    for path in ("/proc/self/exe", "/dev/null", "/dev/zero"):
        mode = os.stat(path).st_mode & 0o7777
        yield f"mode of {path}", call("chmod", path.encode(), mode)
        yield f"owner of {path}", call("chown", path.encode(), os.getuid(), os.getgid())
        yield f"attribute of {path}", call("setxattr", path.encode(), b"user.traindx", b"1", 1, 0)
        yield f"times of {path}", call("utimensat", -100, path.encode(), None, 0)
    yield "open the first process's input", call("open", b"/proc/1/fd/0", os.O_RDONLY)
    os.fchmod(0, 0o640)  # the copy in the layer, if its input is a file
    with open("/proc/self/fd/0", "wb") as held:
        held.write(b"overwritten")


MORE.append(tries_on_what_it_holds)
"""

# The way that was open once: raise a capability that is still permitted, and make what is read-only writable.
REMOUNT = """
def overwrite(name):
    capset([21])
    place = os.path.abspath(name)
    LIBC.mount(b"none", os.fsencode(place), None, number(32 | 4096), None)
    try:
        with open(place, "r+b") as file:
            file.write(b"overwritten")
    except OSError:
        pass


for name in ("weights.bin", "runs/a"):
    overwrite(name)
"""

TRAINING = """
attack()
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()
for step in range(60):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    if step == 1:
        attack()
"""

FACTORY = "\n\ndef model():\n    attack()\n    from torch import nn\n    return nn.Linear(8, 2)\n"
HOSTILE = """
import sys, torch

class Hostile:
    def __reduce__(self):
        return (exec, (open(sys.argv[1]).read(),))

torch.save({"model": torch.ones(1), "hostile": Hostile()}, "hostile.pt")
torch.save((torch.randn(4, 8), torch.randint(0, 2, (4,))), "batch.pt")
"""
VERBS = {
    "check": ["check", "train.py"],
    "lr": ["lr", "train.py"],
    "treat": ["treat", "train.py"],
    "gradients": ["gradients", "--model", "factory:model", "--data", "batch.pt", "--trust-pickle"],
    "activations": ["activations", "--model", "factory:model", "--data", "batch.pt", "--trust-pickle"],
    "--trust-pickle": ["gradients", "--model", "hostile.pt", "--data", "batch.pt", "--trust-pickle"],
}


def scripts() -> dict[str, str]:
    """The files that the verbs of `VERBS` are given, beside what HOSTILE makes."""
    ends = {"train.py": TRAINING, "factory.py": FACTORY, "payload.py": "\nattack()\n"}
    return {name: ATTACK + REMOUNT + end for name, end in ends.items()}
