import { decimalText, type ScriptedCluster } from './scripted-cluster.ts';

export type Ask = (path: string) => Promise<{ readonly status: number; readonly body: never }>;

const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
const magnitudeText = (units: bigint): string => decimalText(units < 0n ? -units : units);
const LOCK_SECONDS = 180 * 86_400;

export function expectedFigures(cluster: ScriptedCluster) {
  const { movements } = cluster;
  const openEntries = cluster.openEntries();
  const vaultMovements = movements.filter(({ account }) => account === 'vault');
  const sum = (sign: 1 | -1) =>
    vaultMovements.reduce((total, { delta }) => (delta > 0n === sign > 0 ? total + delta : total), 0n);
  const rowOf = ({ delta, ...movement }: (typeof movements)[number]) => ({
    ...movement,
    amount: magnitudeText(delta),
  });
  const stakerWallets = [...new Set(openEntries.map(({ wallet }) => wallet))];
  const stakerOf = (wallet: string) => {
    const walletEntries = openEntries.filter((entry) => entry.wallet === wallet);
    const start = Math.max(...walletEntries.map(({ openedAt }) => openedAt));
    return {
      walletAddress: wallet,
      stakedAmount: decimalText(walletEntries.reduce((total, { amount }) => total + amount, 0n)),
      entries: walletEntries.length,
      startDate: iso(start),
      unlockDate: iso(start + LOCK_SECONDS),
      transactionCount: movements.filter((one) => one.wallet === wallet && /stake$/.test(one.type)).length,
    };
  };
  const endedStakes = cluster.entries.flatMap(({ wallet, amount, openedAt, openedBy, closed }) => {
    if (!closed) return [];
    const dates = { startDate: iso(openedAt), endDate: iso(closed.at) };
    return [{ wallet, amount: decimalText(amount), ...dates, openedBy, endedBy: closed.by }];
  });
  const allWallets = [...new Set(movements.flatMap(({ wallet }) => wallet ?? []))].toSorted();
  return {
    transactions: movements.map(rowOf).toSorted(byEventKey),
    vault: decimalText(cluster.balanceOf('vault')),
    metrics: {
      deposits24h: decimalText(sum(1)),
      withdrawals24h: decimalText(-sum(-1)),
      movements24h: vaultMovements.length,
    },
    staked: { balance: decimalText(cluster.totalStaked()), stakerCount: stakerWallets.length },
    stakers: stakerWallets.map(stakerOf).toSorted(compareBy('walletAddress')),
    ended: endedStakes.toSorted(compareBy('endedBy')),
    program: {
      totalAccounts: openEntries.length,
      totalValue: decimalText(cluster.totalStaked()),
      quarantined: 0,
    },
    positions: allWallets.map((wallet) => ({
      wallet,
      staked: decimalText(
        openEntries.reduce((total, one) => (one.wallet === wallet ? total + one.amount : total), 0n),
      ),
      isComplete: true,
      rows: movements
        .filter((one) => one.wallet === wallet)
        .map(rowOf)
        .toSorted(byEventKey),
    })),
  };
}

const compareBy =
  <K extends string>(key: K) =>
  (one: Readonly<Record<K, string>>, other: Readonly<Record<K, string>>): number =>
    one[key] < other[key] ? -1 : 1;
type EventKey = { readonly signature: string; readonly account: string; readonly part: number };
function byEventKey(one: EventKey, other: EventKey): number {
  const [left, right] = [one, other].map(({ signature, account, part }) => `${signature} ${account} ${part}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

export const pick = <T extends object, K extends keyof T>(object: T, ...keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, object?.[key]])) as Pick<T, K>;

export async function publishedFigures(ask: Ask, cluster: ScriptedCluster) {
  type Expected = ReturnType<typeof expectedFigures>;
  const comparableRows = (list: readonly (EventKey & { status: string })[]) =>
    Array.isArray(list) ? list.map(({ status: _, ...row }) => row).toSorted(byEventKey) : list;
  const bodyOf = async <T>(path: string): Promise<T> => (await ask(path)).body;
  const transfers = await bodyOf<{ ended: Expected['ended'] }>('/api/staking/transfers');
  const stakers = await bodyOf<Expected['stakers']>('/api/stakers/enhanced');
  const dateKeys = ['startDate', 'unlockDate'] as const;
  const stakerKeys = ['walletAddress', 'stakedAmount', 'entries', ...dateKeys, 'transactionCount'] as const;
  const metricKeys = ['deposits24h', 'withdrawals24h', 'movements24h'] as const;
  const programKeys = ['totalAccounts', 'totalValue', 'quarantined'] as const;
  const positions = expectedFigures(cluster).positions.map(async ({ wallet }) => {
    const { staked, transactions } = await bodyOf<{
      staked: string;
      transactions: { isComplete: boolean; rows: readonly (EventKey & { status: string })[] } | null;
    }>(`/api/wallet/position?walletAddress=${wallet}&limit=500`);
    return {
      wallet,
      staked,
      isComplete: transactions?.isComplete,
      rows: comparableRows(transactions?.rows ?? []),
    };
  });
  return {
    transactions: comparableRows(await bodyOf('/api/transactions')),
    vault: (await bodyOf<{ vaultBalance: string }>('/api/vault/live-balance')).vaultBalance,
    metrics: pick(await bodyOf<Expected['metrics']>('/api/vault/metrics'), ...metricKeys),
    staked: pick(await bodyOf<Expected['staked']>('/api/staking/total'), 'balance', 'stakerCount'),
    stakers: Array.isArray(stakers)
      ? stakers.map((one) => pick(one, ...stakerKeys)).toSorted(compareBy('walletAddress'))
      : stakers,
    ended: transfers.ended?.toSorted(compareBy('endedBy')),
    program: pick(await bodyOf<Expected['program']>('/api/staking/program-summary'), ...programKeys),
    positions: await Promise.all(positions),
  };
}
