import {
  createHarvestWithheldTokensToMintInstruction,
  createTransferCheckedInstruction,
  createTransferCheckedWithFeeInstruction,
  createWithdrawWithheldTokensFromAccountsInstruction,
} from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOKEN_2022_PROGRAM } from './addresses.ts';
import { type LedgerToRead, startLedgerToRead } from './testing/read-back.ts';
import { DECIMALS, makeTokenWorld, type TokenWorld } from './testing/token-world.ts';

const PROGRAM = new PublicKey(TOKEN_2022_PROGRAM);
/** Five in a hundred. */
const FEE_BASIS_POINTS = 500;

let ledger: LedgerToRead;
let world: TokenWorld;
beforeAll(async () => {
  ledger = await startLedgerToRead();
  world = makeTokenWorld(ledger, PROGRAM, FEE_BASIS_POINTS);
});
afterAll(() => ledger.close());

function transfer(from: PublicKey, to: PublicKey, owner: PublicKey, amount: bigint): TransactionInstruction {
  return createTransferCheckedInstruction(from, world.mint, to, owner, amount, DECIMALS, [], PROGRAM);
}

async function read(signer: TokenWorld['alice'], ...instructions: TransactionInstruction[]) {
  const transaction = ledger.send([signer], ...instructions);
  expect(transaction.err).toBeNull();
  return ledger.read(transaction, world.watched, world.mint.toBase58());
}

describe('a real transfer of a mint with a transfer fee, read through JSON-RPC', () => {
  it('into the vault counts by what arrived, and comes from the wallet that sent more than that', async () => {
    const { alice, vault } = world;
    const from = world.account(alice.publicKey);
    const { movement, deltas } = await read(alice, transfer(from, vault, alice.publicKey, 1_000n));
    const wallet = alice.publicKey.toBase58();
    expect(movement).toEqual({ kind: 'deposit', wallet, delta: 950n, stakeEntry: null });
    expect(deltas).toEqual({ [from.toBase58()]: -1_000n, [vault.toBase58()]: 950n });
  });

  it('transferCheckedWithFee is read alike', async () => {
    const { alice, vault, mint } = world;
    const withFee = createTransferCheckedWithFeeInstruction(
      world.account(alice.publicKey),
      mint,
      vault,
      alice.publicKey,
      200n,
      DECIMALS,
      10n,
      [],
      PROGRAM,
    );
    const wallet = alice.publicKey.toBase58();
    expect((await read(alice, withFee)).movement).toMatchObject({ kind: 'deposit', wallet, delta: 190n });
  });

  it('out of the vault counts by what left it, and goes to the wallet that got less', async () => {
    const { owner, bob, vault } = world;
    const to = world.account(bob.publicKey);
    const { movement, deltas } = await read(owner, transfer(vault, to, owner.publicKey, 400n));
    const wallet = bob.publicKey.toBase58();
    expect(movement).toEqual({ kind: 'withdraw', wallet, delta: -400n, stakeEntry: null });
    expect(deltas[to.toBase58()]).toBe(380n);
  });

  it('what is withheld in the vault is no part of its balance: sending it to the mint is no event', async () => {
    const { alice, vault, mint } = world;
    const harvest = createHarvestWithheldTokensToMintInstruction(mint, [vault], PROGRAM);
    expect(await read(alice, harvest)).toMatchObject({
      movement: null,
      alarms: [],
      deltas: { [vault.toBase58()]: 0n },
    });
  });

  it('withheld tokens that are paid out to the vault are a deposit by nobody', async () => {
    const { alice, bob, minter, vault, mint } = world;
    const to = world.account(bob.publicKey);
    await read(alice, transfer(world.account(alice.publicKey), to, alice.publicKey, 100n));
    const held = createWithdrawWithheldTokensFromAccountsInstruction(
      mint,
      vault,
      minter.publicKey,
      [],
      [to],
      PROGRAM,
    );
    // Twenty were withheld from what the vault sent to this account before, five from what came last.
    expect((await read(minter, held)).movement).toEqual({
      kind: 'deposit',
      wallet: null,
      delta: 25n,
      stakeEntry: null,
    });
  });
});
