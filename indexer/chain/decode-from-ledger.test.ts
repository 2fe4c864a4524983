import {
  createApproveInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createInitializeMultisigInstruction,
  createTransferInstruction,
  MULTISIG_SIZE,
} from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { ledgerKeypair } from '../ledger/addresses.ts';
import { acceptedTransaction, signedWireV0 } from '../ledger/testing/test-ledger.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './accounts.ts';
import {
  createLookupTable,
  createTestToken,
  type LedgerToRead,
  startLedgerToRead,
  type TestToken,
} from './testing/ledger-transactions.ts';

let ledger: LedgerToRead;
beforeAll(async () => {
  ledger = await startLedgerToRead();
  return () => ledger.close();
});

const depositMovement = (wallet: PublicKey | null, delta: bigint) => ({
  kind: 'deposit',
  wallet: wallet?.toBase58() ?? null,
  delta,
  stakeEntry: null,
});
const withdrawalMovement = (wallet: PublicKey | null, delta: bigint) => ({
  ...depositMovement(wallet, delta),
  kind: 'withdraw',
});

describe.each([
  ['SPL Token', TOKEN_PROGRAM],
  ['Token-2022', TOKEN_2022_PROGRAM],
])('a real transaction of %s, read through JSON-RPC', (_name, programAddress) => {
  const program = new PublicKey(programAddress);
  let token: TestToken;
  beforeAll(() => {
    token = createTestToken(ledger, program);
  });

  const read = (transaction: ReturnType<LedgerToRead['send']>) => {
    expect(transaction.err).toBeNull();
    return ledger.read(transaction, token.watched, token.mint.toBase58());
  };
  const sumOf = (deltas: Readonly<Record<string, bigint>>) =>
    Object.values(deltas).reduce((sum, delta) => sum + delta, 0n);

  it('with transfer, which names neither mint nor owner, is a deposit by the sender', async () => {
    const transfer = token.transfer(token.alice.publicKey, 500n);
    const { movement, alarms, deltas } = await read(ledger.send([token.alice], transfer));
    expect(movement).toEqual(depositMovement(token.alice.publicKey, 500n));
    expect(alarms).toEqual([]);
    expect(sumOf(deltas)).toBe(0n);
  });

  it('with transferChecked from the vault is a withdrawal to the recipient', async () => {
    const to = token.account(token.bob.publicKey);
    const checked = token.transferChecked(token.owner.publicKey, 70n, to);
    const { movement } = await read(ledger.send([token.owner], checked));
    expect(movement).toEqual(withdrawalMovement(token.bob.publicKey, -70n));
  });

  it('signed by a delegate is a deposit by the owner of the tokens', async () => {
    const from = token.account(token.alice.publicKey);
    const { alice, bob } = token;
    ledger.send([alice], createApproveInstruction(from, bob.publicKey, alice.publicKey, 9n, [], program));
    const delegated = createTransferInstruction(from, token.vault, bob.publicKey, 9n, [], program);
    const { movement, alarms } = await read(ledger.send([bob], delegated));
    expect(movement).toEqual(depositMovement(alice.publicKey, 9n));
    expect(alarms).toEqual([]);
  });

  it('signed by members of a multisig is a deposit by the multisig wallet', async () => {
    const { alice, bob, minter } = token;
    const multisig = ledgerKeypair(`multisig-${programAddress}`);
    const from = token.account(multisig.publicKey);
    const members = [alice.publicKey, bob.publicKey];
    ledger.send(
      [minter, multisig],
      token.allocate(multisig.publicKey, MULTISIG_SIZE),
      createInitializeMultisigInstruction(multisig.publicKey, members, 2, program),
      token.openAssociated(multisig.publicKey),
      token.mintTo(from, 1_000n),
    );
    const move = createTransferInstruction(from, token.vault, multisig.publicKey, 33n, members, program);
    const { movement } = await read(ledger.send([alice, bob], move));
    expect(movement).toEqual(depositMovement(multisig.publicKey, 33n));
  });

  it('moves nothing if it fails, even if its first transfer succeeded', async () => {
    const { publicKey } = token.alice;
    const transfers = [token.transfer(publicKey, 5n), token.transfer(publicKey, 2n ** 60n)];
    const failed = ledger.send([token.alice], ...transfers);
    expect(failed.err).not.toBeNull();
    expect(await ledger.read(failed, token.watched, token.mint.toBase58())).toEqual({
      movement: null,
      movements: [],
      alarms: [],
      deltas: {},
    });
  });

  it('that passes tokens through a temporary account is a deposit by the wallet that sent them', async () => {
    const { alice, minter } = token;
    const temporaryAccount = ledgerKeypair(`temporary-${programAddress}`);
    const transaction = ledger.send(
      [minter, alice, temporaryAccount],
      ...token.open(temporaryAccount.publicKey, alice.publicKey),
      token.transfer(alice.publicKey, 44n, temporaryAccount.publicKey),
      createTransferInstruction(temporaryAccount.publicKey, token.vault, alice.publicKey, 44n, [], program),
      createCloseAccountInstruction(
        temporaryAccount.publicKey,
        alice.publicKey,
        alice.publicKey,
        [],
        program,
      ),
    );
    const { movement, deltas, alarms } = await read(transaction);
    expect(movement).toEqual(depositMovement(alice.publicKey, 44n));
    expect(Object.keys(deltas)).not.toContain(temporaryAccount.publicKey.toBase58());
    expect(alarms).toEqual([]);
  });

  it('is a deposit by nobody if it mints to the vault, and a withdrawal to nobody if it burns from the vault', async () => {
    const { minter, owner } = token;
    const minted = await read(ledger.send([minter], token.mintTo(token.vault, 8n)));
    expect(minted.movement).toEqual(depositMovement(null, 8n));
    expect(sumOf(minted.deltas)).toBe(8n);
    const burn = createBurnInstruction(token.vault, token.mint, owner.publicKey, 3n, [], program);
    const burnt = await read(ledger.send([owner], burn));
    expect(burnt.movement).toEqual(withdrawalMovement(null, -3n));
    expect(sumOf(burnt.deltas)).toBe(-3n);
  });

  it('of version 0 is read if the vault is loaded from a lookup table and named nowhere else', async () => {
    const { alice } = token;
    const table = createLookupTable(ledger, alice, [token.mint, token.vault]);
    const checked = token.transferChecked(alice.publicKey, 77n);
    const wire = signedWireV0(ledger.chain, alice, [checked], [table]);
    const transaction = acceptedTransaction(ledger.chain.send(wire, { skipPreflight: false }));
    expect(transaction.loadedAddresses).toEqual({
      writable: [token.vault.toBase58()],
      readonly: [token.mint.toBase58()],
    });
    const { movement } = await read(transaction);
    expect(movement).toEqual(depositMovement(alice.publicKey, 77n));
  });

  it('is a deposit and raises no alarm if an inner instruction opens the account and pays into it', async () => {
    const { alice, minter, mint } = token;
    const newcomer = ledgerKeypair(`newcomer-${programAddress}`).publicKey;
    const newAccount = token.account(newcomer);
    const payIn = token.transfer(alice.publicKey, 5n, newAccount);
    const transaction = ledger.send([minter, alice], token.openAssociated(newcomer), payIn);
    expect(transaction.innerInstructions).not.toEqual([]);
    const watched = { address: newAccount.toBase58(), role: 'vault' } as const;
    expect(await ledger.read(transaction, watched, mint.toBase58())).toMatchObject({
      movement: depositMovement(alice.publicKey, 5n),
      alarms: [],
    });
  });
});
