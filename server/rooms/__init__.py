"""Rooms, those who come to them, and the ways in."""
