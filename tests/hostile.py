"""What is sent where a text is expected, by accident or to do harm."""

NO_TEXT: list[object] = [None, 7, -1, 1.5, float("nan"), True, b"KH", [], ["KH"], {}, {"text": "KH"}]
"""Other types."""
