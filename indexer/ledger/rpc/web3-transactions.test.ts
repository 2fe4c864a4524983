import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  type AccountInfo,
  AddressLookupTableProgram,
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SendTransactionError,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LEDGER } from '../addresses.ts';
import { type LedgerUnderTest, startLedgerUnderTest } from '../testing/ledger-under-test.ts';
import { ledgerKeypair } from '../wallets.ts';

const BD = new PublicKey(LEDGER.mint);
const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const payer = ledgerKeypair('holder-1');
const payerHolding = getAssociatedTokenAddressSync(BD, payer.publicKey);

let ledger: LedgerUnderTest;
let connection: Connection;

beforeAll(async () => {
  ledger = await startLedgerUnderTest();
  connection = new Connection(ledger.server.url, 'confirmed');
});
// A slot of its own for every test: its transactions get a blockhash that no other used.
beforeEach(() => ledger.advance(1));
afterAll(async () => {
  expect(ledger.faults).toEqual([]);
  await ledger.close();
});

function payTo(to: PublicKey, lamports: number): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports });
}

async function versioned(instructions: TransactionInstruction[]): Promise<VersionedTransaction> {
  const { blockhash } = await connection.getLatestBlockhash();
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions,
  });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([payer]);
  return transaction;
}

describe('web3.js sends', () => {
  it('and confirms over the websocket next to the HTTP port', async () => {
    const receiver = Keypair.generate().publicKey;
    const transaction = new Transaction().add(payTo(receiver, LAMPORTS_PER_SOL));
    const signature = await sendAndConfirmTransaction(connection, transaction, [payer]);
    expect(await connection.getBalance(receiver)).toBe(LAMPORTS_PER_SOL);
    const { value } = await connection.getSignatureStatus(signature);
    expect(value).toMatchObject({ err: null, confirmationStatus: 'confirmed', confirmations: 0 });
  });

  it('a version 0 transaction and confirms it by blockhash', async () => {
    const receiver = Keypair.generate().publicKey;
    const latest = await connection.getLatestBlockhash();
    const signature = await connection.sendTransaction(await versioned([payTo(receiver, LAMPORTS_PER_SOL)]));
    const { value } = await connection.confirmTransaction({ signature, ...latest });
    expect(value.err).toBeNull();
  });

  it('and waits for finality where it asks for it', async () => {
    const receiver = Keypair.generate().publicKey;
    const latest = await connection.getLatestBlockhash();
    const signature = await connection.sendTransaction(await versioned([payTo(receiver, LAMPORTS_PER_SOL)]));
    const confirmed = connection.confirmTransaction({ signature, ...latest }, 'finalized');
    expect(
      await connection.getTransaction(signature, {
        commitment: 'finalized',
        maxSupportedTransactionVersion: 0,
      }),
    ).toBeNull();
    ledger.finalize();
    expect((await confirmed).value.err).toBeNull();
    const transaction = await connection.getTransaction(signature, {
      commitment: 'finalized',
      maxSupportedTransactionVersion: 0,
    });
    expect(transaction?.version).toBe(0);
  });

  it('an airdrop, and is refused one above the cap', async () => {
    const receiver = Keypair.generate().publicKey;
    const signature = await connection.requestAirdrop(receiver, 2 * LAMPORTS_PER_SOL);
    await connection.confirmTransaction({ signature, ...(await connection.getLatestBlockhash()) });
    expect(await connection.getBalance(receiver)).toBe(2 * LAMPORTS_PER_SOL);
    await expect(connection.requestAirdrop(receiver, 101 * LAMPORTS_PER_SOL)).rejects.toThrow(
      'at most 100 SOL',
    );
  });

  it('what fails in preflight gets the reason and the logs, and leaves nothing behind', async () => {
    const poor = Keypair.generate();
    const tooMuch = new Transaction().add(payTo(poor.publicKey, 10 ** 6 * LAMPORTS_PER_SOL));
    const failure: unknown = await connection
      .sendTransaction(tooMuch, [payer])
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SendTransactionError);
    expect(failure).toMatchObject({
      transactionError: {
        message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
        logs: expect.arrayContaining([expect.stringContaining('insufficient lamports')]),
      },
    });
    expect(await connection.getSignaturesForAddress(poor.publicKey)).toEqual([]);
  });

  it('what fails with preflight skipped is on the ledger with its error', async () => {
    const receiver = Keypair.generate().publicKey;
    const transaction = await versioned([payTo(receiver, 10 ** 6 * LAMPORTS_PER_SOL)]);
    const signature = await connection.sendTransaction(transaction, { skipPreflight: true });
    const err = { InstructionError: [0, { Custom: 1 }] };
    expect((await connection.getSignatureStatus(signature)).value).toMatchObject({ err });
    expect(await connection.getSignaturesForAddress(receiver)).toMatchObject([{ signature, err }]);
  });

  it('the same bytes twice: refused, or with preflight skipped answered as before', async () => {
    const transaction = await versioned([payTo(Keypair.generate().publicKey, LAMPORTS_PER_SOL)]);
    const signature = await connection.sendTransaction(transaction);
    await expect(connection.sendTransaction(transaction)).rejects.toThrow('already been processed');
    expect(await connection.sendTransaction(transaction, { skipPreflight: true })).toBe(signature);
  });

  it('a signature of someone else, or an old blockhash: refused', async () => {
    const forged = await versioned([payTo(Keypair.generate().publicKey, LAMPORTS_PER_SOL)]);
    forged.signatures[0]?.fill(7);
    await expect(connection.sendTransaction(forged)).rejects.toThrow('signature verification failure');
    const late = await versioned([payTo(Keypair.generate().publicKey, LAMPORTS_PER_SOL)]);
    ledger.advance(200);
    await expect(connection.sendTransaction(late)).rejects.toThrow('Blockhash not found');
  });
});

