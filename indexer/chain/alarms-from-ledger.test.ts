import {
  AuthorityType,
  createApproveCheckedInstruction,
  createApproveInstruction,
  createAssociatedTokenAccountInstruction,
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createMintToInstruction,
  createRecoverNestedInstruction,
  createRevokeInstruction,
  createSetAuthorityInstruction,
  createTransferInstruction,
} from '@solana/spl-token';
import { type Keypair, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ledgerKeypair } from '../ledger/addresses.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './accounts.ts';
import {
  DECIMALS,
  type LedgerToRead,
  makeTokenWorld,
  startLedgerToRead,
  type TokenWorld,
} from './testing/ledger-transactions.ts';

/** Bytes of a token account without extensions. */
const ACCOUNT_BYTES = 165;

let ledger: LedgerToRead;
let opened = 0;
beforeAll(async () => {
  ledger = await startLedgerToRead();
});
afterAll(() => ledger.close());

/** Several token instructions in one, as p-token and Token-2022 accept them to save calls. */
function batchOf(program: PublicKey, ...parts: TransactionInstruction[]): TransactionInstruction {
  const data = parts.flatMap((part) => [Buffer.of(part.keys.length, part.data.length), part.data]);
  return new TransactionInstruction({
    programId: program,
    keys: parts.flatMap((part) => part.keys),
    data: Buffer.concat([Buffer.of(255), ...data]),
  });
}

