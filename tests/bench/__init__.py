"""Measurements: `make bench`, or `python -m tests.bench` for the table alone."""
