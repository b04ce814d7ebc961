"""What boards and restarts need: rooms that outlive a server, bots and imports marked, the tallies of players."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Take the step."""
    keep_rooms()
    let_players_go()
    widen_attempts()
    create_tallies()


def keep_rooms() -> None:
    """Give rooms what is kept of them; those where a race was running are open, by the defaults."""
    op.add_column("rooms", sa.Column("state", sa.Text))
    op.execute("UPDATE rooms SET state = '{}' WHERE id IN (SELECT room FROM races WHERE finished IS NULL)")
    is_open = sa.text("state IS NOT NULL")
    op.create_index("ix_rooms_open", "rooms", ["id"], sqlite_where=is_open, postgresql_where=is_open)


def let_players_go() -> None:
    """Allow players whom no token leads to: deleted and imported ones."""
    with op.batch_alter_table("players") as players:
        players.alter_column("token_hash", existing_type=sa.LargeBinary, nullable=True)


def widen_attempts() -> None:
    """Add what else is known of an attempt, before the large record, and allow attempts of no race."""
    op.drop_index("ix_attempts_deal", "attempts")
    with op.batch_alter_table("attempts", recreate="always") as attempts:
        attempts.alter_column("race", existing_type=sa.Text, nullable=True)
        for name in ("bot", "imported"):
            column = sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())
            attempts.add_column(column, insert_before="state")
        attempts.add_column(sa.Column("hints", sa.Integer), insert_before="place")
        attempts.add_column(sa.Column("lag_ms", sa.BigInteger), insert_before="place")
    op.execute("UPDATE attempts SET hints = 0 WHERE pace IS NOT NULL")
    index_attempts()


def index_attempts() -> None:
    """Create what reads a deal's page and a player's page."""
    marks = ("practice", "ranked", "bot", "imported")
    result = ("won", "score", "elapsed_ms", "clean", "hints", "lag_ms")
    best = ("game", "number", "suits", sa.text("home DESC"), sa.text("progress DESC"), "pace", "moves", "id")
    latest = ("player", sa.text("started DESC"), sa.text("id DESC"))
    rest = ("race", "game", "suits", "number", "state", "moves", "home", "progress", "place")
    over = sa.text("won IS NOT NULL")
    for name, columns in (
        ("ix_attempts_deal", (*best, "race", "player", "started", "state", *result, *marks)),
        ("ix_attempts_player", (*latest, *rest, *result, *marks)),
    ):
        op.create_index(name, "attempts", list(columns), sqlite_where=over, postgresql_where=over)


def create_tallies() -> None:
    """Create what the boards are read from, each in its order from an index of its own."""
    op.create_table(
        "tallies",
        *(sa.Column(name, sa.Text, nullable=False) for name in ("player", "game")),
        sa.Column("suits", sa.Integer, nullable=False),
        sa.Column("period", sa.Text, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("attempts", "solved", "share")),
        *(sa.Column(name, sa.BigInteger) for name in ("average_ms", "best_ms")),
        sa.Column("best_moves", sa.Integer),
        *(sa.Column(name, sa.Text) for name in ("best_started", "best")),
        sa.Column("latest", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("player", "game", "suits", "period", name="pk_tallies"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_tallies_player"),
        sqlite_with_rowid=False,
    )
    single = ("best_ms", "best_moves", "best_started", "best")
    index_tallies("average", "average_ms IS NOT NULL", ("average_ms", "player", "attempts", "solved", "share", *single))
    index_tallies("single", "best_ms IS NOT NULL", (*single, "player", "attempts", "solved", "share", "average_ms"))
    share = (sa.text("share DESC"), sa.text("attempts DESC"))
    index_tallies("share", "attempts >= 5", (*share, "player", "solved", "average_ms", *single))


def index_tallies(board: str, has_row: str, columns: Sequence[str | sa.TextClause]) -> None:
    """Create the index of one board, best first."""
    where = sa.text(has_row)
    op.create_index(
        f"ix_tallies_{board}",
        "tallies",
        ["game", "suits", "period", *columns],
        sqlite_where=where,
        postgresql_where=where,
    )
