// web3.js 1.99 works against the ledger without changes.

import {
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  type AccountInfo,
  type AddressLookupTableAccount,
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
import bs58 from 'bs58';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TOKEN_PROGRAM } from '../../chain/accounts.ts';
import { LEDGER, ledgerKeypair } from '../addresses.ts';
import { FINALITY_SLOTS } from '../chain.ts';
import {
  acceptedTransaction,
  callRpc,
  type ServedLedger,
  sendInstructions,
  startServedLedger,
} from '../testing/test-ledger.ts';
import { stopReconnecting, waitUntilSubscribed } from '../testing/web3-sockets.ts';
import { openTokenAccountInstruction } from '../transactions.ts';

const BD = new PublicKey(LEDGER.mint);
const TOKEN_PROGRAM_KEY = new PublicKey(TOKEN_PROGRAM);
const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const payer = ledgerKeypair('holder-1');
const holder = payer.publicKey;
const holderTokenAccount = getAssociatedTokenAddressSync(BD, holder);
const nobody = Keypair.generate().publicKey;
const V0 = { maxSupportedTransactionVersion: 0 } as const;

let ledger: ServedLedger;
let connection: Connection;
beforeAll(async () => {
  ledger = await startServedLedger();
  connection = new Connection(ledger.server.url, 'confirmed');
  // A token account for another mint, to test that filters by mint exclude it.
  const open = openTokenAccountInstruction(holder.toBase58(), holder.toBase58(), LEDGER.stakeMint);
  acceptedTransaction(sendInstructions(ledger.chain, [payer], [open]));
});
// Each test has its own slot and blockhash.
beforeEach(() => ledger.advance(1));
afterAll(async () => {
  expect(ledger.errors).toEqual([]);
  stopReconnecting(connection);
  await ledger.close();
});

function payTo(toPubkey: PublicKey, lamports = LAMPORTS_PER_SOL): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: holder, toPubkey, lamports });
}

function messageOf(recentBlockhash: string, ...instructions: TransactionInstruction[]): TransactionMessage {
  return new TransactionMessage({ payerKey: holder, recentBlockhash, instructions });
}

async function signTransaction(
  instructions: TransactionInstruction[],
  ...tables: AddressLookupTableAccount[]
) {
  const { blockhash } = await connection.getLatestBlockhash();
  const message = messageOf(blockhash, ...instructions).compileToV0Message(tables);
  const transaction = new VersionedTransaction(message);
  transaction.sign([payer]);
  return transaction;
}

async function send(...instructions: TransactionInstruction[]): Promise<string> {
  return connection.sendTransaction(await signTransaction(instructions));
}

const rpc = (method: string, ...params: unknown[]) => callRpc(ledger.server.url, method, params);
const rejection = (code: number) => ({ error: { code } });

describe('reading the node', () => {
  it('returns slot and height, which are 32 lower if finalized', async () => {
    const { slot, blockHeight } = ledger.chain.clock();
    expect(await connection.getSlot()).toBe(slot);
    expect(await connection.getSlot('finalized')).toBe(slot - FINALITY_SLOTS);
    expect(await connection.getBlockHeight()).toBe(blockHeight);
    expect(await connection.getBlockHeight('finalized')).toBe(blockHeight - FINALITY_SLOTS);
  });

  it('returns the time of a slot, and an error for a future one', async () => {
    const { slot, unixTime } = ledger.chain.clock();
    expect(await connection.getBlockTime(slot)).toBe(unixTime);
    expect(await rpc('getBlockTime', slot + 1)).toMatchObject(rejection(-32004));
  });

  it('returns the genesis, the first slot and the number of transactions', async () => {
    expect(await connection.getGenesisHash()).toBe(ledger.chain.genesisHash);
    expect(await connection.getFirstAvailableBlock()).toBe(0);
    const count = await connection.getTransactionCount();
    await send(payTo(nobody));
    expect(await connection.getTransactionCount()).toBe(count + 1);
  });

  it('returns rent, fees and the last valid height of a blockhash', async () => {
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
    const fees = await connection.getRecentPrioritizationFees({ lockedWritableAccounts: [BD] });
    expect(fees.at(-1)).toEqual({ slot: ledger.chain.clock().slot, prioritizationFee: 0 });
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash('finalized');
    expect(lastValidBlockHeight).toBe((await connection.getBlockHeight()) + 150);
    const message = messageOf(blockhash, payTo(nobody, 1));
    expect((await connection.getFeeForMessage(message.compileToV0Message())).value).toBe(5000);
    message.recentBlockhash = nobody.toBase58();
    expect((await connection.getFeeForMessage(message.compileToLegacyMessage())).value).toBeNull();
  });
});

