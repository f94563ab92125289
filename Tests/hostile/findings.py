"""What the tests of findings share."""

import os
import struct
import time

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                      0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def _turn(value, bits):
    return ((value << bits) | (value >> (64 - bits))) & MASK


def xxh64(data):
    """XXH64 with seed 0 of less than 32 bytes: what ids were once known by."""
    assert len(data) < 32
    h, at = P5 + len(data), 0
    while at + 8 <= len(data):
        word = struct.unpack_from("<Q", data, at)[0]
        word = _turn(word * P2 & MASK, 31) * P1 & MASK
        h, at = (_turn(h ^ word, 27) * P1 + P4) & MASK, at + 8
    if at + 4 <= len(data):
        h = (_turn(h ^ struct.unpack_from("<I", data, at)[0] * P1 & MASK, 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        h = _turn(h ^ byte * P5 & MASK, 11) * P1 & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def processor_seconds(pid):
    """CPU time of a process, all threads: work done, whatever else the machine does."""
    return time.clock_gettime_ns(~pid << 3 | 2) / 1e9


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def eventually(seconds, condition, pause=0.05):
    """Whether the condition becomes true within a bound."""
    end = time.monotonic() + seconds
    while True:
        if condition():
            return True
        if time.monotonic() > end:
            return False
        time.sleep(pause)
