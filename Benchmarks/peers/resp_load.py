"""One connection of the throughput runs: keeps a window of commands under way.

    resp_load.py PORT FILE WINDOW SECONDS LIMIT

FILE is a pickled list of questions, each a list of commands: the next is sent when the one before
found fewer than LIMIT. It says "ready", begins at a line on its input, and prints what was answered.
"""

import pickle
import sys
import time

from redis_peer import Connection


def main() -> None:
    port, path, window, seconds, limit = sys.argv[1:]
    window, limit = int(window), int(limit)
    with open(path, "rb") as file:
        questions = pickle.load(file)
    connection = Connection(int(port))
    print("ready", flush=True)
    sys.stdin.readline()
    done, position = 0, 0
    end = time.monotonic() + float(seconds)
    under_way: list[tuple[list[bytes], int]] = []
    while time.monotonic() < end:
        while len(under_way) < window:
            under_way.append((questions[position % len(questions)], 0))
            position += 1
        answers = connection.answers(
            b"".join([commands[turn] for commands, turn in under_way]), len(under_way))
        waiting = []
        for (commands, turn), answer in zip(under_way, answers):
            if isinstance(answer, list) and len(answer) < limit and turn + 1 < len(commands):
                waiting.append((commands, turn + 1))
            else:
                done += 1
        under_way = waiting
    print(done, flush=True)


if __name__ == "__main__":
    main()
