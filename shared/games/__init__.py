"""The games: one module of rules each."""
