"""The page in a real Chromium, on a real server with a real database."""