describe('web3.js simulates', () => {
  it('and gets logs, units and the accounts as they would be, and nothing happens', async () => {
    const receiver = Keypair.generate().publicKey;
    const transaction = await versioned([payTo(receiver, LAMPORTS_PER_SOL)]);
    const { value } = await connection.simulateTransaction(transaction, {
      sigVerify: true,
      accounts: { encoding: 'base64', addresses: [receiver.toBase58(), BD.toBase58()] },
    });
    expect(value).toMatchObject({ err: null, unitsConsumed: 150 });
    expect(value.logs).toContain('Program 11111111111111111111111111111111 success');
    expect(value.accounts?.[0]).toMatchObject({
      lamports: LAMPORTS_PER_SOL,
      owner: SystemProgram.programId.toBase58(),
    });
    expect(await connection.getBalance(receiver)).toBe(0);
  });

  it('with the newest blockhash put in, without signatures', async () => {
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: Keypair.generate().publicKey.toBase58(),
      instructions: [payTo(Keypair.generate().publicKey, LAMPORTS_PER_SOL)],
    });
    const unsigned = new VersionedTransaction(message.compileToV0Message());
    const { value } = await connection.simulateTransaction(unsigned, { replaceRecentBlockhash: true });
    expect(value.err).toBeNull();
    expect((await connection.simulateTransaction(unsigned)).value.err).toBe('BlockhashNotFound');
    await expect(connection.simulateTransaction(unsigned, { sigVerify: true })).rejects.toThrow(
      'signature verification failure',
    );
  });
});

