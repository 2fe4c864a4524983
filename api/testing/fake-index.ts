import type { ChainEvent } from '../../data/store/chain-rows.ts';
import type {
  EndpointHealth,
  EventCursor,
  HistoryPoint,
  HistoryResolution,
  HistorySeries,
  IndexReader,
  IndexSnapshot,
  IndexStatistics,
  Stakes,
  VaultWindow,
  WalletEvents,
} from '../../data/store/ports.ts';

/** 2026-01-01T00:00:00Z in Unix ms: the time at which a test starts. */
export const TEST_START = 1_767_225_600_000;

const VAULT = 'G7usfsa1PD2hmkXpYw4YwBefwPD2rhggGrbHz6q5AJr2';
const STAKE_POOL = 'CQNNNiXR6o9mYRgJ4iAweQiTpiKuUdGP3VmJUNmcXi7V';
const POOL_VAULT = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const WALLET = 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota';

/** Different numbers give different signatures. */
export function vaultEvent(number: number, changes: Partial<ChainEvent> = {}): ChainEvent {
  return {
    signature: `5${'1'.repeat(80)}${String(number).padStart(7, '1').replaceAll('0', 'z')}`,
    account: VAULT,
    slot: 1_000 + number,
    position: 0,
    part: 0,
    blockTime: TEST_START + number * 1_000,
    kind: 'deposit',
    wallet: WALLET,
    delta: 1_500_000_000_000n,
    stakeEntry: null,
    status: 'confirmed',
    ...changes,
  };
}

export function healthyEndpoint(name: string, changes: Partial<EndpointHealth> = {}): EndpointHealth {
  return {
    name,
    active: true,
    state: 'active',
    latencyMs: 12.5,
    slot: 4_242,
    slotLag: 0,
    requestCount: 100,
    errorCount: 0,
    creditsPerDay: null,
    lastError: null,
    ...changes,
  };
}

/** An index with the published figures, read at `TEST_START`. */
export const SAMPLE_INDEX: IndexSnapshot = {
  identity: {
    genesisHash: '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY',
    mint: WALLET,
    vault: VAULT,
    stakePool: STAKE_POOL,
    poolVault: POOL_VAULT,
    decimals: 6,
  },
  chain: {
    slot: 4_242,
    readAt: TEST_START,
    clockDifference: 0,
    vaultBalance: 99_998_436_010_000n,
    vaultLamports: 2_039_280n,
    vaultProblem: null,
    totalStaked: 20_887_580_310_000n,
    poolVaultBalance: 20_887_580_310_000n,
    supply: 1_000_000_000_000_000n,
    stakerCount: 8,
    unreadEntries: 0,
    stakesProblem: null,
    entryChanges: 8,
  },
  holders: { slot: 4_200, wallets: 32, readAt: TEST_START - 30_000 },
  quote: {
    priceUsd: '0.0001137',
    priceChange24h: '-1.25',
    volume24h: '15000.5',
    liquidity: null,
    source: 'demo',
    readAt: TEST_START,
  },
  endpoints: [
    healthyEndpoint('one.example'),
    healthyEndpoint('two.example', {
      latencyMs: 20,
      slot: 4_240,
      slotLag: 2,
      errorCount: 1,
      lastError: 'timed out',
    }),
  ],
  endpointsReportedAt: TEST_START,
  recentEvents: [
    vaultEvent(2),
    vaultEvent(1, { kind: 'withdraw', delta: -250_000n, wallet: null, blockTime: null }),
  ],
  isHistoryCaughtUp: true,
  historyReadAt: TEST_START,
  hasCompleteHistory: true,
  reconciliation: { slot: 4_240, at: TEST_START - 60_000, differences: [] },
  lastAgreement: { slot: 4_240, at: TEST_START - 60_000 },
  alarms: [],
  quarantinedCount: 0,
};