describe.each([
  ['SPL Token', TOKEN_PROGRAM],
  ['Token-2022', TOKEN_2022_PROGRAM],
])('a real transaction of %s on a watched account', (_name, programAddress) => {
  const program = new PublicKey(programAddress);
  let world: TokenWorld;
  let bob: string;
  beforeAll(() => {
    world = makeTokenWorld(ledger, program);
    bob = world.bob.publicKey.toBase58();
  });

  const create = (key: Keypair, owner: PublicKey) => [
    SystemProgram.createAccount({
      fromPubkey: world.minter.publicKey,
      newAccountPubkey: key.publicKey,
      lamports: Number(ledger.chain.rentExemption(ACCOUNT_BYTES)),
      space: ACCOUNT_BYTES,
      programId: program,
    }),
    createInitializeAccount3Instruction(key.publicKey, world.mint, owner, program),
  ];

  /** A token account of the vault's owner. Unlike an associated one of Token-2022, its owner can change. */
  const openAccount = () => {
    opened += 1;
    const key = ledgerKeypair(`watched-${opened}`);
    const { minter, owner } = world;
    const transaction = ledger.send([minter, key], ...create(key, owner.publicKey));
    return { key, account: key.publicKey, transaction };
  };

  const read = (transaction: ReturnType<LedgerToRead['send']>, account: PublicKey) => {
    expect(transaction.err).toBeNull();
    return ledger.read(transaction, { address: account.toBase58(), role: 'vault' }, world.mint.toBase58());
  };
  const outcomeOf = (account: PublicKey, ...instructions: TransactionInstruction[]) =>
    read(ledger.send([world.owner], ...instructions), account);

  const setAuthority = (
    account: PublicKey,
    type: AuthorityType,
    to: PublicKey | null,
    by = world.owner.publicKey,
  ) => createSetAuthorityInstruction(account, by, type, to, [], program);
  const approve = (account: PublicKey, delegate = world.bob.publicKey) =>
    createApproveInstruction(account, delegate, world.owner.publicKey, 5n, [], program);
  const close = (account: PublicKey) =>
    createCloseAccountInstruction(account, world.owner.publicKey, world.owner.publicKey, [], program);

  it('that opens it raises no alarm', async () => {
    const { account, transaction } = openAccount();
    expect(await read(transaction, account)).toMatchObject({
      movement: { kind: 'other', delta: 0n },
      alarms: [],
    });
  });

  it('that changes its owner raises an alarm with the new owner, and is an event without an amount', async () => {
    const { account } = openAccount();
    const outcome = await outcomeOf(
      account,
      setAuthority(account, AuthorityType.AccountOwner, world.bob.publicKey),
    );
    expect(outcome.alarms).toEqual([{ kind: 'owner-changed', address: bob }]);
    expect(outcome.movement).toEqual({ kind: 'other', wallet: null, delta: 0n, stakeEntry: null });
  });

  it('that changes its owner and back raises an alarm', async () => {
    const { account } = openAccount();
    const { owner, bob: thief } = world;
    const there = setAuthority(account, AuthorityType.AccountOwner, thief.publicKey);
    const back = setAuthority(account, AuthorityType.AccountOwner, owner.publicKey, thief.publicKey);
    const outcome = await read(ledger.send([owner, thief], there, back), account);
    expect(outcome).toMatchObject({ movement: null, alarms: [{ kind: 'owner-changed', address: bob }] });
  });

  it('that sets the same owner raises none', async () => {
    const { account } = openAccount();
    const same = setAuthority(account, AuthorityType.AccountOwner, world.owner.publicKey);
    expect(await outcomeOf(account, same)).toMatchObject({ movement: null, alarms: [] });
  });

  it('that sets or removes a close authority raises an alarm', async () => {
    const { account } = openAccount();
    const set = setAuthority(account, AuthorityType.CloseAccount, world.bob.publicKey);
    expect((await outcomeOf(account, set)).alarms).toEqual([
      { kind: 'close-authority-changed', address: bob },
    ]);
    const removed = setAuthority(account, AuthorityType.CloseAccount, null, world.bob.publicKey);
    const outcome = await read(ledger.send([world.bob], removed), account);
    expect(outcome.alarms).toEqual([{ kind: 'close-authority-changed', address: null }]);
  });

  it('that approves a delegate raises an alarm, checked or not; revoking raises none', async () => {
    const { account } = openAccount();
    expect(await outcomeOf(account, approve(account))).toMatchObject({
      movement: null,
      alarms: [{ kind: 'delegate-approved', address: bob }],
    });
    const checked = createApproveCheckedInstruction(
      account,
      world.mint,
      world.alice.publicKey,
      world.owner.publicKey,
      5n,
      DECIMALS,
      [],
      program,
    );
    expect((await outcomeOf(account, checked)).alarms).toEqual([
      { kind: 'delegate-approved', address: world.alice.publicKey.toBase58() },
    ]);
    const revoke = createRevokeInstruction(account, world.owner.publicKey, [], program);
    expect((await outcomeOf(account, revoke)).alarms).toEqual([]);
  });

  it('that closes it raises an alarm', async () => {
    const { account } = openAccount();
    expect(await outcomeOf(account, close(account))).toMatchObject({
      movement: { kind: 'other', delta: 0n },
      alarms: [{ kind: 'account-closed', address: null }],
    });
  });

  it('that closes it in an inner instruction, after taking the tokens out, raises an alarm', async () => {
    const { alice, minter, mint } = world;
    const wallet = world.account(alice.publicKey);
    const nested = world.account(wallet);
    ledger.send(
      [minter],
      createAssociatedTokenAccountInstruction(minter.publicKey, nested, wallet, mint, program),
      createMintToInstruction(mint, nested, minter.publicKey, 12n, [], program),
    );
    const recover = createRecoverNestedInstruction(
      nested,
      mint,
      wallet,
      wallet,
      mint,
      alice.publicKey,
      program,
    );
    const transaction = ledger.send([alice], recover);
    expect(transaction.innerInstructions[0]?.instructions).not.toHaveLength(0);
    expect(await read(transaction, nested)).toMatchObject({
      movement: { kind: 'withdraw', wallet: alice.publicKey.toBase58(), delta: -12n },
      alarms: [{ kind: 'account-closed', address: null }],
    });
  });

  it('that closes it and opens it for another owner raises both alarms', async () => {
    const { account, key } = openAccount();
    const { owner, minter, bob: thief } = world;
    const signers = [minter, owner, key];
    const outcome = await read(
      ledger.send(signers, close(account), ...create(key, thief.publicKey)),
      account,
    );
    expect(outcome.alarms).toEqual([
      { kind: 'account-closed', address: null },
      { kind: 'owner-changed', address: bob },
    ]);
  });

  it('that opens and closes it raises the alarm and leaves no event', async () => {
    const { owner, minter } = world;
    const key = ledgerKeypair(`short-lived-${programAddress}`);
    const transaction = ledger.send(
      [minter, owner, key],
      ...create(key, owner.publicKey),
      close(key.publicKey),
    );
    expect(await read(transaction, key.publicKey)).toMatchObject({
      movement: null,
      alarms: [{ kind: 'account-closed', address: null }],
    });
  });

  it('that batches instructions raises the alarms of each', async () => {
    const { account } = openAccount();
    const { alice } = world;
    const from = world.account(alice.publicKey);
    const move = createTransferInstruction(from, account, alice.publicKey, 6n, [], program);
    const handOver = setAuthority(account, AuthorityType.AccountOwner, world.bob.publicKey);
    const batch = batchOf(program, move, approve(account, alice.publicKey), handOver);
    const outcome = await read(ledger.send([world.owner, alice], batch), account);
    expect(outcome.movement).toMatchObject({
      kind: 'deposit',
      wallet: alice.publicKey.toBase58(),
      delta: 6n,
    });
    expect(outcome.alarms).toEqual([
      { kind: 'delegate-approved', address: alice.publicKey.toBase58() },
      { kind: 'owner-changed', address: bob },
    ]);
  });

  it('that acts on other accounts or the mint raises none', async () => {
    const { account } = openAccount();
    const { account: another } = openAccount();
    const { owner, minter } = world;
    const mint = createSetAuthorityInstruction(
      world.mint,
      minter.publicKey,
      AuthorityType.FreezeAccount,
      world.bob.publicKey,
      [],
      program,
    );
    const outcome = ledger.send([owner, minter], approve(another), close(another), mint, approve(account));
    expect((await read(outcome, account)).alarms).toEqual([{ kind: 'delegate-approved', address: bob }]);
  });
});
