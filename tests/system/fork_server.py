"""A process that has loaded `pegpip play` and forks tables that run it: the imports take most of a table's start.

`tests.system.forked` starts it as a script. Its argument is the file descriptor of a Unix socket of whole messages. A
message is the JSON of a Request, with three descriptors: standard output, standard error, and a socket that answers
with the table's process id and, after its end, with its exit status.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import sys
from typing import TypedDict

MAX_REQUEST_BYTES = 1 << 17
"""Largest request. The environment takes most of it; a smaller bound cuts a large one off, which is no JSON then."""


class Request(TypedDict):
    """Arguments of `pegpip`, environment and working folder of a table."""

    words: list[str]
    env: dict[str, str]
    folder: str


def serve(link: socket.socket) -> None:
    """Fork a table for each request; return in each table, where the caller runs it, and at the end of the requests."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel forgets each watching process that has ended
    while True:
        body, files, _, _ = socket.recv_fds(link, MAX_REQUEST_BYTES, 3)
        if not body:
            sys.exit()
        if os.fork() == 0:
            link.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _watch_table(socket.socket(fileno=files[2]), files[:2])
            _become(json.loads(body), *files[:2])
            return
        for file in files:
            os.close(file)


def _watch_table(answer: socket.socket, files: list[int]) -> None:
    """Fork, and return in the new process, the table. This process tells its id and its exit status, and ends."""
    table = os.fork()
    if table:
        for file in files:  # so that who reads them sees the table's end
            os.close(file)
        answer.send(str(table).encode())
        answer.send(str(os.waitstatus_to_exitcode(os.waitpid(table, 0)[1])).encode())
        os._exit(0)
    answer.close()


def _become(request: Request, output: int, errors: int) -> None:
    """Give this process the arguments, environment, folder and output of a `pegpip` that was started anew.

    New streams, because Python chooses how a stream behaves by the file that it is opened on.
    """
    for file, number in ((output, 1), (errors, 2)):
        os.dup2(file, number)
        os.close(file)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False, errors="backslashreplace")
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["folder"])
    sys.argv = ["pegpip", *request["words"]]
    signal.signal(signal.SIGINT, signal.default_int_handler)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `main` does before it imports NumPy
    importlib.import_module("companion.commands.play")
    from companion.cli import main

    serve(socket.socket(fileno=int(sys.argv[1])))
    main()
