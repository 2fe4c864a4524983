import { useSyncExternalStore } from 'react';
import { $now } from '../../data/ticking-clock.ts';

const listen = (changed: () => void) => $now.listen(changed);

/** A text or a number that depends on the time (Unix ms); renders again only when it changes, not every second. */
export function useTicking<Shown extends string | number>(shownAt: (now: number) => Shown): Shown {
  const shown = () => shownAt($now.get());
  return useSyncExternalStore(listen, shown, shown);
}
