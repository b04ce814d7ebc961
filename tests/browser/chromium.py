"""The browser that the page is tested in, and the devices it stands for."""

import os
import shutil
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

REQUIRED = os.environ.get("SAMEDEAL_BROWSER") == "required"
"""Without a Chromium the tests of the page fail; else they are skipped."""

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

_PHONE = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}

DEVICES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": {"width": 360, "height": 640}, **_PHONE},
    "lying": {"viewport": {"width": 844, "height": 390}, **_PHONE},
}
"""Contexts by device: a desktop, a small phone upright, a phone lying down."""

PLAIN_HTTP = """
  for (const name of ["clipboard", "share", "canShare", "wakeLock", "serviceWorker", "storage", "vibrate"])
    Object.defineProperty(Navigator.prototype, name, {value: undefined});
  for (const name of ["randomUUID", "subtle"]) Object.defineProperty(Crypto.prototype, name, {value: undefined});
  delete window.caches;
"""
"""What a page over plain http does not have."""

LOST = "ERR_CONNECTION_(REFUSED|RESET)|WebSocket|ERR_INTERNET_DISCONNECTED"
"""What a browser complains of when server or network are gone."""
