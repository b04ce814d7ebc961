"""Tests of rooms and of those who come to them."""
