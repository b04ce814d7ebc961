"""`python -m tests.bench`: the table alone, without pytest."""

from tests.bench.engine import table

print(table())