describe('web3.js reads transactions', () => {
  const receiver = Keypair.generate();
  const holding = getAssociatedTokenAddressSync(BD, receiver.publicKey);
  let signature: string;

  beforeAll(async () => {
    const instructions = [
      createAssociatedTokenAccountIdempotentInstruction(payer.publicKey, holding, receiver.publicKey, BD),
      createTransferCheckedInstruction(payerHolding, BD, holding, payer.publicKey, 1_500_000n, 6),
      new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from('Danke 🦆') }),
    ];
    signature = await connection.sendTransaction(await versioned(instructions));
  });

  it('raw: message, balances and inner instructions', async () => {
    const transaction = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(transaction).toMatchObject({
      version: 0,
      meta: { err: null, fee: 5000, loadedAddresses: { readonly: [], writable: [] } },
    });
    const keys = transaction?.transaction.message.staticAccountKeys ?? [];
    expect(keys[0]).toEqual(payer.publicKey);
    const meta = transaction?.meta;
    const index = keys.findIndex((key) => key.equals(holding));
    expect(meta?.preTokenBalances?.some(({ accountIndex }) => accountIndex === index)).toBe(false);
    expect(meta?.postTokenBalances?.find(({ accountIndex }) => accountIndex === index)).toMatchObject({
      mint: LEDGER.mint,
      owner: receiver.publicKey.toBase58(),
      uiTokenAmount: { amount: '1500000', uiAmount: 1.5, uiAmountString: '1.5' },
    });
    const spent = (meta?.preBalances[0] ?? 0) - (meta?.postBalances[0] ?? 0);
    expect(spent).toBe(5000 + 2_039_280);
    expect(meta?.innerInstructions?.[0]?.index).toBe(0);
    expect(meta?.logMessages?.length).toBeGreaterThan(5);
    expect(meta?.computeUnitsConsumed).toBeGreaterThan(1000);
  });

  it('parsed: instructions by name, those called by others too', async () => {
    const transaction = await connection.getParsedTransaction(signature, {
      maxSupportedTransactionVersion: 0,
    });
    expect(transaction?.transaction.message.instructions).toMatchObject([
      {
        program: 'spl-associated-token-account',
        parsed: { type: 'createIdempotent', info: { mint: LEDGER.mint } },
      },
      {
        program: 'spl-token',
        parsed: {
          type: 'transferChecked',
          info: { destination: holding.toBase58(), tokenAmount: { amount: '1500000' } },
        },
      },
      { program: 'spl-memo', parsed: 'Danke 🦆' },
    ]);
    const called = transaction?.meta?.innerInstructions?.[0]?.instructions ?? [];
    expect(called.map((each) => ('parsed' in each ? each.parsed.type : each.programId.toBase58()))).toEqual([
      'getAccountDataSize',
      'createAccount',
      'initializeImmutableOwner',
      'initializeAccount3',
    ]);
    expect(transaction?.transaction.message.accountKeys[0]).toMatchObject({
      pubkey: payer.publicKey,
      signer: true,
      writable: true,
      source: 'transaction',
    });
  });

  it('many in one batch, answered in order, null for those that are not there', async () => {
    const rows = await connection.getSignaturesForAddress(payerHolding, { limit: 3 });
    const unknown = '1'.repeat(64);
    const signatures = [...rows.map((row) => row.signature), unknown, signature];
    const transactions = await connection.getTransactions(signatures, { maxSupportedTransactionVersion: 0 });
    expect(transactions.map((each) => each?.transaction.signatures[0] ?? unknown)).toEqual(signatures);
    const parsed = await connection.getParsedTransactions(signatures, { maxSupportedTransactionVersion: 0 });
    expect(parsed.map((each) => each?.transaction.signatures[0] ?? unknown)).toEqual(signatures);
  });

  it('of version 0 only where it says that it can', async () => {
    await expect(connection.getTransaction(signature, { commitment: 'confirmed' })).rejects.toThrow(
      '"maxSupportedTransactionVersion": 0',
    );
  });

  it('with the memo in the history, newest first', async () => {
    const rows = await connection.getSignaturesForAddress(holding);
    expect(rows).toMatchObject([
      { signature, err: null, memo: '[10] Danke 🦆', confirmationStatus: 'confirmed' },
    ]);
  });
});

