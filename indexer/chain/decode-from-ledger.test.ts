import {
  createApproveInstruction,
  createAssociatedTokenAccountInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createInitializeMultisigInstruction,
  createMintToInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  MULTISIG_SIZE,
} from '@solana/spl-token';
import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  PublicKey,
  SystemProgram,
} from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ledgerKeypair } from '../ledger/addresses.ts';
import { SLOT_MILLISECONDS } from '../ledger/chain.ts';
import { accepted, signedWireV0 } from '../ledger/testing/test-ledger.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './accounts.ts';
import {
  DECIMALS,
  type LedgerToRead,
  makeTokenWorld,
  startLedgerToRead,
  type TokenWorld,
} from './testing/ledger-transactions.ts';

let ledger: LedgerToRead;
beforeAll(async () => {
  ledger = await startLedgerToRead();
});
afterAll(() => ledger.close());

const deposit = (wallet: PublicKey | null, delta: bigint) => ({
  kind: 'deposit',
  wallet: wallet?.toBase58() ?? null,
  delta,
  stakeEntry: null,
});
const withdraw = (wallet: PublicKey | null, delta: bigint) => ({
  ...deposit(wallet, delta),
  kind: 'withdraw',
});

describe.each([
  ['SPL Token', TOKEN_PROGRAM],
  ['Token-2022', TOKEN_2022_PROGRAM],
])('a real transaction of %s, read through JSON-RPC', (_name, programAddress) => {
  const program = new PublicKey(programAddress);
  let world: TokenWorld;
  beforeAll(() => {
    world = makeTokenWorld(ledger, program);
  });

  const into = (amount: bigint, from = world.alice) =>
    createTransferInstruction(
      world.account(from.publicKey),
      world.vault,
      from.publicKey,
      amount,
      [],
      program,
    );
  const read = (transaction: ReturnType<LedgerToRead['send']>) => {
    expect(transaction.err).toBeNull();
    return ledger.read(transaction, world.watched, world.mint.toBase58());
  };
  const sumOf = (deltas: Readonly<Record<string, bigint>>) =>
    Object.values(deltas).reduce((sum, delta) => sum + delta, 0n);

  it('transfer, which names neither mint nor owner', async () => {
    const { movement, alarms, deltas } = await read(ledger.send([world.alice], into(500n)));
    expect(movement).toEqual(deposit(world.alice.publicKey, 500n));
    expect(alarms).toEqual([]);
    expect(sumOf(deltas)).toBe(0n);
  });

  it('transferChecked', async () => {
    const checked = createTransferCheckedInstruction(
      world.vault,
      world.mint,
      world.account(world.bob.publicKey),
      world.owner.publicKey,
      70n,
      DECIMALS,
      [],
      program,
    );
    const { movement } = await read(ledger.send([world.owner], checked));
    expect(movement).toEqual(withdraw(world.bob.publicKey, -70n));
  });

  it('a transfer signed by a delegate comes from the owner of the tokens', async () => {
    const from = world.account(world.alice.publicKey);
    const { alice, bob } = world;
    ledger.send([alice], createApproveInstruction(from, bob.publicKey, alice.publicKey, 9n, [], program));
    const delegated = createTransferInstruction(from, world.vault, bob.publicKey, 9n, [], program);
    const { movement, alarms } = await read(ledger.send([bob], delegated));
    expect(movement).toEqual(deposit(alice.publicKey, 9n));
    expect(alarms).toEqual([]);
  });

  it('a transfer signed by members of a multisig comes from the multisig wallet', async () => {
    const { alice, bob, minter } = world;
    const multisig = ledgerKeypair(`multisig-${programAddress}`);
    const held = world.account(multisig.publicKey);
    ledger.send(
      [minter, multisig],
      SystemProgram.createAccount({
        fromPubkey: minter.publicKey,
        newAccountPubkey: multisig.publicKey,
        lamports: Number(ledger.chain.rentExemption(MULTISIG_SIZE)),
        space: MULTISIG_SIZE,
        programId: program,
      }),
      createInitializeMultisigInstruction(multisig.publicKey, [alice.publicKey, bob.publicKey], 2, program),
      createAssociatedTokenAccountInstruction(
        minter.publicKey,
        held,
        multisig.publicKey,
        world.mint,
        program,
      ),
      createMintToInstruction(world.mint, held, minter.publicKey, 1_000n, [], program),
    );
    const members = [alice.publicKey, bob.publicKey];
    const move = createTransferInstruction(held, world.vault, multisig.publicKey, 33n, members, program);
    const { movement } = await read(ledger.send([alice, bob], move));
    expect(movement).toEqual(deposit(multisig.publicKey, 33n));
  });

  it('a failed one moved nothing, though its first transfer succeeded', async () => {
    const failed = ledger.send([world.alice], into(5n), into(2n ** 60n));
    expect(failed.err).not.toBeNull();
    expect(await ledger.read(failed, world.watched, world.mint.toBase58())).toEqual({
      movement: null,
      movements: [],
      alarms: [],
      deltas: {},
    });
  });

  it('tokens that pass through a temporary account come from where they started', async () => {
    const { alice } = world;
    const passing = ledgerKeypair(`passing-${programAddress}`);
    const passed = ledger.send(
      [alice, passing],
      SystemProgram.createAccount({
        fromPubkey: alice.publicKey,
        newAccountPubkey: passing.publicKey,
        lamports: Number(ledger.chain.rentExemption(165)),
        space: 165,
        programId: program,
      }),
      createInitializeAccount3Instruction(passing.publicKey, world.mint, alice.publicKey, program),
      createTransferInstruction(
        world.account(alice.publicKey),
        passing.publicKey,
        alice.publicKey,
        44n,
        [],
        program,
      ),
      createTransferInstruction(passing.publicKey, world.vault, alice.publicKey, 44n, [], program),
      createCloseAccountInstruction(passing.publicKey, alice.publicKey, alice.publicKey, [], program),
    );
    const { movement, deltas, alarms } = await read(passed);
    expect(movement).toEqual(deposit(alice.publicKey, 44n));
    expect(Object.keys(deltas)).not.toContain(passing.publicKey.toBase58());
    expect(alarms).toEqual([]);
  });

  it('minting to it is a deposit by nobody, burning from it a withdrawal to nobody', async () => {
    const { minter, owner } = world;
    const mint = createMintToInstruction(world.mint, world.vault, minter.publicKey, 8n, [], program);
    const minted = await read(ledger.send([minter], mint));
    expect(minted.movement).toEqual(deposit(null, 8n));
    expect(sumOf(minted.deltas)).toBe(8n);
    const burn = createBurnInstruction(world.vault, world.mint, owner.publicKey, 3n, [], program);
    const burnt = await read(ledger.send([owner], burn));
    expect(burnt.movement).toEqual(withdraw(null, -3n));
    expect(sumOf(burnt.deltas)).toBe(-3n);
  });

  it('version 0, with the vault loaded from a lookup table and named nowhere else', async () => {
    const { alice } = world;
    const [create, table] = AddressLookupTableProgram.createLookupTable({
      authority: alice.publicKey,
      payer: alice.publicKey,
      recentSlot: ledger.chain.clock().slot,
    });
    const addresses = [world.mint, world.vault];
    const extend = AddressLookupTableProgram.extendLookupTable({
      authority: alice.publicKey,
      payer: alice.publicKey,
      lookupTable: table,
      addresses,
    });
    ledger.send([alice], create, extend);
    ledger.advance(SLOT_MILLISECONDS);
    const state = {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses,
    };
    const known = new AddressLookupTableAccount({ key: table, state });
    const checked = createTransferCheckedInstruction(
      world.account(alice.publicKey),
      world.mint,
      world.vault,
      alice.publicKey,
      77n,
      DECIMALS,
      [],
      program,
    );
    const wire = signedWireV0(ledger.chain, alice, [checked], [known]);
    const transaction = accepted(ledger.chain.send(wire, { skipPreflight: false }));
    expect(transaction.loadedAddresses).toEqual({
      writable: [world.vault.toBase58()],
      readonly: [world.mint.toBase58()],
    });
    const { movement } = await read(transaction);
    expect(movement).toEqual(deposit(alice.publicKey, 77n));
  });

  it('an account that an inner instruction opens and pays into is a deposit, and raises no alarm', async () => {
    const { alice, minter, mint } = world;
    const newcomer = ledgerKeypair(`newcomer-${programAddress}`).publicKey;
    const opened = world.account(newcomer);
    const transaction = ledger.send(
      [minter, alice],
      createAssociatedTokenAccountInstruction(minter.publicKey, opened, newcomer, mint, program),
      createTransferInstruction(world.account(alice.publicKey), opened, alice.publicKey, 5n, [], program),
    );
    expect(transaction.innerInstructions).not.toEqual([]);
    const watched = { address: opened.toBase58(), role: 'vault' } as const;
    expect(await ledger.read(transaction, watched, mint.toBase58())).toMatchObject({
      movement: deposit(alice.publicKey, 5n),
      alarms: [],
    });
  });
});
