// @module-tag slow
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import * as web3 from '@solana/web3.js';
import { SolanaStakingClient } from '@streamflow/staking';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildUnstake } from '../../data/contract/stake-order.ts';
import { LIGHTHOUSE_PROGRAM } from '../../data/model/solana-programs.ts';
import { STAKE_ENTRY } from '../../data/model/stake-layout.ts';
import {
  fund,
  type LedgerProcess,
  ledgerKeypair,
  sendToLedger,
  startLedger,
} from '../testing/ledger-process.ts';
import {
  LAMPORTS_PER_SOL,
  mint,
  type StakeClient,
  signTransaction,
  stakeInstructions,
  stakePool,
  startStakeClient,
  toPlain,
  UNITS_PER_BD,
} from './testing/stake-client.ts';

const DAYS_181_IN_SECONDS = 181 * 86_400;

let ledger: LedgerProcess;
let client: StakeClient;
beforeAll(async () => {
  ledger = await startLedger();
  client = await startStakeClient([ledger.url]);
});
afterAll(async () => {
  await client.portal.close();
  await ledger.stop();
});

const entryOf = (keypair: web3.Keypair, nonce: number) =>
  stakeInstructions.entryOf({ wallet: keypair.publicKey.toBase58(), nonce }).toBase58();

/** Creates a wallet with one stake per amount. The nonces are 0, 1, 2 and so on. */
async function createStaker(...amounts: readonly bigint[]): Promise<web3.Keypair> {
  const keypair = web3.Keypair.generate();
  const bd = amounts.reduce((sum, amount) => sum + amount, 0n);
  await fund(ledger.url, keypair.publicKey, { lamports: LAMPORTS_PER_SOL, bd });
  for (const [nonce, amount] of amounts.entries()) {
    const stake = stakeInstructions.build({ wallet: keypair.publicKey.toBase58(), nonce, amount });
    await sendToLedger(ledger.url, stake, [keypair]);
  }
  return keypair;
}

