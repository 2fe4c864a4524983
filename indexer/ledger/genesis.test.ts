import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { EMBEDDED_ADDRESSES } from '../../data/config/environment.ts';
import { DEMO_WALLETS } from '../../data/model/demo-wallets.ts';
import { STAKE_ENTRY, STAKE_POOL, type StakeEntry } from '../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { BD_DECIMALS, HOLDER_NAMES, LEDGER, ledgerAddress } from './addresses.ts';
import type { LedgerChain } from './chain.ts';
import { LAMPORTS_PER_SOL, TOTAL_SUPPLY } from './genesis.ts';
import { VAULT_BALANCE_AT_START } from './history.ts';
import { openChain } from './open-chain.ts';
import { openTestLedger, signatureHistoryOf, TEST_START, tokenAmount } from './testing/test-ledger.ts';
import { bdAccountOf } from './transactions.ts';

const { chain } = openTestLedger({ history: true });
const signatures = [...everySignature(chain)];

function* everySignature(ledgerChain: LedgerChain): Iterable<string> {
  const demo = DEMO_WALLETS.map(({ name }) => name);
  const names = ['faucet', 'creator', 'treasury', 'vault-owner', ...HOLDER_NAMES, ...demo].map(ledgerAddress);
  const all = names.flatMap((address) => signatureHistoryOf(ledgerChain, address));
  yield* new Set(
    all.toSorted((a, b) => a.slot - b.slot || a.position - b.position).map((row) => row.signature),
  );
}

function openEntries(): StakeEntry[] {
  return [...chain.programAccounts(STAKING_PROGRAM)].flatMap(([, account]) => {
    const entry = STAKE_ENTRY.decode(account.data);
    return entry !== null && entry.closedAt === 0n ? [entry] : [];
  });
}

function stakedByWallet(): bigint[] {
  const staked = new Map<string, bigint>();
  for (const { authority, amount } of openEntries()) {
    staked.set(authority, (staked.get(authority) ?? 0n) + amount);
  }
  return [...staked.values()];
}

function digest(ledgerChain: LedgerChain): string {
  const hash = createHash('sha256').update(ledgerChain.genesisHash);
  const accounts = [
    ...ledgerChain.programAccounts(STAKING_PROGRAM),
    ...ledgerChain.tokenAccounts({ mint: LEDGER.mint }),
  ];
  for (const [address, account] of accounts.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${address}:${account.lamports}`).update(account.data);
  }
  for (const signature of everySignature(ledgerChain)) hash.update(signature);
  return hash.digest('hex');
}

describe('a new ledger', () => {
  it('has the default addresses of the configuration', () => {
    expect({ mint: LEDGER.mint, vault: LEDGER.vault, stakePool: LEDGER.stakePool }).toEqual(
      EMBEDDED_ADDRESSES,
    );
  });

  it('holds 99,998,436.01 BD in the vault and 20,887,580.31 BD in the stake pool', () => {
    const pool = STAKE_POOL.decode(chain.account(LEDGER.stakePool)?.data ?? new Uint8Array());
    expect(tokenAmount(chain, LEDGER.vault)).toBe(99_998_436_010_000n);
    expect(VAULT_BALANCE_AT_START).toBe(99_998_436_010_000n);
    expect(tokenAmount(chain, LEDGER.stakeVault)).toBe(20_887_580_310_000n);
    expect(pool?.totalStake).toBe(20_887_580_310_000n);
    expect(pool?.totalEffectiveStake).toBe(20_887_580_310_000n * 1_000_000_000n);
  });

  it('has 8 stakers across all card tiers, one of them with two stakes', () => {
    const staked = stakedByWallet();
    const wholeBd = staked.map((amount) => Number(amount / 10n ** BigInt(BD_DECIMALS)));
    expect(staked).toHaveLength(8);
    expect(openEntries()).toHaveLength(9);
    expect(wholeBd.filter((bd) => bd >= 7_500_000)).toHaveLength(1);
    expect(wholeBd.filter((bd) => bd >= 5_000_000 && bd < 7_500_000)).toHaveLength(1);
    expect(wholeBd.filter((bd) => bd >= 1_500_000 && bd < 5_000_000)).toHaveLength(3);
    expect(wholeBd.filter((bd) => bd < 1_500_000)).toHaveLength(3);
  });

  it('gives each demo wallet the stake, BD and SOL listed in `DEMO_WALLETS`', () => {
    for (const { name, stakedBd, heldBd, sol } of DEMO_WALLETS) {
      const address = ledgerAddress(name);
      const own = openEntries().filter(({ authority }) => authority === address);
      expect(own.map(({ amount }) => amount)).toEqual(stakedBd > 0n ? [stakedBd * 1_000_000n] : []);
      expect(tokenAmount(chain, bdAccountOf(address))).toBe(heldBd * 1_000_000n);
      const spent = sol * LAMPORTS_PER_SOL - (chain.account(address)?.lamports ?? 0n);
      expect(spent).toBeGreaterThanOrEqual(0n);
      expect(spent).toBeLessThan(LAMPORTS_PER_SOL / 10n);
    }
  });

  it('has locked and unlocked stakes', () => {
    const ends = openEntries().map((entry) => Number(entry.createdAt + entry.duration) * 1_000);
    expect(ends.some((end) => end > TEST_START)).toBe(true);
    expect(ends.some((end) => end <= TEST_START)).toBe(true);
  });

  it('has exactly one billion BD, and nobody can mint more', () => {
    const mint = chain.account(LEDGER.mint);
    const held = [...chain.tokenAccounts({ mint: LEDGER.mint })].map(([address]) =>
      tokenAmount(chain, address),
    );
    expect(TOTAL_SUPPLY).toBe(1_000_000_000_000_000n);
    expect(Buffer.from(mint?.data ?? []).readBigUInt64LE(36)).toBe(TOTAL_SUPPLY);
    expect(held.reduce((sum, amount) => sum + amount, 0n)).toBe(TOTAL_SUPPLY);
    // The option tags of the mint authority and the freeze authority; 0 means that there is none.
    expect([mint?.data[0], mint?.data[46]]).toEqual([0, 0]);
  });

  it('has a history of more than half a year without failed transactions', () => {
    const past = signatures.map((signature) => chain.transaction(signature));
    expect(past.length).toBeGreaterThan(300);
    expect(past.every((transaction) => transaction?.err === null)).toBe(true);
    const times = past.map((transaction) => transaction?.blockTime ?? 0);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(TEST_START / 1_000 - (times[0] ?? 0)).toBeGreaterThan(180 * 86_400);
    expect(TEST_START / 1_000 - (times.at(-1) ?? 0)).toBeLessThan(2 * 3_600);
  });

  it('is identical for the same start time, including every signature', () => {
    expect(digest(openChain({ file: ':memory:', now: () => TEST_START }))).toBe(digest(chain));
  });

  it('has a different genesis hash for a different start time', () => {
    const other = openChain({ file: ':memory:', now: () => TEST_START + 1, withHistory: false });
    expect(other.genesisHash).not.toBe(chain.genesisHash);
  });
});
