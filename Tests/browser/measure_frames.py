"""Frame times of the map page in headless Chromium, with graphics drawn in software: medians while the
map is dragged and every object is on its way. No test: a test counts and never times.

    MOYEOD=.build/release/moyeod Tests/browser/measure_frames.py 20000 100000
"""

import pathlib
import random
import signal
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from browser import Browser  # noqa: E402
from map_daemon import MapDaemon  # noqa: E402

FRAMES = 240
SEED = 7

# Drags the map by a few pixels a frame, while all points ease to another place.
SCRIPT = """
const [frames, moves, done] = arguments;
const { scene, map } = moyeo;
const { lights } = scene;
scene.probe.intervals.length = scene.probe.drawTimes.length = 0;
scene.isMeasured = true;
let left = frames, last;
const intervals = [];
if (moves) {
  const { values, count } = lights;
  for (let i = 0; i < count; i++) {
    const [id, x, y] = [lights.id(i), values[i * 7 + 2], values[i * 7 + 3]];
    lights.put(id, x + 2e-6, y - 2e-6, values[i * 7 + 5], values[i * 7 + 6], scene.seconds, false);
  }
  lights.durationSeconds = 10;
}
const next = (now) => {
  if (last !== undefined) intervals.push(now - last);
  last = now;
  map.panBy([left % 2 ? 6 : -4, left % 3 ? 3 : -5], { animate: false });
  if (--left > 0) requestAnimationFrame(next);
  else {
    scene.isMeasured = false;
    done([intervals, scene.probe.drawTimes, scene.probe.drawn.lights]);
  }
};
requestAnimationFrame(next);
"""


def measure(daemon, count):
    layer = f"frames-{count}"
    random_ = random.Random(SEED)
    daemon.report(layer, [
        (f"o{i}", 37.55 + random_.gauss(0, 0.03), 127.0 + random_.gauss(0, 0.05))
        for i in range(count)])
    browser = Browser(1280, 800, "dark")
    try:
        browser.driver.set_script_timeout(300)
        browser.open(f"{daemon.url}/#layer={layer}&zoom=11&at=37.55,127&display=points")
        for _ in range(20):
            try:
                browser.wait("return moyeo.scene.lights.count === arguments[0]", "all", count)
                break
            except AssertionError:
                continue
        browser.screenshot(f"frames-{count}")
        for what, moves in (("dragged", False), ("dragged, all moving", True)):
            # The daemon stands still meanwhile: what is measured is the page.
            daemon.signal(signal.SIGSTOP)
            intervals, draws, drawn = browser.driver.execute_async_script(SCRIPT, FRAMES, moves)
            daemon.signal(signal.SIGCONT)
            assert drawn == count, (drawn, count)
            median = statistics.median(intervals)
            worst = sorted(intervals)[int(len(intervals) * 0.95)]
            print(f"{count:>7,} objects in view, {what}: median {median:.1f} ms a frame "
                  f"({1000 / median:.0f} a second), 95 of 100 below {worst:.1f} ms, "
                  f"of it in JavaScript {statistics.median(draws):.2f} ms", flush=True)
    finally:
        browser.close()


def main():
    counts = [int(text) for text in sys.argv[1:]] or [20_000, 100_000]
    daemon = MapDaemon()
    try:
        for count in counts:
            measure(daemon, count)
    finally:
        daemon.stop()


if __name__ == "__main__":
    main()
