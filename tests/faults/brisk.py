"""`samedeal` with a countdown that nobody has to wait for, where what a test is about comes after it.

python -m tests.faults.brisk serve …
"""

import sys

import samedeal
from server.race import start

if __name__ == "__main__":
    start.COUNTDOWN_MS = 20
    sys.exit(samedeal.main(sys.argv[1:]))
