import type { ChainEvent, IndexReader, IndexSnapshot, VaultWindow } from '../../data/store/ports.ts';

/** 2026-01-01T00:00:00Z, in Unix milliseconds: the start of a test's time. */
export const TEST_START = 1_767_225_600_000;

const VAULT = 'G7usfsa1PD2hmkXpYw4YwBefwPD2rhggGrbHz6q5AJr2';
const STAKE_POOL = 'CQNNNiXR6o9mYRgJ4iAweQiTpiKuUdGP3VmJUNmcXi7V';
const POOL_VAULT = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const WALLET = 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota';

/** A movement of the vault; each number makes another signature. */
export function vaultEvent(number: number, changes: Partial<ChainEvent> = {}): ChainEvent {
  return {
    signature: `5${'1'.repeat(80)}${String(number).padStart(7, '1').replaceAll('0', 'z')}`,
    account: VAULT,
    slot: 1_000 + number,
    position: 0,
    blockTime: TEST_START + number * 1_000,
    kind: 'deposit',
    wallet: WALLET,
    delta: 1_500_000_000_000n,
    status: 'confirmed',
    ...changes,
  };
}

/** An index that holds the published figures, read at `TEST_START`. */
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
    vaultBalance: 99_998_436_010_000n,
    vaultLamports: 2_039_280n,
    totalStaked: 20_887_580_310_000n,
    supply: 1_000_000_000_000_000n,
    stakerCount: 8,
  },
  quote: {
    priceUsd: '0.0001137',
    priceChange24h: '-1.25',
    volume24h: '15000.5',
    liquidity: null,
    source: 'demo',
    readAt: TEST_START,
  },
  endpoints: [
    { name: 'one.example', active: true, latencyMs: 12.5, slot: 4_242, errorCount: 0, lastError: null },
    { name: 'two.example', active: true, latencyMs: 20, slot: 4_240, errorCount: 1, lastError: 'timed out' },
  ],
  endpointsReportedAt: TEST_START,
  recentEvents: [
    vaultEvent(2),
    vaultEvent(1, { kind: 'withdraw', delta: -250_000n, wallet: null, blockTime: null }),
  ],
  isHistoryRead: true,
};

/** An index in memory that a test changes by hand, behind the reading port. */
export class FakeIndex implements IndexReader {
  index: IndexSnapshot;
  movements: VaultWindow = {
    deposits: 2_000_000_000n,
    withdrawals: 500_000_000n,
    movements: 3,
    until: TEST_START,
    reachesBack: true,
  };
  /** The vault's balance at any earlier moment. */
  earlierBalance: bigint | null = 99_000_000_000_000n;
  /** Set to make every read fail. */
  fault: Error | null = null;
  historyReads = 0;
  #version = 1;

  constructor(index: IndexSnapshot = SAMPLE_INDEX) {
    this.index = index;
  }

  /** A commit of the writer. */
  commit(changes: Partial<IndexSnapshot>): void {
    this.index = { ...this.index, ...changes };
    this.#version += 1;
  }

  /** A commit that changes the account snapshot. */
  commitChain(changes: Partial<NonNullable<IndexSnapshot['chain']>>): void {
    const chain = this.index.chain ?? SAMPLE_INDEX.chain;
    if (chain) this.commit({ chain: { ...chain, ...changes } });
  }

  async dataVersion(): Promise<number> {
    if (this.fault) throw this.fault;
    return this.#version;
  }

  async latestSnapshot(recentEvents: number): Promise<IndexSnapshot> {
    if (this.fault) throw this.fault;
    return { ...this.index, recentEvents: this.index.recentEvents.slice(0, recentEvents) };
  }

  async vaultMovements(): Promise<VaultWindow> {
    this.historyReads += 1;
    return this.movements;
  }

  async vaultBalanceAt(moments: readonly number[]): Promise<readonly (bigint | null)[]> {
    return moments.map(() => this.earlierBalance);
  }

  async stakeEntries() {
    return [];
  }

  async close(): Promise<void> {}
}
