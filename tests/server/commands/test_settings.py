"""What can be set, by options and by the environment."""

import argparse
import re
from pathlib import Path

import pytest
from msgspec.structs import fields

from server.commands.settings import DATABASE, SETTINGS, add_settings, chosen_database, config_of, table
from server.config import Config, Limits


def read(*arguments: str, **environment: str) -> Config:
    """Return what options and variables set."""
    parser = argparse.ArgumentParser()
    add_settings(parser)
    return config_of(parser.parse_args(arguments), environment)


def test_defaults_hold_where_nothing_is_said() -> None:
    """Nothing set is what `config` declares, in the user's own database."""
    assert read() == Config(database=DATABASE)


def test_everything_can_be_set() -> None:
    """Each field has its option and its variable."""
    names = {field.name for field in fields(Config)} - {"limits"} | {f"limit_{field.name}" for field in fields(Limits)}
    assert {setting.name for setting in SETTINGS} == names
    told = "--host ::1 --port 0 --database x.db --word sesame --trusted-proxy 10.0.0.0/8 ::1 --name a --name b"
    limits = " ".join(f"--limit-{field.name.replace('_', '-')} 4711" for field in fields(Limits))
    changed = read(*told.split(), *limits.split())
    assert (changed.host, changed.port, changed.database, changed.word) == ("::1", 0, "x.db", "sesame")
    assert (changed.trusted_proxy, changed.name) == (("10.0.0.0/8", "::1"), ("a", "b"))
    assert {getattr(changed.limits, field.name) for field in fields(Limits)} == {4711}


def test_environment_stands_behind_the_options() -> None:
    """A variable sets what no option does; several of a thing are separated by spaces or commas."""
    assert read(SAMEDEAL_PORT="9000").port == 9000
    assert read("--port", "9001", SAMEDEAL_PORT="9000").port == 9001
    assert read(SAMEDEAL_TRUSTED_PROXY="10.0.0.0/8, ::1").trusted_proxy == ("10.0.0.0/8", "::1")
    assert read(SAMEDEAL_NAME="").name == ()
    assert read(SAMEDEAL_LIMIT_HELLO_MS="200").limits.hello_ms == 200
    assert read(SAMEDEAL_WORD="null").word == "null"


def test_commands_that_name_no_database_use_the_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable that sets the server's database sets theirs; without it both use the user's own."""
    monkeypatch.delenv("SAMEDEAL_DATABASE", raising=False)
    assert chosen_database() == DATABASE
    monkeypatch.setenv("SAMEDEAL_DATABASE", "x.db")
    assert chosen_database() == "x.db"
    assert chosen_database("y.db") == "y.db"
    monkeypatch.setenv("SAMEDEAL_DATABASE", "")
    assert chosen_database() == DATABASE


def test_empty_variable_sets_nothing() -> None:
    """As if it were not there, whatever it would set: no port, no word, no list."""
    assert read(**{setting.variable: "" for setting in SETTINGS}) == read()


def test_network_is_on_or_off() -> None:
    """With `--lan` every address is listened on; a variable says yes or no in words."""
    assert read("--lan").listens_on == "0.0.0.0"
    assert read(SAMEDEAL_LAN="yes").listens_on == "0.0.0.0"
    assert read(SAMEDEAL_LAN="0").listens_on == "127.0.0.1"


@pytest.mark.parametrize(
    "arguments",
    ["--port 65536", "--port x", "--limit-rooms 0", "--limit-message 1", "--limit-hello-ms -1", "--lan 1", "--x"],
)
def test_bad_options_are_wrong_usage(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What can't be is refused with the option's name."""
    with pytest.raises(SystemExit, match="2"):
        read(*arguments.split())
    assert arguments.split(maxsplit=1)[0] in capsys.readouterr().err


@pytest.mark.parametrize("text", ["99999", "x", "-1", "1_000", "٣", " ", "1e3"])
def test_bad_number_says_what_would_be_right(text: str) -> None:
    """A number is digits within its limits, said in words that are nobody's code."""
    with pytest.raises(ValueError, match=re.escape(f"SAMEDEAL_PORT: {text!r} is no whole number from 0 to 65535")):
        read(SAMEDEAL_PORT=text)


@pytest.mark.parametrize("host", ["", "a..b", "a" * 64])
def test_host_without_a_name_is_refused(host: str) -> None:
    """What names no host, or every one, is not listened on."""
    with pytest.raises(ValueError, match="is no host"):
        read("--host", host)


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"SAMEDEAL_PORT": "x"}, "SAMEDEAL_PORT"),
        ({"SAMEDEAL_LIMIT_INBOX": "0"}, "SAMEDEAL_LIMIT_INBOX"),
        ({"SAMEDEAL_LAN": "perhaps"}, "SAMEDEAL_LAN"),
        ({"SAMEDEAL_TRUSTED_PROXY": "10.0.0.0/99"}, "10.0.0.0/99"),
        ({"SAMEDEAL_NAME": "http://box/"}, "http://box/"),
    ],
)
def test_bad_variables_say_which(environment: dict[str, str], named: str) -> None:
    """What can't be is refused with the variable's name, or with what was said."""
    with pytest.raises(ValueError, match=named):
        read(**environment)


def test_page_has_every_setting() -> None:
    """The table in the operator's page is the one that the declarations make."""
    assert table() in (Path(__file__).parents[3] / "deploy" / "README.md").read_text("utf-8")
