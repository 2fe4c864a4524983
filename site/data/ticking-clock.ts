import { atom, onMount } from 'nanostores';
import { serverClock } from './server-clock.ts';

/** The time now (Unix ms), moved every second while something on the page shows an age and the page is seen. */
export const $now = atom(serverClock.now());

onMount($now, () => {
  // While the page is built there is no tab to be hidden and nobody to tick for.
  if (typeof document === 'undefined') return;
  const tick = () => $now.set(serverClock.now());
  let timer: ReturnType<typeof setInterval> | undefined;
  const run = () => {
    clearInterval(timer);
    timer = undefined;
    if (document.hidden) return;
    tick();
    timer = setInterval(tick, 1_000);
  };
  run();
  document.addEventListener('visibilitychange', run);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', run);
  };
});
