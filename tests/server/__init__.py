"""Tests of the race server."""
