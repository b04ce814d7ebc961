"""How long tests wait for what must come, and what they do where that is bounded."""

import os
from contextlib import suppress
from pathlib import Path

GUARD_S = 300
"""So long, by the real clock, one wait or a whole test may last: only what never comes takes it, and it is no bound."""

PRIORITY = -10


def come_first(pid: int) -> None:
    """Let a process whose time is bounded, and what it starts, go before others where the system lets us say so."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, PRIORITY)
    with suppress(OSError):
        if os.getsid(pid) == pid:  # Linux shares a processor between sessions before it looks at what is in them
            Path(f"/proc/{pid}/autogroup").write_text(str(PRIORITY), "ascii")
