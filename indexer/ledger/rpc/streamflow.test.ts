import { createAssociatedTokenAccountIdempotent } from '@solana/spl-token';
import { Connection, PublicKey } from '@solana/web3.js';
import { SolanaStakingClient } from '@streamflow/staking';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER } from '../addresses.ts';
import { stakeEntryAddress } from '../stake-program/addresses.ts';
import { type LedgerUnderTest, startLedgerUnderTest } from '../testing/ledger-under-test.ts';
import { LOCK_SECONDS } from '../transactions.ts';
import { ledgerKeypair } from '../wallets.ts';

const STAKED = 25_000_000_000n;
const staker = ledgerKeypair('holder-2');
const wallet = staker.publicKey.toBase58();
/** The SDK brings its own copy of web3.js, whose Keypair differs in nothing but the name of a private member's class. */
type Invoker = Parameters<SolanaStakingClient['stake']>[1]['invoker'];

let ledger: LedgerUnderTest;
let client: SolanaStakingClient;

beforeAll(async () => {
  ledger = await startLedgerUnderTest();
  client = new SolanaStakingClient({ clusterUrl: ledger.server.url, commitment: 'confirmed', sendRate: 50 });
});
afterAll(async () => {
  expect(ledger.faults).toEqual([]);
  await ledger.close();
});

describe("Streamflow's SDK", () => {
  it('reads the pool, alone and among all', async () => {
    const pool = await client.getStakePool(LEDGER.stakePool);
    expect(pool.mint.toBase58()).toBe(LEDGER.mint);
    expect(pool.vault.toBase58()).toBe(LEDGER.stakeVault);
    const found = await client.searchStakePools({ mint: new PublicKey(LEDGER.mint) });
    expect(found.map(({ publicKey }) => publicKey.toBase58())).toEqual([LEDGER.stakePool]);
  });

  it('stakes, is confirmed, and reads the entry', async () => {
    const connection = new Connection(ledger.server.url, 'confirmed');
    // The SDK expects the account of the receipt tokens to be there.
    const receipts = new PublicKey(LEDGER.stakeMint);
    await createAssociatedTokenAccountIdempotent(connection, staker, receipts, staker.publicKey);
    const before = await client.getStakePool(LEDGER.stakePool);
    // A zero of the SDK's own number type, to make the others of.
    const zero = before.totalStake.muln(0);
    const { txId } = await client.stake(
      {
        amount: zero.addn(Number(STAKED / 1000n)).muln(1000),
        duration: zero.addn(Number(LOCK_SECONDS)),
        nonce: 77,
        stakePool: LEDGER.stakePool,
        stakePoolMint: LEDGER.mint,
      },
      { invoker: staker as unknown as Invoker },
    );
    const status = await connection.getSignatureStatus(txId);
    expect(status.value).toMatchObject({ err: null, confirmationStatus: 'confirmed' });

    const entry = await client.getStakeEntry(stakeEntryAddress(LEDGER.stakePool, wallet, 77));
    expect(entry?.amount.toString()).toBe(STAKED.toString());
    expect(entry?.authority.toBase58()).toBe(wallet);
    const own = await client.searchStakeEntries({ authority: staker.publicKey });
    expect(own.map(({ account }) => account.nonce)).toEqual([77]);
    const after = await client.getStakePool(LEDGER.stakePool);
    expect(after.totalStake.sub(before.totalStake).toString()).toBe(STAKED.toString());
  });
});
