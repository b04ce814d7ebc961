"""The server under load, beside a bare WebSocket server in the same rounds.

    make load                                                       everything, in some minutes
    python -m tests.load --scenario rooms --rounds 3 --seconds 2    one scenario, or one part of the rest
    python -m tests.load compare main HEAD                          two commits, round by round

Linux only: it reads the clocks of other processes. A server runs on the first core, with its database in a file on
disk; what loads it runs on the last. Figures are medians over rounds with the least and the greatest; on a machine that
does other things too only ratios within a round say much. A round in which the load itself used more than nine tenths
of its core is void.
"""
