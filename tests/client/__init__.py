"""Tests of those who play."""
