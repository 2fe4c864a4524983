import { useCallback, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { CardSecret } from '../../data/card-calls.ts';

/** How long number and CVV stand on the screen. */
export const SHOWN_SECONDS = 60;

export interface ShownSecret {
  /** Null while the card is masked. */
  readonly secret: CardSecret | null;
  readonly show: (secret: CardSecret) => void;
  readonly hide: () => void;
}

/**
 * Number and CVV for as long as they may be seen: a minute, and no longer than the visitor looks at this window. They are
 * held here and nowhere else: neither a cache, nor storage, nor the page's address knows of them.
 */
export function useShownSecret(): ShownSecret {
  const [secret, setSecret] = useState<CardSecret | null>(null);
  const hide = useCallback(() => setSecret(null), []);
  const show = useCallback((told: CardSecret) => {
    // The visitor went elsewhere while it was on its way.
    if (document.visibilityState === 'visible') setSecret(told);
  }, []);
  useEffect(() => {
    if (secret === null) return;
    // At once: a page that is put away is not drawn again before it is kept as it stands.
    const mask = () => flushSync(() => setSecret(null));
    const timer = setTimeout(() => setSecret(null), SHOWN_SECONDS * 1_000);
    window.addEventListener('blur', mask);
    window.addEventListener('pagehide', mask);
    document.addEventListener('visibilitychange', mask);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('blur', mask);
      window.removeEventListener('pagehide', mask);
      document.removeEventListener('visibilitychange', mask);
    };
  }, [secret]);
  return { secret, show, hide };
}
