import { atom, onMount } from 'nanostores';
import { useSyncExternalStore } from 'react';
import { serverClock } from './server-clock.ts';

/** The current time (Unix ms). Updates every second while the page uses it and the tab is visible. */
export const $now = atom(serverClock.now());

onMount($now, () => {
  // During the build there is no document.
  if (typeof document === 'undefined') return;
  const tick = () => $now.set(serverClock.now());
  let timer: ReturnType<typeof setInterval> | undefined;
  const restart = () => {
    clearInterval(timer);
    timer = undefined;
    if (document.hidden) return;
    tick();
    timer = setInterval(tick, 1_000);
  };
  restart();
  document.addEventListener('visibilitychange', restart);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', restart);
  };
});

const subscribeToNow = (onChange: () => void) => $now.listen(onChange);

/**
 * A value that is computed from the current time (Unix ms). The component renders only when the value changes, not every
 * second.
 */
export function useTicking<Value extends string | number>(compute: (now: number) => Value): Value {
  const getValue = () => compute($now.get());
  return useSyncExternalStore(subscribeToNow, getValue, getValue);
}
