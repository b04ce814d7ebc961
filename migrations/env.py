"""Alembic's entry: run the steps on the connection that `upgrade` hands over, inside its transaction."""

from alembic import context

from migrations.schema import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
