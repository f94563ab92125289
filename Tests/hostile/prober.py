"""Asks /healthz on fresh connections, every 20 ms, until its input ends; prints when it began to
ask and how long the answer took, in seconds. A process of its own, so that nothing else delays it.

    prober.py PORT
"""

import http.client
import select
import sys
import time


def main():
    port = int(sys.argv[1])
    while not select.select([sys.stdin], [], [], 0.02)[0]:
        began = time.monotonic()
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            link.request("GET", "/healthz")
            served = link.getresponse().status == 200
        except OSError:
            served = False
        finally:
            link.close()
        print(began, time.monotonic() - began if served else 10.0, flush=True)


if __name__ == "__main__":
    main()
