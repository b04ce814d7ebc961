"""What every test shares: how hard hypothesis searches."""

from hypothesis import settings

settings.register_profile("brisk", deadline=None)
settings.register_profile("soak", deadline=None, max_examples=5_000)
settings.load_profile("brisk")
