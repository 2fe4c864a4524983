import type { ProgramMessage } from '../data/runtime/supervised.ts';

export interface Readiness {
  /** The index holds a snapshot of the chain at this slot. */
  reached(slot: number): void;
  /** Stops waiting. */
  cancel(): void;
}

/**
 * Tells the parent once that the indexer works: at the first snapshot, or after `patienceMs` without one,
 * since the portal is of use (with figures marked as unknown) while the chain is out of reach.
 */
export function announceReadiness(tell: (message: ProgramMessage) => void, patienceMs: number): Readiness {
  let isTold = false;
  const once = (details: Readonly<Record<string, string | number>>): void => {
    clearTimeout(timer);
    if (isTold) return;
    isTold = true;
    tell({ type: 'ready', details });
  };
  const timer = setTimeout(
    () => once({ note: 'the chain is not reached yet; the indexer keeps trying' }),
    patienceMs,
  );
  return { reached: (slot) => once({ slot }), cancel: () => clearTimeout(timer) };
}