export class FakeIndex implements IndexReader {
  snapshot: IndexSnapshot;
  movements: VaultWindow = {
    deposits: 2_000_000_000n,
    withdrawals: 500_000_000n,
    movements: 3,
    until: TEST_START,
    coversWindow: true,
  };
  /** The vault's balance at any earlier moment. */
  earlierBalance: bigint | null = 99_000_000_000_000n;
  /** `stakes` returns these, with at most `maxEnded` of the ended ones. */
  storedStakes: Stakes = { entries: [], ended: [], transactionCounts: new Map() };
  /** Points by series and resolution, such as `vault/hour`, oldest first. */
  readonly points = new Map<`${HistorySeries}/${HistoryResolution}`, readonly HistoryPoint[]>();
  storedStatistics: IndexStatistics = {
    events: { vault: 2, 'stake-pool': 0 },
    provisionalEvents: 2,
    quarantined: 0,
    alarms: 0,
    cursorSlot: 4_242,
  };
  readError: Error | null = null;
  /** If this and `writerFence` are set, the index behaves like one in PostgreSQL. */
  pool: IndexReader['pool'] = null;
  writerFence: IndexReader['writerFence'] = null;
  historyReads = 0;
  #version = 1;

  constructor(snapshot: IndexSnapshot = SAMPLE_INDEX) {
    this.snapshot = snapshot;
  }

  commit(changes: Partial<IndexSnapshot>): void {
    this.snapshot = { ...this.snapshot, ...changes };
    this.#version += 1;
  }

  commitChain(changes: Partial<NonNullable<IndexSnapshot['chain']>>): void {
    const chain = this.snapshot.chain ?? SAMPLE_INDEX.chain;
    if (chain) this.commit({ chain: { ...chain, ...changes } });
  }

  async dataVersion(): Promise<number> {
    if (this.readError) throw this.readError;
    return this.#version;
  }

  async latestSnapshot(recentEvents: number): Promise<IndexSnapshot> {
    if (this.readError) throw this.readError;
    return { ...this.snapshot, recentEvents: this.snapshot.recentEvents.slice(0, recentEvents) };
  }

  async vaultMovements(): Promise<VaultWindow> {
    this.historyReads += 1;
    return this.movements;
  }

  async vaultBalanceAt(moments: readonly number[]): Promise<readonly (bigint | null)[]> {
    return moments.map(() => this.earlierBalance);
  }

  async stakes(maxEnded: number): Promise<Stakes> {
    if (this.readError) throw this.readError;
    return { ...this.storedStakes, ended: this.storedStakes.ended.slice(0, maxEnded) };
  }

  /** Returns events from `recentEvents`. An event's `order` is its position in that list, counted from the end. */
  async walletEvents(wallet: string, limit: number, before: EventCursor | null): Promise<WalletEvents> {
    if (this.readError) throw this.readError;
    const { recentEvents } = this.snapshot;
    const orderedEvents = recentEvents.map((event, index) => ({ event, order: recentEvents.length - index }));
    const older = orderedEvents.filter(
      ({ event, order }) => event.wallet === wallet && order < (before?.order ?? Infinity),
    );
    const page = older.slice(0, limit);
    const last = page.at(-1);
    const hasMore = older.length > limit;
    return {
      events: page.map(({ event, order }) => ({ ...event, order, historyTime: event.blockTime })),
      next:
        last && hasMore ? { slot: last.event.slot, position: last.event.position, order: last.order } : null,
    };
  }

  async history(
    series: HistorySeries,
    resolution: HistoryResolution,
    since: number,
  ): Promise<readonly HistoryPoint[]> {
    if (this.readError) throw this.readError;
    const points = this.points.get(`${series}/${resolution}`) ?? [];
    const startIndex = points.findIndex(({ at }) => at >= since);
    return startIndex < 0 ? points.slice(-1) : points.slice(Math.max(0, startIndex - 1));
  }

  async statistics(): Promise<IndexStatistics> {
    if (this.readError) throw this.readError;
    return this.storedStatistics;
  }

  async close(): Promise<void> {}
}