describe('reading accounts', () => {
  it('returns balances, accounts and slices, and null for a missing account', async () => {
    expect(await connection.getBalance(ledgerKeypair('holder-2').publicKey)).toBe(50 * LAMPORTS_PER_SOL);
    expect(await connection.getBalance(Keypair.generate().publicKey)).toBe(0);
    const account = await connection.getAccountInfo(BD);
    expect(account).toMatchObject({ executable: false, owner: TOKEN_PROGRAM_KEY });
    expect(account?.data).toHaveLength(82);
    const slice = await connection.getAccountInfo(BD, { dataSlice: { offset: 44, length: 1 } });
    expect([...(slice?.data ?? [])]).toEqual([6]);
    const accounts = await connection.getMultipleAccountsInfo([holder, Keypair.generate().publicKey, BD]);
    expect(accounts.map((each) => each?.data.length ?? null)).toEqual([0, null, 82]);
  });

  it('filters the accounts of a program by size and bytes', async () => {
    const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: LEDGER.mint } }];
    const all = await connection.getProgramAccounts(TOKEN_PROGRAM_KEY, { filters });
    expect(all.length).toBeGreaterThan(20);
    expect(all.every(({ account }) => account.data.subarray(0, 32).equals(BD.toBuffer()))).toBe(true);
    const bytes = holder.toBuffer().toString('base64');
    const ofHolder = { memcmp: { offset: 32, bytes, encoding: 'base64' as const } };
    const wrapped = await connection.getProgramAccounts(TOKEN_PROGRAM_KEY, {
      dataSlice: { offset: 32, length: 32 },
      filters: [...filters, ofHolder],
      withContext: true,
    });
    expect(wrapped.value).toMatchObject([
      { pubkey: holderTokenAccount, account: { data: holder.toBuffer() } },
    ]);
    const none = [{ memcmp: { offset: 160, bytes: bs58.encode(Buffer.alloc(10)) } }];
    expect(await connection.getProgramAccounts(TOKEN_PROGRAM_KEY, { filters: none })).toEqual([]);
  });

  it('returns -32600 for data that is too long for base58, but returns a slice of it', async () => {
    const read = (config: object) => rpc('getAccountInfo', LEDGER.vault, config);
    expect(await read({ encoding: 'base58' })).toMatchObject(rejection(-32600));
    const dataSlice = { offset: 0, length: 32 };
    expect(await read({ encoding: 'base58', dataSlice })).toMatchObject({
      result: { value: { data: [LEDGER.mint, 'base58'], space: 165 } },
    });
    expect(await read({ dataSlice })).toMatchObject({ result: { value: { data: LEDGER.mint } } });
  });
});

describe('reading tokens', () => {
  it('returns the balance of a token account', async () => {
    const other = getAssociatedTokenAddressSync(BD, ledgerKeypair('holder-3').publicKey);
    const { value } = await connection.getTokenAccountBalance(other);
    expect(value).toEqual({
      amount: '31063000000000',
      decimals: 6,
      uiAmount: 31_063_000,
      uiAmountString: '31063000',
    });
    await expect(connection.getTokenAccountBalance(holder)).rejects.toThrow('not a Token account');
  });

  it('lists the holdings of an owner by mint and by program', async () => {
    const byMint = await connection.getTokenAccountsByOwner(holder, { mint: BD });
    expect(byMint.value).toMatchObject([
      { pubkey: holderTokenAccount, account: { owner: TOKEN_PROGRAM_KEY } },
    ]);
    expect(
      (await connection.getTokenAccountsByOwner(holder, { programId: TOKEN_PROGRAM_KEY })).value,
    ).toHaveLength(2);
    expect((await connection.getTokenAccountsByOwner(nobody, { mint: BD })).value).toEqual([]);
    await expect(connection.getTokenAccountsByOwner(holder, { programId: BD })).rejects.toThrow(
      'unrecognized Token program',
    );
  });

  it('lists the accounts that a delegate may spend from', async () => {
    const delegate = Keypair.generate().publicKey;
    const [holdings, config] = [{ programId: TOKEN_PROGRAM }, { encoding: 'base64' }];
    const list = () => rpc('getTokenAccountsByDelegate', delegate.toBase58(), holdings, config);
    expect(await list()).toMatchObject({ result: { value: [] } });
    await send(createApproveInstruction(holderTokenAccount, delegate, holder, 5n));
    expect(await list()).toMatchObject({ result: { value: [{ pubkey: holderTokenAccount.toBase58() }] } });
  });

  it('lists the twenty largest accounts, largest first', async () => {
    const { value } = await connection.getTokenLargestAccounts(BD);
    const amounts = value.map(({ amount }) => BigInt(amount));
    expect(amounts).toHaveLength(20);
    expect(amounts).toEqual(amounts.toSorted((one, other) => (one > other ? -1 : 1)));
    expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBeLessThanOrEqual(10n ** 15n);
  });
});

