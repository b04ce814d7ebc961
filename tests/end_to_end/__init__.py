"""Whole races over real sockets, from the first hello to leaderboard and replay."""
