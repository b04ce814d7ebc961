"""What every test shares: how hard hypothesis searches.

`make test` looks at the same examples each time, so that it says the same of the same code; `make soak` looks further.
"""

from hypothesis import settings

settings.register_profile("brisk", deadline=None, derandomize=True)
settings.register_profile("soak", deadline=None, max_examples=2_000)
settings.load_profile("brisk")
