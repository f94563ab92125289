"""Commutes that tests make, and their days; standard library only."""

import datetime
import time

EVERY_DAY = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]


def every_day(host, hours=6, days=30):
    """The body of a host's commute from Gangnam to the City Hall, at a time of UTC some hours from now."""
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
    return {"hostId": host, "origin": {"latitude": 37.4979, "longitude": 127.0276},
            "destination": {"latitude": 37.5663, "longitude": 126.9779}, "weekdays": EVERY_DAY,
            "localTime": soon.strftime("%H:%M"), "timeZone": "UTC",
            "to": (soon + datetime.timedelta(days=days)).date().isoformat()}


def appeared(get, identifier, count, days=14):
    """The days of a commute that have appeared, once there are so many; `get` answers a path's body."""
    end, after = time.monotonic() + 30, 0
    while True:
        shown = get(f"/v1/commutes/{identifier}?days={days}")["commute"]["occurrences"]
        found = [day for day in shown if day["state"] != "planned"]
        if len(found) >= count:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"{len(found)} of {count} days have appeared: {shown}")
        after = get(f"/v1/events?after={after}&waitSeconds=1")["next"]