async function endLocks(): Promise<void> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'advanceClock',
    params: [DAYS_181_IN_SECONDS],
  });
  await fetch(ledger.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

describe('a withdrawal', () => {
  it('uses the same instruction as Streamflow’s SDK', async () => {
    const keypair = await createStaker(UNITS_PER_BD, UNITS_PER_BD);
    const sdk = new SolanaStakingClient({ clusterUrl: ledger.url });
    const { ixs } = await sdk.prepareUnstakeInstructions(
      { nonce: 1, stakePool, stakePoolMint: mint },
      { invoker: keypair as unknown as Parameters<typeof sdk.unstake>[1]['invoker'] },
    );
    const unstake = { wallet: keypair.publicKey.toBase58(), entry: entryOf(keypair, 1) };
    expect(stakeInstructions.buildUnstake(unstake).slice(1).map(toPlain)).toEqual(ixs.map(toPlain));
  });

  it('is refused with the unlock date while the lock lasts', async () => {
    const keypair = await createStaker(5n * UNITS_PER_BD);
    const { status, body } = await client.buildUnstake(keypair, entryOf(keypair, 0));
    expect([status, body.code]).toEqual([409, 'stake-locked']);
    const account = await new web3.Connection(ledger.url).getAccountInfo(
      new web3.PublicKey(entryOf(keypair, 0)),
    );
    const { createdAt = 0n, duration = 0n } = (account && STAKE_ENTRY.decode(account.data)) ?? {};
    const day = new Date(Number(createdAt + duration) * 1_000).toISOString().slice(0, 10);
    expect(body.error).toContain(day);
  });

  it('returns one stake to the wallet after the lock, costs what was shown, and works once', async () => {
    const keypair = await createStaker(5n * UNITS_PER_BD, 7n * UNITS_PER_BD + 1n);
    await endLocks();
    const connection = new web3.Connection(ledger.url, 'confirmed');
    for (const [nonce, amount, availableAfter] of [
      [1, '7.000001', '7.000001'],
      [0, '5', '12.000001'],
    ] as const) {
      const lamportsBefore = await connection.getBalance(keypair.publicKey);
      const { status, body } = await client.buildUnstake(keypair, entryOf(keypair, nonce));
      expect([status, body.error]).toEqual([200, undefined]);
      const built = buildUnstake.response.strict().parse(body);
      expect(built).toMatchObject({ amount, entry: entryOf(keypair, nonce), fee: '5000', rent: '0' });
      const bytes = signTransaction(built.transaction, keypair);
      const sentOnce = await client.submit(bytes);
      expect([sentOnce.status, sentOnce.body.error]).toEqual([200, undefined]);
      await expect
        .poll(async () => (await client.readAvailable(keypair)).body.available)
        .toBe(availableAfter);
      expect(lamportsBefore - (await connection.getBalance(keypair.publicKey))).toBe(5_000);
      // A retry is harmless, and a second withdrawal is refused.
      expect(await client.submit(bytes)).toEqual(sentOnce);
      expect((await client.buildUnstake(keypair, entryOf(keypair, nonce))).body.code).toBe('no-such-stake');
    }
  });

  it('opens the BD account again if the wallet has closed it, and says what that costs', async () => {
    const keypair = await createStaker(5n * UNITS_PER_BD);
    const wallet = keypair.publicKey;
    const { bdAccount } = stakeInstructions.accounts(wallet.toBase58());
    await sendToLedger(ledger.url, [createCloseAccountInstruction(bdAccount, wallet, wallet)], [keypair]);
    await endLocks();
    const { body } = await client.buildUnstake(keypair, entryOf(keypair, 0));
    expect(BigInt(body.rent)).toBeGreaterThan(1_000_000n);
    expect((await client.submit(signTransaction(body.transaction, keypair))).status).toBe(200);
    await expect.poll(async () => (await client.readAvailable(keypair)).body.available).toBe('5');
  });

  it('is refused without the receipt tokens', async () => {
    const keypair = await createStaker(5n * UNITS_PER_BD);
    const wallet = keypair.publicKey;
    const { receiptAccount, stakeMint } = stakeInstructions.accounts(wallet.toBase58());
    const buyer = ledgerKeypair('treasury').publicKey;
    const buyerAccount = getAssociatedTokenAddressSync(stakeMint, buyer);
    const open = createAssociatedTokenAccountIdempotentInstruction(wallet, buyerAccount, buyer, stakeMint);
    await sendToLedger(
      ledger.url,
      [open, createTransferInstruction(receiptAccount, buyerAccount, wallet, UNITS_PER_BD)],
      [keypair],
    );
    await endLocks();
    const { status, body } = await client.buildUnstake(keypair, entryOf(keypair, 0));
    expect([status, body.code]).toEqual([409, 'unstake-refused']);
  });

  it('is refused for another wallet’s stake, and for an address that is not a stake', async () => {
    const [keypair, other] = [await createStaker(5n * UNITS_PER_BD), await createStaker(5n * UNITS_PER_BD)];
    await endLocks();
    for (const entry of [entryOf(other, 0), entryOf(keypair, 1), stakePool, mint, 'So1111']) {
      const { status, body } = await client.buildUnstake(keypair, entry);
      expect([entry, status, body.code]).toEqual(
        entry.length < 32 ? [entry, 400, 'invalid-body'] : [entry, 409, 'no-such-stake'],
      );
    }
  });

  it('is sent only if it is what the portal builds, signed by its wallet', async () => {
    const keypair = await createStaker(5n * UNITS_PER_BD);
    const wallet = keypair.publicKey.toBase58();
    const [open, unstake] = stakeInstructions.buildUnstake({ wallet, entry: entryOf(keypair, 0) });
    if (!open || !unstake) throw new Error('The withdrawal does not have two instructions.');
    const closingUnstake = new web3.TransactionInstruction({ ...unstake, data: Buffer.from(unstake.data) });
    closingUnstake.data[9] = 1;
    const otherAccountUnstake = new web3.TransactionInstruction({ ...unstake, keys: [...unstake.keys] });
    otherAccountUnstake.keys[4] = {
      pubkey: stakeInstructions.accounts(wallet).receiptAccount,
      isSigner: false,
      isWritable: true,
    };
    for (const list of [
      [unstake],
      [open, closingUnstake],
      [open, otherAccountUnstake],
      [open, unstake, unstake],
    ]) {
      const { body } = await client.submit(await client.sign(list, [keypair]));
      expect(body.code).toBe('not-a-stake-of-this-portal');
    }
    const price = web3.ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 });
    for (const list of [
      [open, unstake],
      [price, open, unstake],
      [open, unstake, price],
    ]) {
      const earlyAnswer = await client.submit(await client.sign(list, [keypair]));
      expect([earlyAnswer.status, earlyAnswer.body.code]).toEqual([409, 'stake-locked']);
    }
    const programId = new web3.PublicKey(LIGHTHOUSE_PROGRAM);
    const assertion = new web3.TransactionInstruction({ programId, keys: [], data: Buffer.of(5) });
    const guardedAnswer = await client.submit(await client.sign([open, unstake, assertion], [keypair]));
    expect(guardedAnswer.body.code).not.toBe('not-a-stake-of-this-portal');
  });
});
