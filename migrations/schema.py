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
    inspect,
    text,
)

VERSION = "0001"
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
    Column("token_hash", LargeBinary, nullable=False, unique=True),
    _text("created"),
)

rooms = Table("rooms", METADATA, _text("id", primary_key=True), _text("created"))

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
    _text("race", ForeignKey("races.id")),
    _text("player", ForeignKey("players.id")),
    Column("seat", Integer, nullable=False),
    _text("code"),
    _text("game"),
    Column("suits", Integer, nullable=False),
    Column("number", BigInteger, nullable=False),
    _text("started"),
    Column("start_ms", BigInteger, nullable=False),
    Column("practice", Boolean, nullable=False),
    Column("ranked", Boolean, nullable=False),
    _text("state"),
    Column("won", Boolean),
    Column("score", Integer),
    Column("moves", Integer),
    Column("home", Integer),
    Column("progress", Integer),
    Column("elapsed_ms", BigInteger),
    Column("clean", Boolean),
    Column("place", Integer),
    Column("pace", BigInteger),  # what decides among equal progress: elapsed_ms if won, else moves; None until the end
    Column("record", LargeBinary),  # last, because it is large: the columns before it are read without it
    UniqueConstraint("race", "seat"),
)

# The deal's page, best first, reads this index alone. Whoever has won has all home, so `home` puts the solved first.
Index(
    "ix_attempts_deal",
    *(attempts.c[name] for name in ("game", "number", "suits")),
    *(attempts.c[name].desc() for name in ("home", "progress")),
    *(attempts.c[name] for name in ("pace", "moves", "id", "race", "player", "started", "state", "won", "score")),
    *(attempts.c[name] for name in ("elapsed_ms", "clean", "practice", "ranked")),
    sqlite_where=text("pace IS NOT NULL"),
    postgresql_where=text("pace IS NOT NULL"),
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
