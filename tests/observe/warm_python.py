"""A Python that has torch imported already and forks a child for every job: a run costs no import.

Reads one job a line from stdin, as JSON: {"argv", "cwd", "stdout", "stderr", "traindx": bool, "prepare": source}.
Answers with {"pid"} when the child runs and {"code"} when it has ended, negative for a signal.
"""

import json
import os
import random
import runpy
import signal
import sys
from pathlib import Path

import torch
import torch._dynamo  # every optimizer imports it

torch.set_num_threads(1)


def serve():
    """The parent answers jobs until stdin closes, and gets None; a child gets its job and goes on with it."""
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            return job
        print(json.dumps({"pid": child}), flush=True)
        _, status = os.waitpid(child, 0)
        print(json.dumps({"code": os.waitstatus_to_exitcode(status)}), flush=True)
    return None


def run(job):
    for name, number in (("stdout", 1), ("stderr", 2)):
        os.dup2(os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(job["cwd"])
    random.seed(0)  # python seeds it anew in every forked child
    exec(job["prepare"], {})
    if job["traindx"]:
        from traindx.__main__ import main

        sys.exit(main(job["argv"]))
    sys.argv = job["argv"]
    sys.path[0] = str(Path(job["argv"][0]).parent)
    runpy.run_path(job["argv"][0], run_name="__main__")


if __name__ == "__main__":
    job = serve()
    if job is not None:
        run(job)