describe('sending', () => {
  it('confirms over the websocket on the next port', async () => {
    const receiver = Keypair.generate().publicKey;
    const transaction = new Transaction().add(payTo(receiver));
    const signature = await sendAndConfirmTransaction(connection, transaction, [payer]);
    expect(await connection.getBalance(receiver)).toBe(LAMPORTS_PER_SOL);
    const { value } = await connection.getSignatureStatus(signature);
    expect(value).toMatchObject({ err: null, confirmationStatus: 'confirmed', confirmations: 0 });
  });

  it('waits for finality if requested', async () => {
    const latest = await connection.getLatestBlockhash();
    const signature = await send(payTo(nobody));
    const confirmed = connection.confirmTransaction({ signature, ...latest }, 'finalized');
    const read = () => connection.getTransaction(signature, { ...V0, commitment: 'finalized' as const });
    expect(await read()).toBeNull();
    ledger.finalize();
    expect((await confirmed).value.err).toBeNull();
    expect(await read()).toMatchObject({ version: 0 });
  });

  it('credits an airdrop to its receiver', async () => {
    const receiver = Keypair.generate().publicKey;
    const signature = await connection.requestAirdrop(receiver, 2 * LAMPORTS_PER_SOL);
    await connection.confirmTransaction({ signature, ...(await connection.getLatestBlockhash()) });
    expect(await connection.getBalance(receiver)).toBe(2 * LAMPORTS_PER_SOL);
  });

  it('reports the reason and the logs of a failed preflight, and stores nothing', async () => {
    const poor = Keypair.generate();
    const tooMuch = new Transaction().add(payTo(poor.publicKey, 10 ** 6 * LAMPORTS_PER_SOL));
    const failure: unknown = await connection.sendTransaction(tooMuch, [payer]).catch((error) => error);
    expect(failure).toBeInstanceOf(SendTransactionError);
    expect(failure).toMatchObject({
      transactionError: {
        message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
        logs: expect.arrayContaining([expect.stringContaining('insufficient lamports')]),
      },
    });
    expect(await connection.getSignaturesForAddress(poor.publicKey)).toEqual([]);
  });

  it('returns the same signature for a transaction that is sent again without preflight', async () => {
    const transaction = await signTransaction([payTo(nobody)]);
    const signature = await connection.sendTransaction(transaction);
    await expect(connection.sendTransaction(transaction)).rejects.toThrow('already been processed');
    expect(await connection.sendTransaction(transaction, { skipPreflight: true })).toBe(signature);
  });

  it('rejects a forged signature and an expired blockhash', async () => {
    const forged = await signTransaction([payTo(nobody)]);
    forged.signatures[0]?.fill(7);
    await expect(connection.sendTransaction(forged)).rejects.toThrow('signature verification failure');
    const late = await signTransaction([payTo(nobody)]);
    ledger.advance(200);
    await expect(connection.sendTransaction(late)).rejects.toThrow('Blockhash not found');
  });
});

