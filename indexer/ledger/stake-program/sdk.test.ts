// @module-tag slow
import { createAssociatedTokenAccountIdempotent } from '@solana/spl-token';
import { Connection, PublicKey } from '@solana/web3.js';
import {
  deriveStakeEntryPDA,
  deriveStakeMintPDA,
  deriveStakePoolPDA,
  deriveStakeVaultPDA,
  SolanaStakingClient,
} from '@streamflow/staking';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STAKING_PROGRAM } from '../../../data/model/staking-terms.ts';
import {
  LEDGER,
  ledgerKeypair,
  rentSponsorAddress,
  STAKE_POOL_NONCE,
  stakeEntryAddress,
} from '../addresses.ts';
import { type ServedLedger, startServedLedger } from '../testing/test-ledger.ts';
import { LOCK_SECONDS } from '../transactions.ts';
import { encodeStake, encodeUnstake, STAKE_ERRORS } from './idl.ts';

/** The endpoint is never called. */
const { stakePoolProgram } = new SolanaStakingClient({ clusterUrl: 'http://127.0.0.1:1' }).programs;

describe('accounts of the stake program', () => {
  it('have the addresses that the SDK derives', () => {
    const program = new PublicKey(STAKING_PROGRAM);
    const poolKey = new PublicKey(LEDGER.stakePool);
    const derived = deriveStakePoolPDA(
      program,
      new PublicKey(LEDGER.mint),
      new PublicKey(LEDGER.creator),
      STAKE_POOL_NONCE,
    );
    expect(String(derived)).toBe(LEDGER.stakePool);
    expect(String(deriveStakeVaultPDA(program, poolKey))).toBe(LEDGER.stakeVault);
    expect(String(deriveStakeMintPDA(program, poolKey))).toBe(LEDGER.stakeMint);
    expect(String(deriveStakeEntryPDA(program, poolKey, new PublicKey(LEDGER.vaultOwner), 70_000))).toBe(
      stakeEntryAddress(LEDGER.stakePool, LEDGER.vaultOwner, 70_000),
    );
    const [sponsor] = PublicKey.findProgramAddressSync([Buffer.from('rent-sponsor')], program);
    expect(String(sponsor)).toBe(rentSponsorAddress());
  });
});

describe('errors of the stake program', () => {
  it('have the codes and messages of the IDL', () => {
    const own = Object.entries(STAKE_ERRORS).filter(([, { code }]) => code >= 6_000);
    const published = new Map<number, { name: string; msg: string }>(
      stakePoolProgram.idl.errors.map(({ code, name, msg }) => [code, { name, msg }]),
    );
    for (const [name, { code, message }] of own) {
      const { name: publishedName = '', msg } = published.get(code) ?? {};
      expect([publishedName.toLowerCase(), msg]).toEqual([name.toLowerCase(), message]);
    }
    expect(own).toHaveLength(11);
  });
});

describe('instruction data', () => {
  it('consists of the published discriminator and the arguments', () => {
    expect([...encodeStake(1, 2n, 3n)]).toEqual([
      206, 176, 202, 18, 200, 209, 179, 108, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
    ]);
    expect([...encodeUnstake(true)]).toEqual([90, 95, 107, 42, 205, 124, 50, 225, 1, 1]);
  });
});

describe('the SDK over JSON-RPC', () => {
  const STAKED = 25_000_000_000n;
  const staker = ledgerKeypair('holder-2');
  const wallet = staker.publicKey.toBase58();
  /** The SDK has its own copy of web3.js, with its own Keypair class. */
  type Invoker = Parameters<SolanaStakingClient['stake']>[1]['invoker'];

  let ledger: ServedLedger;
  let client: SolanaStakingClient;

  beforeAll(async () => {
    ledger = await startServedLedger();
    client = new SolanaStakingClient({
      clusterUrl: ledger.server.url,
      commitment: 'confirmed',
      sendRate: 50,
    });
  });
  afterAll(async () => {
    expect(ledger.errors).toEqual([]);
    await ledger.close();
  });

  it('reads the pool by address and by mint', async () => {
    const pool = await client.getStakePool(LEDGER.stakePool);
    expect(pool.mint.toBase58()).toBe(LEDGER.mint);
    expect(pool.vault.toBase58()).toBe(LEDGER.stakeVault);
    const found = await client.searchStakePools({ mint: new PublicKey(LEDGER.mint) });
    expect(found.map(({ publicKey }) => publicKey.toBase58())).toEqual([LEDGER.stakePool]);
  });

  it('stakes, confirms and reads the entry', async () => {
    const connection = new Connection(ledger.server.url, 'confirmed');
    // The SDK expects the receipt token account to exist.
    const receipts = new PublicKey(LEDGER.stakeMint);
    await createAssociatedTokenAccountIdempotent(connection, staker, receipts, staker.publicKey);
    const before = await client.getStakePool(LEDGER.stakePool);
    // The SDK's own class of big numbers. Its `addn` takes at most 26 bits, so the amount is added in thousands.
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
