import {
  AuthorityType,
  createApproveInstruction,
  createCloseAccountInstruction,
  createRecoverNestedInstruction,
  createRevokeInstruction,
  createSetAuthorityInstruction,
} from '@solana/spl-token';
import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { ledgerKeypair } from '../ledger/addresses.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './accounts.ts';
import {
  createTestToken,
  type LedgerToRead,
  startLedgerToRead,
  type TestToken,
} from './testing/ledger-transactions.ts';

let ledger: LedgerToRead;
let openedCount = 0;
beforeAll(async () => {
  ledger = await startLedgerToRead();
  return () => ledger.close();
});

/** A batch: one instruction that contains several token instructions. p-token and Token-2022 accept batches. */
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
  let token: TestToken;
  let bob: string;
  beforeAll(() => {
    token = createTestToken(ledger, program);
    bob = token.bob.publicKey.toBase58();
  });

  /**
   * Opens a token account for the vault's owner. It is not an associated account, because in Token-2022 those cannot change
   * owners.
   */
  const openAccount = () => {
    openedCount += 1;
    const key = ledgerKeypair(`watched-${openedCount}`);
    const { minter, owner } = token;
    const transaction = ledger.send([minter, key], ...token.open(key.publicKey, owner.publicKey));
    return { key, account: key.publicKey, transaction };
  };

  const read = (transaction: ReturnType<LedgerToRead['send']>, account: PublicKey) => {
    expect(transaction.err).toBeNull();
    return ledger.read(transaction, { address: account.toBase58(), role: 'vault' }, token.mint.toBase58());
  };
  const outcomeOf = (account: PublicKey, ...instructions: TransactionInstruction[]) =>
    read(ledger.send([token.owner], ...instructions), account);

  const setAuthority = (
    account: PublicKey,
    type: AuthorityType,
    to: PublicKey | null,
    by = token.owner.publicKey,
  ) => createSetAuthorityInstruction(account, by, type, to, [], program);
  const approve = (account: PublicKey, delegate = token.bob.publicKey) =>
    createApproveInstruction(account, delegate, token.owner.publicKey, 5n, [], program);
  const close = (account: PublicKey) =>
    createCloseAccountInstruction(account, token.owner.publicKey, token.owner.publicKey, [], program);

  it('that opens it raises no alarm', async () => {
    const { account, transaction } = openAccount();
    expect(await read(transaction, account)).toMatchObject({
      movement: { kind: 'other', delta: 0n },
      alarms: [],
    });
  });

  it('that changes its owner raises an alarm with the new owner, and is an event with amount 0', async () => {
    const { account } = openAccount();
    const handOver = setAuthority(account, AuthorityType.AccountOwner, token.bob.publicKey);
    const outcome = await outcomeOf(account, handOver);
    expect(outcome.alarms).toEqual([{ kind: 'owner-changed', address: bob }]);
    expect(outcome.movement).toEqual({ kind: 'other', wallet: null, delta: 0n, stakeEntry: null });
  });

  it('that changes its owner and back raises an alarm', async () => {
    const { account } = openAccount();
    const { owner, bob: thief } = token;
    const handOver = setAuthority(account, AuthorityType.AccountOwner, thief.publicKey);
    const handBack = setAuthority(account, AuthorityType.AccountOwner, owner.publicKey, thief.publicKey);
    const outcome = await read(ledger.send([owner, thief], handOver, handBack), account);
    expect(outcome).toMatchObject({ movement: null, alarms: [{ kind: 'owner-changed', address: bob }] });
  });

  it('that sets the same owner again raises no alarm', async () => {
    const { account } = openAccount();
    const same = setAuthority(account, AuthorityType.AccountOwner, token.owner.publicKey);
    expect(await outcomeOf(account, same)).toMatchObject({ movement: null, alarms: [] });
  });

  it('that sets or removes a close authority raises an alarm', async () => {
    const { account } = openAccount();
    const set = setAuthority(account, AuthorityType.CloseAccount, token.bob.publicKey);
    expect((await outcomeOf(account, set)).alarms).toEqual([
      { kind: 'close-authority-changed', address: bob },
    ]);
    const removed = setAuthority(account, AuthorityType.CloseAccount, null, token.bob.publicKey);
    const outcome = await read(ledger.send([token.bob], removed), account);
    expect(outcome.alarms).toEqual([{ kind: 'close-authority-changed', address: null }]);
  });

  it('that approves a delegate, checked or not, raises an alarm, and one that revokes it raises none', async () => {
    const { account } = openAccount();
    expect(await outcomeOf(account, approve(account))).toMatchObject({
      movement: null,
      alarms: [{ kind: 'delegate-approved', address: bob }],
    });
    const checked = token.approveChecked(account, token.owner.publicKey, token.alice.publicKey);
    expect((await outcomeOf(account, checked)).alarms).toEqual([
      { kind: 'delegate-approved', address: token.alice.publicKey.toBase58() },
    ]);
    const revoke = createRevokeInstruction(account, token.owner.publicKey, [], program);
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
    const { alice, minter, mint } = token;
    const wallet = token.account(alice.publicKey);
    const nested = token.account(wallet);
    ledger.send([minter], token.openAssociated(wallet), token.mintTo(nested, 12n));
    const accounts = [nested, mint, wallet, wallet, mint, alice.publicKey] as const;
    const transaction = ledger.send([alice], createRecoverNestedInstruction(...accounts, program));
    expect(transaction.innerInstructions[0]?.instructions).not.toHaveLength(0);
    expect(await read(transaction, nested)).toMatchObject({
      movement: { kind: 'withdraw', wallet: alice.publicKey.toBase58(), delta: -12n },
      alarms: [{ kind: 'account-closed', address: null }],
    });
  });

  it('that closes it and opens it for another owner raises both alarms', async () => {
    const { account, key } = openAccount();
    const { owner, minter, bob: thief } = token;
    const signers = [minter, owner, key];
    const reopened = ledger.send(signers, close(account), ...token.open(account, thief.publicKey));
    const outcome = await read(reopened, account);
    expect(outcome.alarms).toEqual([
      { kind: 'account-closed', address: null },
      { kind: 'owner-changed', address: bob },
    ]);
  });

  it('that opens and closes it raises the alarm for its closure, and is no event', async () => {
    const { owner, minter } = token;
    const key = ledgerKeypair(`short-lived-${programAddress}`);
    const instructions = [...token.open(key.publicKey, owner.publicKey), close(key.publicKey)];
    const transaction = ledger.send([minter, owner, key], ...instructions);
    expect(await read(transaction, key.publicKey)).toMatchObject({
      movement: null,
      alarms: [{ kind: 'account-closed', address: null }],
    });
  });

  it('that batches instructions raises the alarms of each', async () => {
    const { account } = openAccount();
    const { alice } = token;
    const move = token.transfer(alice.publicKey, 6n, account);
    const handOver = setAuthority(account, AuthorityType.AccountOwner, token.bob.publicKey);
    const batch = batchOf(program, move, approve(account, alice.publicKey), handOver);
    const outcome = await read(ledger.send([token.owner, alice], batch), account);
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

  it('that acts on other accounts or the mint raises no alarm', async () => {
    const { account } = openAccount();
    const { account: another } = openAccount();
    const { owner, minter } = token;
    const changeMint = setAuthority(
      token.mint,
      AuthorityType.FreezeAccount,
      token.bob.publicKey,
      minter.publicKey,
    );
    const transaction = ledger.send(
      [owner, minter],
      approve(another),
      close(another),
      changeMint,
      approve(account),
    );
    expect((await read(transaction, account)).alarms).toEqual([{ kind: 'delegate-approved', address: bob }]);
  });
});
