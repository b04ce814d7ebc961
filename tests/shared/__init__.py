"""Tests of the rules, the text forms and the wire."""
