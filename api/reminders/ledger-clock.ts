import type { CurrentStakes } from '../staking/current-stakes.ts';

const READ_TIMEOUT_MS = 2_000;

/** The clock of on-chain programs on the embedded ledger. `npm run ledger -- advance` sets it ahead of the actual time. */
export interface LedgerClock {
  /** Reads how far the clock is ahead. If that fails, keeps the last known value. Never throws. */
  read(): Promise<void>;
  /** The stakes, with their read time converted to the programs' clock. */
  inProgramTime(stakes: CurrentStakes | null): CurrentStakes | null;
}

export function createLedgerClock(url: string, now: () => number): LedgerClock {
  let aheadMs = 0;
  return {
    read: async () => {
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          // Advancing the clock by 0 seconds returns its time.
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'advanceClock', params: [0] }),
          signal: AbortSignal.timeout(READ_TIMEOUT_MS),
        });
        const { result } = await response.json();
        // The ledger's clock shows the start of the current block, so it can be up to a second behind. It then counts as 0 ms
        // ahead.
        if (Number.isSafeInteger(result)) aheadMs = Math.max(0, result * 1_000 - now());
      } catch {
        // The ledger is starting or stopping.
      }
    },
    inProgramTime: (stakes) => stakes && { ...stakes, readAt: stakes.readAt + aheadMs },
  };
}
