"""What the first race needs: players, rooms, races, attempts, opened deals and the log."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import SchemaItem

revision = "0001"
down_revision = None

RowNumber = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Take the step."""
    create_people()
    create_races()
    create_attempts()
    create_log()


def create_people() -> None:
    """Create who plays where."""
    op.create_table(
        "players",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("token_hash", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
        sa.UniqueConstraint("token_hash", name="uq_players_token_hash"),
    )
    op.create_table(
        "opened",
        sa.Column("player", sa.Text, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("player", "game", "number", name="pk_opened"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_opened_player"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rooms",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rooms"),
    )


def create_races() -> None:
    """Create the races, and what finds a room's latest and the unfinished ones."""
    op.create_table(
        "races",
        sa.Column("key", RowNumber, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("room", sa.Text, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("suits", sa.Integer, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("finished", sa.Text),
        sa.PrimaryKeyConstraint("key", name="pk_races"),
        sa.UniqueConstraint("id", name="uq_races_id"),
        sa.ForeignKeyConstraint(["room"], ["rooms.id"], name="fk_races_room"),
    )
    unfinished = sa.text("finished IS NULL")
    op.create_index("ix_races_room", "races", ["room", "key"])
    op.create_index("ix_races_live", "races", ["key"], sqlite_where=unfinished, postgresql_where=unfinished)


def create_attempts() -> None:
    """Create the attempts and what reads a deal's page."""
    begun: tuple[SchemaItem, ...] = (
        *(sa.Column(name, sa.Text, nullable=False) for name in ("id", "race", "player")),
        sa.Column("seat", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("code", "game")),
        sa.Column("suits", sa.Integer, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("start_ms", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.Boolean, nullable=False) for name in ("practice", "ranked")),
        sa.Column("state", sa.Text, nullable=False),
    )
    ended: tuple[SchemaItem, ...] = (
        sa.Column("won", sa.Boolean),
        *(sa.Column(name, sa.Integer) for name in ("score", "moves", "home", "progress")),
        sa.Column("elapsed_ms", sa.BigInteger),
        sa.Column("clean", sa.Boolean),
        sa.Column("place", sa.Integer),
        sa.Column("pace", sa.BigInteger),
        sa.Column("record", sa.LargeBinary),
    )
    op.create_table(
        "attempts",
        *begun,
        *ended,
        sa.PrimaryKeyConstraint("id", name="pk_attempts"),
        sa.UniqueConstraint("race", "seat", name="uq_attempts_race"),
        sa.ForeignKeyConstraint(["race"], ["races.id"], name="fk_attempts_race"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_attempts_player"),
    )
    order = ("game", "number", "suits", sa.text("home DESC"), sa.text("progress DESC"), "pace", "moves")
    shown = ("id", "race", "player", "started", "state", "won", "score", "elapsed_ms", "clean", "practice", "ranked")
    over = sa.text("pace IS NOT NULL")
    op.create_index("ix_attempts_deal", "attempts", [*order, *shown], sqlite_where=over, postgresql_where=over)


def create_log() -> None:
    """Create the log, and the starts of a server that its rows name."""
    op.create_table(
        "epochs",
        sa.Column("epoch", RowNumber, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("epoch", name="pk_epochs"),
    )
    op.create_table(
        "log",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("race", sa.BigInteger, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("attempt", sa.Text),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("entry", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_log"),
    )
