"""What alembic runs for every step: on the connection that ``api.store.database`` hands it."""

from alembic import context

from api.store.tables import METADATA


def migrate() -> None:
    """Run the steps that were asked for, all in one transaction."""
    connection = context.config.attributes["connection"]
    context.configure(connection=connection, target_metadata=METADATA, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


migrate()
