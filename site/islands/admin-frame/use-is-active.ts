import { useEffect, useState } from 'react';

const IDLE_TIMEOUT_MS = 5 * 60_000;

/** Whether the admin is using the page. If not, the page stops fetching data, because requests keep the session alive. */
export function useIsActive(): boolean {
  const [isActive, setActive] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const restart = () => {
      setActive(true);
      clearTimeout(timer);
      timer = setTimeout(() => setActive(false), IDLE_TIMEOUT_MS);
    };
    restart();
    const events = ['pointermove', 'pointerdown', 'keydown'] as const;
    for (const event of events) addEventListener(event, restart, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const event of events) removeEventListener(event, restart);
    };
  }, []);
  return isActive;
}
