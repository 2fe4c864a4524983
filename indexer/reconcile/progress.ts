import { EventEmitter, once } from 'node:events';
import type { ChainSnapshot } from '../../data/store/chain-rows.ts';

/** How far the loops have come, as they tell it, for who waits for it. */
export interface Progress {
  /** The accounts were committed as they stood at a slot. */
  snapshotCommitted(snapshot: ChainSnapshot): void;
  /** Every transaction up to a finalized slot is indexed for good. */
  historyRead(upToFinalizedSlot: number): void;
  /** The newest snapshot, null before the first. */
  newestSnapshot(): ChainSnapshot | null;
  /** The slot up to which the history is read, null before it is. */
  readSlot(): number | null;
  /**
   * Waits until it is so, asking again after each step of the loops.
   * @returns whether it is; not so where it is not within the time
   * @throws the signal's reason where it aborts
   */
  waitUntil(isSo: () => boolean | Promise<boolean>, withinMs: number, signal: AbortSignal): Promise<boolean>;
}

export function createProgress(): Progress {
  const news = new EventEmitter();
  let newest: ChainSnapshot | null = null;
  let read: number | null = null;
  let steps = 0;
  news.on('step', () => {
    steps += 1;
  });
  return {
    snapshotCommitted(snapshot) {
      newest = snapshot;
      news.emit('step');
    },
    historyRead(upToFinalizedSlot) {
      read = Math.max(read ?? 0, upToFinalizedSlot);
      news.emit('step');
    },
    newestSnapshot: () => newest,
    readSlot: () => read,
    async waitUntil(isSo, withinMs, signal) {
      const timeout = AbortSignal.timeout(withinMs);
      const either = AbortSignal.any([signal, timeout]);
      while (!either.aborted) {
        const asked = steps;
        if (await isSo()) return true;
        if (steps !== asked) continue;
        await once(news, 'step', { signal: either }).catch((error: unknown) => {
          if (!either.aborted) throw error;
        });
      }
      signal.throwIfAborted();
      return isSo();
    },
  };
}
