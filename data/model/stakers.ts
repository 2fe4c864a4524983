/** A stake entry and the transaction that opened it. Amounts: base units. Times: Unix milliseconds. */
export interface StakeOfWallet {
  readonly wallet: string;
  /** The entry's number within its wallet. If two entries were opened at the same time, the newer one has the higher nonce. */
  readonly nonce: number;
  readonly amount: bigint;
  readonly createdAt: number;
  readonly unlocksAt: number;
  /** Null while the entry is open. */
  readonly closedAt: number | null;
  readonly openedBy: string | null;
}

/** A wallet with its open entries combined. */
export interface Staker {
  readonly wallet: string;
  readonly staked: bigint;
  readonly entryCount: number;
  /** When the wallet's lock began. Staking again restarts the lock, so this is when the newest entry was opened. */
  readonly lockedAt: number;
  /** When the last of the wallet's open entries unlocks. */
  readonly unlocksAt: number;
  /** The transaction that opened the newest entry; null if it is not indexed. */
  readonly openedBy: string | null;
}

const DAY_MS = 86_400_000;

function isNewer(one: StakeOfWallet, other: StakeOfWallet): boolean {
  return one.createdAt === other.createdAt ? one.nonce > other.nonce : one.createdAt > other.createdAt;
}

function toStaker(wallet: string, first: StakeOfWallet, open: readonly StakeOfWallet[]): Staker {
  let newest = first;
  let staked = 0n;
  let { unlocksAt } = first;
  for (const entry of open) {
    staked += entry.amount;
    unlocksAt = Math.max(unlocksAt, entry.unlocksAt);
    if (isNewer(entry, newest)) newest = entry;
  }
  const { createdAt: lockedAt, openedBy } = newest;
  return { wallet, staked, entryCount: open.length, lockedAt, unlocksAt, openedBy };
}

/** One staker for each wallet with an open entry, sorted by stake (largest first) and then by wallet. */
export function groupStakers(entries: Iterable<StakeOfWallet>): readonly Staker[] {
  const openByWallet = new Map<string, StakeOfWallet[]>();
  for (const entry of entries) {
    if (entry.closedAt !== null) continue;
    const open = openByWallet.get(entry.wallet);
    if (open) open.push(entry);
    else openByWallet.set(entry.wallet, [entry]);
  }
  const stakers: Staker[] = [];
  for (const [wallet, open] of openByWallet) {
    const [first] = open;
    if (first) stakers.push(toStaker(wallet, first, open));
  }
  return stakers.sort((one, other) =>
    one.staked === other.staked ? (one.wallet < other.wallet ? -1 : 1) : one.staked > other.staked ? -1 : 1,
  );
}

/** Whole days since a lock began; 0 if it begins in the future. */
export function stakingDays(lockedAt: number, now: number): number {
  return Math.max(0, Math.floor((now - lockedAt) / DAY_MS));
}

/** The time (Unix ms) at which the number of staking days next increases. */
export function nextStakingDay(lockedAt: number, now: number): number {
  return lockedAt + (stakingDays(lockedAt, now) + 1) * DAY_MS;
}
