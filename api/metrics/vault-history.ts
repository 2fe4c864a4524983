import { FRESHNESS } from '../../data/model/value-state.ts';
import type { IndexReader, IndexSnapshot, VaultWindow } from '../../data/store/ports.ts';

export const GROWTH_HOURS = [6, 12, 18, 24] as const;

const HOUR_MS = 3_600_000;

/** The balance (base units) `hours` hours before `asOf` (Unix ms); null if unknown. */
interface EarlierBalance {
  readonly hours: number;
  readonly balance: bigint | null;
  readonly asOf: number;
}

export interface RecentVaultHistory {
  readonly asOf: number;
  readonly earlierBalances: readonly EarlierBalance[];
  readonly last24h: VaultWindow;
}

/**
 * How long an earlier balance is reused if the next read does not find it. That can happen when the vault changes, because the
 * snapshot is then briefly ahead of the events.
 */
const REUSE_MS = FRESHNESS.chain.limitMs;

/** @param asOf Unix ms @param previous the last read of the same index */
export async function readVaultHistory(
  reader: Pick<IndexReader, 'vaultBalanceAt' | 'vaultMovements'>,
  asOf: number,
  previous: RecentVaultHistory | null,
): Promise<RecentVaultHistory> {
  const moments = GROWTH_HOURS.map((hours) => asOf - hours * HOUR_MS);
  const [balances, last24h] = await Promise.all([
    reader.vaultBalanceAt(moments),
    reader.vaultMovements(asOf - 24 * HOUR_MS),
  ]);
  return {
    asOf,
    earlierBalances: GROWTH_HOURS.map((hours, index) => {
      const balance = balances[index] ?? null;
      const previousBalance = previous?.earlierBalances[index];
      const isReused =
        balance === null && previousBalance !== undefined && Math.abs(asOf - previousBalance.asOf) < REUSE_MS;
      return isReused ? previousBalance : { hours, balance, asOf };
    }),
    last24h,
  };
}

/** Whether the last 24 hours are completely indexed, so that their sums are correct. */
export function isVaultHistoryComplete({ asOf, last24h }: RecentVaultHistory): boolean {
  return last24h.coversWindow && last24h.until !== null && last24h.until >= asOf - FRESHNESS.chain.limitMs;
}

/** How long a history is reused while the vault does not change. */
const UNCHANGED_REUSE_MS = 5_000;

/** A text that changes whenever the vault changes. Comparing it is cheaper than comparing every event. */
export function vaultFingerprint(index: IndexSnapshot): string {
  const newest = index.recentEvents.find((event) => event.account === index.identity?.vault);
  return `${index.chain?.vaultBalance ?? ''} ${newest?.signature ?? ''}`;
}

export function isVaultHistoryReusable(
  history: RecentVaultHistory | null,
  fingerprints: { readonly before: string; readonly now: string },
  readAt: number,
): boolean {
  return (
    history !== null &&
    fingerprints.before === fingerprints.now &&
    Math.abs(readAt - history.asOf) < UNCHANGED_REUSE_MS
  );
}
