"""README's examples that are more than a session of Python: what a newcomer copies runs."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.serving import serving

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_positions_are_positions() -> None:
    """As a shell would take them: each holds the pack, and has moves."""
    examples = re.findall(r"^    (echo '.*?(?:\n     .*?)*$)", README, re.MULTILINE)
    assert len(examples) == 2
    told = []
    for example in examples:
        command = example.replace("samedeal", f"{sys.executable} -m samedeal")
        done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        told.append(done.stdout)
    assert {"2h", "bh"} <= set(told[0].split())
    assert told[1] == "ok\n"


@pytest.mark.long
async def test_bots_race_and_come_back(tmp_path: Path) -> None:
    """Two of them race; started once more each is the same player, in the same seat, and they race again."""
    (source,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    (tmp_path / "bot.py").write_text(source, "utf-8")
    async with serving(tmp_path / "race.db") as server:
        for _ in range(2):
            told = await asyncio.gather(*(bot(tmp_path, name, server.port) for name in ("Robin", "Wren")))
            assert {"Robin.token", "Wren.token"} < set(os.listdir(tmp_path))  # noqa: PTH208  # names alone
            for name, out in zip(("Robin", "Wren"), told, strict=True):
                assert re.search(f"^{name} has joined [0-9]+ cards; first is (Robin|Wren)$", out, re.MULTILINE)


async def bot(folder: Path, name: str, port: int) -> str:
    """Run README's bot to its end; return what it prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "bot.py", name, f"ws://127.0.0.1:{port}"),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, error = await process.communicate()
    assert (process.returncode, error.decode()) == (0, "")
    return out.decode()
