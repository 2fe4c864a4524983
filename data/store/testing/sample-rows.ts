import type { ChainEvent, ChainSnapshot, IndexIdentity, MarketQuote, StakeEntryRow } from '../chain-rows.ts';
import type { EndpointHealth, EventBatch } from '../ports.ts';

/** The most base units that a token account can hold: 2^64 − 1. */
export const LARGEST_AMOUNT = 2n ** 64n - 1n;

export const IDENTITY: IndexIdentity = {
  genesisHash: 'genesis',
  mint: 'mint',
  vault: 'vault',
  stakePool: 'pool',
  poolVault: 'poolVault',
  decimals: 6,
};

/** A finalized deposit into the vault. */
export function sampleEvent(slot: number, changes: Partial<ChainEvent> = {}): ChainEvent {
  return {
    signature: `signature-${slot}`,
    account: IDENTITY.vault,
    slot,
    position: 0,
    part: 0,
    blockTime: slot * 1_000,
    kind: 'deposit',
    wallet: 'wallet',
    delta: 1_000n,
    stakeEntry: null,
    status: 'finalized',
    ...changes,
  };
}

/** A batch with the cursor at its last event. */
export function sampleBatch(events: readonly ChainEvent[], caughtUpAt?: number): EventBatch {
  const last = events.at(-1);
  if (last === undefined) throw new RangeError('A batch without events needs a cursor of its own.');
  const { account, signature, slot } = last;
  return {
    account,
    events,
    cursor: { account, signature, slot },
    ...(caughtUpAt === undefined ? {} : { caughtUpAt }),
  };
}

export function sampleEntry(address: string, changes: Partial<StakeEntryRow> = {}): StakeEntryRow {
  return {
    address,
    wallet: `wallet of ${address}`,
    nonce: 0,
    amount: 1_500_000_000_000n,
    effectiveAmount: 1_500_000_000_000n,
    createdAt: 1_000,
    unlocksAt: 2_000,
    closedAt: null,
    ...changes,
  };
}

export function sampleSnapshot(slot: number, changes: Partial<ChainSnapshot> = {}): ChainSnapshot {
  return {
    slot,
    readAt: slot * 1_000,
    clockDifference: 0,
    vaultBalance: 99_998_436_010_000n,
    vaultLamports: 2_039_280n,
    vaultProblem: null,
    totalStaked: 20_887_580_310_000n,
    poolVaultBalance: 20_887_580_310_000n,
    supply: 1_000_000_000_000_000n,
    entries: [],
    unreadEntries: 0,
    stakesProblem: null,
    ...changes,
  };
}

export function sampleQuote(priceUsd: string, readAt: number, source = 'demo'): MarketQuote {
  return { priceUsd, priceChange24h: null, volume24h: null, liquidity: null, source, readAt };
}

export function sampleEndpoint(name: string, changes: Partial<EndpointHealth> = {}): EndpointHealth {
  return {
    name,
    active: false,
    state: 'backoff',
    latencyMs: null,
    slot: null,
    slotLag: null,
    requestCount: 0,
    errorCount: 0,
    creditsPerDay: null,
    lastError: null,
    ...changes,
  };
}
