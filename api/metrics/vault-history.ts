import { FRESHNESS } from '../../data/model/value-state.ts';
import type { IndexReader, IndexSnapshot, VaultWindow } from '../../data/store/ports.ts';

/** Windows, in hours, that the vault's growth is told over. */
export const GROWTH_HOURS = [6, 12, 18, 24] as const;

const HOUR_MS = 3_600_000;

/** The balance (base units) as it stood so many hours before the moment `asOf` (Unix ms); null where that is not known. */
export interface EarlierBalance {
  readonly hours: number;
  readonly balance: bigint | null;
  readonly asOf: number;
}

/** What the vault's figures need beyond its balance, counted back from the moment `asOf` (Unix ms). */
export interface VaultHistory {
  readonly asOf: number;
  readonly earlier: readonly EarlierBalance[];
  readonly last24h: VaultWindow;
}

/**
 * Milliseconds for which an earlier balance is told on where the next reading does not know it: whenever the vault moves,
 * its snapshot is ahead of its events for a moment.
 */
const TOLD_ON_MS = FRESHNESS.chain.limit;

/** Reads the vault's history as it stood at `asOf`; `before` is the last reading of the same index. */
export async function readVaultHistory(
  reader: Pick<IndexReader, 'vaultBalanceAt' | 'vaultMovements'>,
  asOf: number,
  before: VaultHistory | null,
): Promise<VaultHistory> {
  const moments = GROWTH_HOURS.map((hours) => asOf - hours * HOUR_MS);
  const [balances, last24h] = await Promise.all([
    reader.vaultBalanceAt(moments),
    reader.vaultMovements(asOf - 24 * HOUR_MS),
  ]);
  return {
    asOf,
    earlier: GROWTH_HOURS.map((hours, index) => {
      const balance = balances[index] ?? null;
      const last = before?.earlier[index];
      const isToldOn = balance === null && last !== undefined && Math.abs(asOf - last.asOf) < TOLD_ON_MS;
      return isToldOn ? last : { hours, balance, asOf };
    }),
    last24h,
  };
}

/** Whether the last 24 hours are indexed from end to end: sums of a part of them would be read as the whole. */
export function isComplete({ asOf, last24h }: VaultHistory): boolean {
  return last24h.reachesBack && last24h.until !== null && last24h.until >= asOf - FRESHNESS.chain.limit;
}

/** Milliseconds for which a history is used on while the vault itself does not move: its windows slide slowly. */
const SLIDE_MS = 5_000;

/** Tells the vault's state from another, without comparing every event. */
export function vaultMark(index: IndexSnapshot): string {
  const newest = index.recentEvents.find((event) => event.account === index.identity?.vault);
  return `${index.chain?.vaultBalance ?? ''} ${newest?.signature ?? ''}`;
}

/** Whether a history read before still serves a newer snapshot. */
export function stillServes(
  history: VaultHistory | null,
  mark: { readonly before: string; readonly now: string },
  readAt: number,
): boolean {
  return history !== null && mark.before === mark.now && Math.abs(readAt - history.asOf) < SLIDE_MS;
}
