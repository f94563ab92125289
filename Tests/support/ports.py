"""Ports of servers that are told theirs before they start, and have the same one when they start again; standard
library only.

Linux gives ports from 32,768 on (ip_local_port_range) to connections and to whoever asks for any. The tests in
another lane open connections by the thousand, so that one of those ports may be gone before its server has it.
"""

import random
import socket

# Nor do the buses of a Redis Cluster's nodes, 10,000 above, reach to those of connections.
CHOSEN = range(11_000, 22_000)
# The same for all that this process has: a server that was killed comes back to its port.
_given = set()


def is_free(port):
    with socket.socket() as probe:
        try:
            # Of any address, since some servers listen at all of them.
            probe.bind(("", port))
        except OSError:
            return False
        return True


def free_port(bus=0):
    """A port that nobody has, and with `bus` nor the one that is so far above it; never the same twice."""
    while True:
        port = random.SystemRandom().choice(CHOSEN)
        if port not in _given and is_free(port) and (not bus or is_free(port + bus)):
            _given.add(port)
            return port
