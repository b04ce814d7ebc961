"""The tables as they are now; `versions/` has the steps that lead here, and a test compares the two."""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
    inspect,
    text,
)

VERSION = "0002"
"""The newest step, so that a start with nothing to do need not load Alembic."""

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
    }
)

# SQLite makes a column its row number only where the type is INTEGER.
RowNumber = BigInteger().with_variant(Integer, "sqlite")


def _text(name: str, *more: Any, **options: Any) -> Column[str]:  # noqa: ANN401  # what Column takes
    return Column(name, Text, *more, nullable=False, **options)


epochs = Table(
    "epochs",
    METADATA,
    Column("epoch", RowNumber, primary_key=True),
    _text("started"),
)
"""A row for each start of a server; a row of the log names the one that wrote it."""

players = Table(
    "players",
    METADATA,
    _text("id", primary_key=True),
    _text("name"),
    Column("token_hash", LargeBinary, unique=True),  # None: no token leads to a player who was deleted or imported
    _text("created"),
)

rooms = Table(
    "rooms",
    METADATA,
    _text("id", primary_key=True),
    _text("created"),
    Column("state", Text),  # None: closed; its races stay
    Index("ix_rooms_open", "id", sqlite_where=text("state IS NOT NULL"), postgresql_where=text("state IS NOT NULL")),
)

races = Table(
    "races",
    METADATA,
    Column("key", RowNumber, primary_key=True),  # stands for the race in the log, where a text id costs too much
    _text("id", unique=True),
    _text("room", ForeignKey("rooms.id")),
    _text("code"),
    _text("game"),
    Column("suits", Integer, nullable=False),
    Column("number", BigInteger, nullable=False),
    _text("options"),
    _text("started"),
    Column("finished", Text),
    Index("ix_races_room", "room", "key"),
    Index("ix_races_live", "key", sqlite_where=text("finished IS NULL"), postgresql_where=text("finished IS NULL")),
)

attempts = Table(
    "attempts",
    METADATA,
    _text("id", primary_key=True),
    Column("race", Text, ForeignKey("races.id")),  # None: imported
    _text("player", ForeignKey("players.id")),
    Column("seat", Integer, nullable=False),
    _text("code"),
    _text("game"),
    Column("suits", Integer, nullable=False),
    Column("number", BigInteger, nullable=False),
    _text("started"),
    Column("start_ms", BigInteger, nullable=False),
    Column("practice", Boolean, nullable=False),
    Column("ranked", Boolean, nullable=False),  # at first: if nothing speaks against it; after the end: it counts
    Column("bot", Boolean, nullable=False, server_default=false()),
    Column("imported", Boolean, nullable=False, server_default=false()),
    _text("state"),
    Column("won", Boolean),
    Column("score", Integer),
    Column("moves", Integer),
    Column("home", Integer),
    Column("progress", Integer),
    Column("elapsed_ms", BigInteger),
    Column("clean", Boolean),
    Column("hints", Integer),
    Column("lag_ms", BigInteger),
    Column("place", Integer),
    Column("pace", BigInteger),  # what decides among equal progress: elapsed_ms if won, else moves; None until the end
    Column("record", LargeBinary),  # last, because it is large: the columns before it are read without it
    UniqueConstraint("race", "seat"),
)

_MARKS = ("practice", "ranked", "bot", "imported")
_RESULT = ("won", "score", "elapsed_ms", "clean", "hints", "lag_ms")


def _index(table: Table, name: str, has_row: str, *columns: Any) -> None:  # noqa: ANN401  # what Index takes
    parts = (table.c[column] if isinstance(column, str) else column for column in columns)
    Index(f"ix_{table.name}_{name}", *parts, sqlite_where=text(has_row), postgresql_where=text(has_row))


# Each page is read from one index alone, in its order.
# Whoever has won has all home, so `home` puts the solved first.
_index(
    attempts,
    "deal",
    "won IS NOT NULL",
    *("game", "number", "suits", attempts.c.home.desc(), attempts.c.progress.desc(), "pace", "moves", "id"),
    *("race", "player", "started", "state", *_RESULT, *_MARKS),
)
_index(
    attempts,
    "player",
    "won IS NOT NULL",
    *("player", attempts.c.started.desc(), attempts.c.id.desc()),
    *("race", "game", "suits", "number", "state", "moves", "home", "progress", "place", *_RESULT, *_MARKS),
)

tallies = Table(
    "tallies",
    METADATA,
    _text("player", ForeignKey("players.id"), primary_key=True),
    _text("game", primary_key=True),
    Column("suits", Integer, primary_key=True, autoincrement=False),
    _text("period", primary_key=True),
    Column("attempts", Integer, nullable=False),
    Column("solved", Integer, nullable=False),
    Column("share", Integer, nullable=False),
    Column("average_ms", BigInteger),
    Column("best_ms", BigInteger),
    Column("best_moves", Integer),
    Column("best_started", Text),
    Column("best", Text),
    _text("latest"),
    sqlite_with_rowid=False,
)
"""What a player's ranked attempts come to in a day, a week or all time: the boards are this table in three orders."""

_PLACE = ("game", "suits", "period")
_SINGLE = ("best_ms", "best_moves", "best_started", "best")
_index(
    tallies,
    "average",
    "average_ms IS NOT NULL",
    *(*_PLACE, "average_ms", "player", "attempts", "solved", "share", *_SINGLE),
)
_index(
    tallies,
    "single",
    "best_ms IS NOT NULL",
    *(*_PLACE, *_SINGLE, "player", "attempts", "solved", "share", "average_ms"),
)
_index(
    tallies,
    "share",
    "attempts >= 5",
    *(*_PLACE, tallies.c.share.desc(), tallies.c.attempts.desc(), "player", "solved", "average_ms", *_SINGLE),
)

opened = Table(
    "opened",
    METADATA,
    _text("player", ForeignKey("players.id"), primary_key=True),
    _text("game", primary_key=True),
    Column("number", BigInteger, primary_key=True),
    _text("at"),
    sqlite_with_rowid=False,
)
"""The numbers that each player has seen dealt, and when last."""

log = Table(
    "log",
    METADATA,
    Column("id", RowNumber, primary_key=True),
    Column("race", BigInteger, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("attempt", Text),
    Column("at_ms", BigInteger, nullable=False),
    _text("entry"),
)
"""Append only, and without an index but the row number: it is on the path of every move."""


def version(connection: Connection) -> str | None:
    """Return the step that the database of *connection* stands at; None for one that has no tables of ours."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found
