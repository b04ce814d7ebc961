"""The wire: its messages, declared once, and their bytes."""
