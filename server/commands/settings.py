"""The settings as flags and environment variables: one table, made from what `config` declares."""

import argparse
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.inspect import BoolType, IntType, Metadata, Type, VarTupleType, type_info
from msgspec.structs import FieldInfo, fields
from platformdirs import user_data_path

from server.config import Config, Limits

DATABASE = str(user_data_path("samedeal", appauthor=False) / "samedeal.sqlite3")

ON, OFF = ("1", "yes", "true", "on"), ("0", "no", "false", "off")
"""What a variable says of a setting that is on or off."""


class Setting(Struct, frozen=True):
    """One thing that can be set."""

    name: str
    """As a field; before those of `Limits` stands `limit_`."""
    field: FieldInfo
    kind: Type
    does: str
    default: object

    @property
    def flag(self) -> str:
        """The option on the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """The environment variable, which holds where the option is not given."""
        return "SAMEDEAL_" + self.name.upper()

    def parse(self, text: str) -> object:
        """Return what *text* sets; raise ValueError, which says what would be right."""
        if isinstance(self.kind, VarTupleType):
            return tuple(re.split("[ ,]+", text.strip(" ,"))) if text.strip(" ,") else ()
        if isinstance(self.kind, BoolType):
            if text.lower() not in ON + OFF:
                raise ValueError(f"{text!r} is neither {ON[0]} nor {OFF[0]}")
            return text.lower() in ON
        return self._number(text, self.kind) if isinstance(self.kind, IntType) else text

    @staticmethod
    def _number(text: str, kind: IntType) -> int:
        low, high = kind.ge or 0, kind.le or 0
        if not re.fullmatch("[0-9]{1,12}", text) or not low <= int(text) <= high:
            raise ValueError(f"{text!r} is no whole number from {low} to {high}")
        return int(text)

    def argument(self, text: str) -> object:
        """Return what an option's *text* sets; raise ArgumentTypeError."""
        try:
            return self.parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None


def _settings() -> Iterator[Setting]:
    for owner, prefix in ((Config, ""), (Limits, "limit_")):
        for field in fields(owner):
            info = type_info(field.type)
            if isinstance(info, Metadata) and info.extra_json_schema:
                default = DATABASE if field.required else field.default
                does = info.extra_json_schema["description"]
                yield Setting(prefix + field.name, field, info.type, does, default)


SETTINGS = tuple(_settings())


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Let *parser* take all that can be set."""
    for setting in SETTINGS:
        how: dict[str, Any] = {"type": setting.argument, "metavar": setting.field.name.upper()}
        if isinstance(setting.kind, BoolType):
            how = {"action": "store_true"}
        elif isinstance(setting.kind, VarTupleType):
            how |= {"type": str, "action": "extend", "nargs": "+"}
        shown = f"; default: {setting.default}" if setting.default not in (None, False, ()) else ""
        does = f"{setting.does} ({setting.variable}{shown})".replace("%", "%%")
        parser.add_argument(setting.flag, default=None, help=does, **how)


def config_of(asked: argparse.Namespace, environment: Mapping[str, str]) -> Config:
    """Return what is set: by the options, else by the environment, else by default; raise ValueError.

    An empty variable sets nothing.
    """
    found: dict[str, Any] = {}
    for setting in SETTINGS:
        said = getattr(asked, setting.name)
        if said is not None:
            found[setting.name] = tuple(said) if isinstance(said, list) else said
        elif environment.get(setting.variable):
            found[setting.name] = _of_environment(setting, environment[setting.variable])
        else:
            found[setting.name] = setting.default
    limits = Limits(**{field.name: found.pop(f"limit_{field.name}") for field in fields(Limits)})
    return Config(**found, limits=limits)


def _of_environment(setting: Setting, text: str) -> object:
    try:
        return setting.parse(text)
    except ValueError as error:
        raise ValueError(f"{setting.variable}: {error}") from None


def chosen_database(named: str | None = None) -> str:
    """Return the database of a command: the one that is *named*, else the environment's, else the user's own."""
    return named or os.environ.get("SAMEDEAL_DATABASE") or DATABASE


def prepare(where: str) -> None:
    """Make the folder of the user's own database. That of any other has to be there: its name may be mistyped."""
    if where == DATABASE:
        Path(DATABASE).parent.mkdir(parents=True, exist_ok=True)


def table() -> str:
    """Return all settings as a table in Markdown."""
    rows = ["| Option | Variable | Default | What it sets |", "| --- | --- | --- | --- |"]
    for setting in SETTINGS:
        default = "the user's data directory" if setting.default == DATABASE else setting.default
        shown = f"`{default}`" if default not in (None, False, ()) else "–"
        rows.append(f"| `{setting.flag}` | `{setting.variable}` | {shown} | {setting.does} |")
    return "\n".join(rows)