describe('web3.js uses a lookup table', () => {
  it('and reads back which accounts came from it', async () => {
    const receiver = Keypair.generate().publicKey;
    const recentSlot = (await connection.getSlot()) - 1;
    const [create, table] = AddressLookupTableProgram.createLookupTable({
      authority: payer.publicKey,
      payer: payer.publicKey,
      recentSlot,
    });
    const extend = AddressLookupTableProgram.extendLookupTable({
      addresses: [BD, receiver],
      authority: payer.publicKey,
      payer: payer.publicKey,
      lookupTable: table,
    });
    await connection.sendTransaction(await versioned([create, extend]));
    ledger.advance(2);
    const { value: lookup } = await connection.getAddressLookupTable(table);
    expect(lookup?.state.addresses).toEqual([BD, receiver]);
    if (lookup === null) return;

    const { blockhash } = await connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: [payTo(receiver, LAMPORTS_PER_SOL)],
    });
    const transaction = new VersionedTransaction(message.compileToV0Message([lookup]));
    transaction.sign([payer]);
    const signature = await connection.sendTransaction(transaction);

    const raw = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(raw?.transaction.message.addressTableLookups).toEqual([
      { accountKey: table, writableIndexes: [1], readonlyIndexes: [] },
    ]);
    expect(raw?.meta?.loadedAddresses).toEqual({ writable: [receiver], readonly: [] });
    const parsed = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(parsed?.transaction.message.accountKeys.at(-1)).toMatchObject({
      pubkey: receiver,
      signer: false,
      writable: true,
      source: 'lookupTable',
    });
    expect(parsed?.transaction.message.instructions).toMatchObject([
      {
        parsed: { type: 'transfer', info: { destination: receiver.toBase58(), lamports: LAMPORTS_PER_SOL } },
      },
    ]);
    expect(await connection.getSignaturesForAddress(receiver)).toMatchObject([{ signature }]);
  });
});

describe('web3.js subscribes', () => {
  it('to an account, and hears of its new state', async () => {
    const receiver = Keypair.generate().publicKey;
    const changed = Promise.withResolvers<AccountInfo<Buffer>>();
    const id = connection.onAccountChange(receiver, (account) => changed.resolve(account));
    await subscribed(connection, id);
    await connection.sendTransaction(await versioned([payTo(receiver, LAMPORTS_PER_SOL)]));
    expect(await changed.promise).toMatchObject({
      lamports: LAMPORTS_PER_SOL,
      owner: SystemProgram.programId,
    });
    await connection.removeAccountChangeListener(id);
  });

  it('to slots, logs and a program', async () => {
    const slot = Promise.withResolvers<number>();
    const logs = Promise.withResolvers<string>();
    const account = Promise.withResolvers<PublicKey>();
    const ids = [
      connection.onSlotChange((info) => slot.resolve(info.slot)),
      connection.onLogs(payerHolding, (entry) => logs.resolve(entry.signature)),
      connection.onProgramAccountChange(
        new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
        ({ accountId }) => account.resolve(accountId),
        { filters: [{ dataSize: 165 }] },
      ),
    ];
    await Promise.all(ids.map((id) => subscribed(connection, id)));
    const back = getAssociatedTokenAddressSync(BD, new PublicKey(LEDGER.vaultOwner));
    const sent = await connection.sendTransaction(
      await versioned([createTransferCheckedInstruction(payerHolding, BD, back, payer.publicKey, 1n, 6)]),
    );
    ledger.advance(1);
    expect(await logs.promise).toBe(sent);
    expect([payerHolding.toBase58(), back.toBase58()]).toContain((await account.promise).toBase58());
    expect(await slot.promise).toBeLessThanOrEqual(ledger.chain.clock().slot);
    const [first = 0, second = 0, third = 0] = ids;
    await connection.removeSlotChangeListener(first);
    await connection.removeOnLogsListener(second);
    await connection.removeProgramAccountChangeListener(third);
  });
});

/** Resolves once the node has taken the subscription: what happens before is not announced. */
function subscribed(client: Connection, id: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // web3.js has it, without a typing.
  const { _onSubscriptionStateChange: listen } = client as unknown as {
    _onSubscriptionStateChange: (id: number, listener: (state: string) => void) => () => void;
  };
  const stop = listen.call(client, id, (state) => {
    if (state !== 'subscribed') return;
    stop();
    resolve();
  });
  return promise;
}
