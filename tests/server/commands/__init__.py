"""Tests of the server's commands."""
