import { EventEmitter, once } from 'node:events';
import type { ChainSnapshot } from '../../data/store/chain-rows.ts';

export type LoopProgress = ReturnType<typeof createLoopProgress>;

/** Tracks how far the chain loop has read, for scheduled jobs that wait for it. */
export function createLoopProgress() {
  const steps = new EventEmitter();
  let newestSnapshot: ChainSnapshot | null = null;
  let indexedUpToSlot: number | null = null;
  let wantedSlot: number | null = null;
  let stepCount = 0;
  const step = (): void => {
    stepCount += 1;
    steps.emit('step');
  };
  return {
    noteSnapshot(snapshot: ChainSnapshot): void {
      newestSnapshot = snapshot;
      step();
    },
    /** Records the finalized slot up to which every transaction is indexed or quarantined. */
    noteHistoryRead(upToFinalizedSlot: number): void {
      indexedUpToSlot = Math.max(indexedUpToSlot ?? 0, upToFinalizedSlot);
      step();
    },
    /** Asks the loop to read the history up to a slot soon. */
    wantHistory(slot: number): void {
      wantedSlot = Math.max(wantedSlot ?? 0, slot);
    },
    /** The highest slot passed to `wantHistory`; null once the history has been read up to that slot. */
    wantedSlot: (): number | null =>
      wantedSlot !== null && wantedSlot > (indexedUpToSlot ?? -1) ? wantedSlot : null,
    newestSnapshot: (): ChainSnapshot | null => newestSnapshot,
    /** The slot up to which the history has been read; null until the history has been read for the first time. */
    indexedUpToSlot: (): number | null => indexedUpToSlot,
    /**
     * Waits for a condition, which is checked after each step of the loop.
     * @returns whether the condition became true in time
     * @throws the signal's reason if it aborts
     */
    async waitUntil(
      isMet: () => boolean | Promise<boolean>,
      withinMs: number,
      signal: AbortSignal,
    ): Promise<boolean> {
      const combinedSignal = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
      while (!combinedSignal.aborted) {
        const before = stepCount;
        if (await isMet()) return true;
        if (stepCount !== before) continue;
        await once(steps, 'step', { signal: combinedSignal }).catch((error: unknown) => {
          if (!combinedSignal.aborted) throw error;
        });
      }
      signal.throwIfAborted();
      return isMet();
    },
  };
}
