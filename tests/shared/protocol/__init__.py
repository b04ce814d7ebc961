"""Tests of the messages and their bytes."""
