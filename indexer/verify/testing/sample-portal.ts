import type { ChainAccounts, OpenEntry } from '../chain-accounts.ts';
import type { ChainEvent } from '../chain-events.ts';
import type { ChainReading } from '../chain-reading.ts';
import type { Check } from '../checks.ts';
import { compareInRounds, type Verdict } from '../rounds.ts';

export function poolEvent(event: Partial<ChainEvent>): ChainEvent {
  return {
    signature: 'signature',
    account: 'stake-pool',
    part: 0,
    slot: 1,
    blockTime: 1_000,
    type: 'stake',
    change: 1n,
    wallet: null,
    stakeEntry: null,
    ...event,
  };
}

export function sampleOpenEntry(entry: Partial<OpenEntry>): OpenEntry {
  const times = { startsAt: 0n, unlocksAt: 0n };
  return { address: 'entry', wallet: 'alice', nonce: 0, amount: 1n, ...times, ...entry };
}

export function sampleChain({
  accounts,
  ...reading
}: Partial<Omit<ChainReading, 'accounts'>> & {
  readonly accounts?: Partial<ChainAccounts>;
}): ChainReading {
  return {
    addresses: { mint: 'mint', vault: 'vault', stakePool: 'pool' },
    accounts: {
      slot: 100,
      decimals: 0,
      supply: 0n,
      vaultAmount: 0n,
      vaultLamports: 0,
      poolVault: 'pool vault',
      poolVaultAmount: 0n,
      totalStake: 0n,
      openEntries: [],
      unreadEntryCount: 0,
      ...accounts,
    },
    holders: null,
    holdings: new Map(),
    vaultEvents: [],
    poolEvents: [],
    alarms: [],
    slot: 100,
    ...reading,
  };
}

/** The verdict of a check if the portal answers only the given calls and the chain does not change. */
export async function verdictOn(
  check: Check | undefined,
  bodies: Readonly<Record<string, unknown>>,
  chain: ChainReading,
): Promise<Verdict> {
  if (!check) throw new Error('There is no such check');
  const [finding] = await compareInRounds({
    checks: [check],
    portal: {
      read: async () => ({
        answer: (call) =>
          call in bodies ? { kind: 'body', body: bodies[call] } : { kind: 'none', reason: 'HTTP 503' },
        wallets: [],
      }),
    },
    chain: { read: async () => chain },
    pause: async () => {},
  });
  if (!finding) throw new Error('There is no verdict');
  return finding.verdict;
}