describe('simulating', () => {
  it('returns logs, units and accounts, and changes nothing', async () => {
    const receiver = Keypair.generate().publicKey;
    const { value } = await connection.simulateTransaction(await signTransaction([payTo(receiver)]), {
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

  it('replaces the blockhash and verifies signatures only if requested', async () => {
    const message = messageOf(nobody.toBase58(), payTo(nobody)).compileToV0Message();
    const unsigned = new VersionedTransaction(message);
    const replaced = await connection.simulateTransaction(unsigned, { replaceRecentBlockhash: true });
    expect(replaced.value.err).toBeNull();
    expect((await connection.simulateTransaction(unsigned)).value.err).toBe('BlockhashNotFound');
    await expect(connection.simulateTransaction(unsigned, { sigVerify: true })).rejects.toThrow(
      'signature verification failure',
    );
  });
});

describe('reading a transaction', () => {
  const receiver = Keypair.generate();
  const receiverTokenAccount = getAssociatedTokenAddressSync(BD, receiver.publicKey);
  let signature: string;
  beforeAll(async () => {
    signature = await send(
      createAssociatedTokenAccountIdempotentInstruction(holder, receiverTokenAccount, receiver.publicKey, BD),
      createTransferCheckedInstruction(holderTokenAccount, BD, receiverTokenAccount, holder, 1_500_000n, 6),
      new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from('Danke 🦆') }),
    );
  });

  it('returns message, balances and inner instructions', async () => {
    const transaction = await connection.getTransaction(signature, V0);
    expect(transaction).toMatchObject({
      version: 0,
      meta: { err: null, fee: 5000, loadedAddresses: { readonly: [], writable: [] } },
    });
    const keys = transaction?.transaction.message.staticAccountKeys ?? [];
    expect(keys[0]).toEqual(holder);
    const meta = transaction?.meta;
    const index = keys.findIndex((key) => key.equals(receiverTokenAccount));
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

  it('returns many in one batch, in order, with null for unknown ones', async () => {
    const rows = await connection.getSignaturesForAddress(holderTokenAccount, { limit: 3 });
    const unknown = '1'.repeat(64);
    const signatures = [...rows.map((row) => row.signature), unknown, signature];
    const transactions = await connection.getTransactions(signatures, V0);
    expect(transactions.map((each) => each?.transaction.signatures[0] ?? unknown)).toEqual(signatures);
  });

  it('rejects version 0 with -32015 if the caller does not support it', async () => {
    const read = rpc('getTransaction', signature, { commitment: 'confirmed' });
    expect(await read).toMatchObject(rejection(-32015));
  });

  it('lists the transaction with its memo', async () => {
    expect(await connection.getSignaturesForAddress(receiverTokenAccount)).toMatchObject([
      { signature, err: null, memo: '[10] Danke 🦆', confirmationStatus: 'confirmed' },
    ]);
  });

  it('returns the accounts that came from a lookup table', async () => {
    const friend = Keypair.generate().publicKey;
    const owner = { authority: holder, payer: holder };
    const recentSlot = (await connection.getSlot()) - 1;
    const [create, table] = AddressLookupTableProgram.createLookupTable({ ...owner, recentSlot });
    const addresses = [BD, friend];
    const extend = AddressLookupTableProgram.extendLookupTable({ ...owner, lookupTable: table, addresses });
    await send(create, extend);
    ledger.advance(2);
    const { value: lookup } = await connection.getAddressLookupTable(table);
    expect(lookup?.state.addresses).toEqual(addresses);
    if (lookup === null) return;

    const sent = await connection.sendTransaction(await signTransaction([payTo(friend)], lookup));
    const read = await connection.getTransaction(sent, V0);
    expect(read?.transaction.message.addressTableLookups).toEqual([
      { accountKey: table, writableIndexes: [1], readonlyIndexes: [] },
    ]);
    expect(read?.meta?.loadedAddresses).toEqual({ writable: [friend], readonly: [] });
    expect(await connection.getBalance(friend)).toBe(LAMPORTS_PER_SOL);
    expect(await connection.getSignaturesForAddress(friend)).toMatchObject([{ signature: sent }]);
  });
});

describe('subscribing', () => {
  it('notifies of account changes, logs and slots', async () => {
    const receiver = Keypair.generate().publicKey;
    const account = Promise.withResolvers<AccountInfo<Buffer>>();
    const logs = Promise.withResolvers<string>();
    const slot = Promise.withResolvers<number>();
    const accountListenerId = connection.onAccountChange(receiver, account.resolve);
    const logsListenerId = connection.onLogs(receiver, (entry) => logs.resolve(entry.signature));
    const slotListenerId = connection.onSlotChange((info) => slot.resolve(info.slot));
    await Promise.all(
      [accountListenerId, logsListenerId, slotListenerId].map((id) => waitUntilSubscribed(connection, id)),
    );
    const sent = await send(payTo(receiver));
    ledger.advance(1);
    expect(await account.promise).toMatchObject({
      lamports: LAMPORTS_PER_SOL,
      owner: SystemProgram.programId,
    });
    expect(await logs.promise).toBe(sent);
    expect(await slot.promise).toBeLessThanOrEqual(ledger.chain.clock().slot);
    await connection.removeAccountChangeListener(accountListenerId);
    await connection.removeOnLogsListener(logsListenerId);
    await connection.removeSlotChangeListener(slotListenerId);
  });
});
