// A throttle with a leading and a trailing edge: the first call acts at once, the last call of a
// burst always acts, and no two actions are closer than the interval.

export function throttle(action, intervalMilliseconds) {
  let timer = 0;
  let last = -Infinity;
  const run = () => {
    timer = 0;
    last = performance.now();
    action();
  };
  const call = () => {
    if (timer) return;
    const wait = last + intervalMilliseconds - performance.now();
    if (wait <= 0) run();
    else timer = setTimeout(run, wait);
  };
  call.cancel = () => {
    clearTimeout(timer);
    timer = 0;
  };
  return call;
}
