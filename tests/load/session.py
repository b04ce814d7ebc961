"""A session of our own: Linux shares a core between sessions before it looks at what is in them."""

import os
import signal
import sys

from tests.patience import come_first


def go_apart() -> None:
    """Go on as a child in a new session, ended with this process; return in the child only."""
    child = os.fork()
    if not child:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that servers are ended
        return
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda number, _: os.kill(child, number))
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def keep_to(core: int, pid: int = 0) -> None:
    """Let a process, by default this one, run on *core* only, and its session before others where we may say so."""
    os.sched_setaffinity(pid, {core})
    come_first(pid or os.getpid())
