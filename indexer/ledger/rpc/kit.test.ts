import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  assertIsTransactionWithBlockhashLifetime,
  type Base58EncodedBytes,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getStructEncoder,
  getU32Encoder,
  getU64Encoder,
  type Instruction,
  isSolanaError,
  type KeyPairSigner,
  lamports,
  pipe,
  type Rpc,
  type RpcSubscriptions,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  type SolanaRpcApi,
  type SolanaRpcSubscriptionsApi,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signature,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LEDGER } from '../addresses.ts';
import { FINALITY_SLOTS } from '../chain.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../programs.ts';
import { type LedgerUnderTest, startLedgerUnderTest } from '../testing/ledger-under-test.ts';
import { bdAccountOf } from '../token-instructions.ts';
import { ledgerAddress, ledgerKeypair } from '../wallets.ts';

const SOL = 1_000_000_000n;
const BD = address(LEDGER.mint);
const holding = address(bdAccountOf(ledgerAddress('holder-1')));
const transferData = getStructEncoder([
  ['instruction', getU32Encoder()],
  ['lamports', getU64Encoder()],
]);

let ledger: LedgerUnderTest;
let rpc: Rpc<SolanaRpcApi>;
let subscriptions: RpcSubscriptions<SolanaRpcSubscriptionsApi>;
let payer: KeyPairSigner;

beforeAll(async () => {
  ledger = await startLedgerUnderTest();
  rpc = createSolanaRpc(ledger.server.url);
  subscriptions = createSolanaRpcSubscriptions(ledger.server.websocketUrl);
  payer = await createKeyPairSignerFromBytes(ledgerKeypair('holder-1').secretKey);
});
beforeEach(() => ledger.advance(1));
afterAll(async () => {
  expect(ledger.faults).toEqual([]);
  await ledger.close();
});

function payTo(receiver: KeyPairSigner, amount: bigint): Instruction {
  return {
    programAddress: address(SYSTEM_PROGRAM),
    accounts: [
      { address: payer.address, role: AccountRole.WRITABLE_SIGNER },
      { address: receiver.address, role: AccountRole.WRITABLE },
    ],
    data: transferData.encode({ instruction: 2, lamports: amount }),
  };
}

async function signed(instruction: Instruction) {
  const { value: latest } = await rpc.getLatestBlockhash().send();
  const transaction = await pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(payer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(latest, message),
    (message) => appendTransactionMessageInstruction(instruction, message),
    (message) => signTransactionMessageWithSigners(message),
  );
  assertIsTransactionWithBlockhashLifetime(transaction);
  return transaction;
}

describe('@solana/kit', () => {
  it('sends and confirms over HTTP and websocket', async () => {
    const receiver = await generateKeyPairSigner();
    const transaction = await signed(payTo(receiver, SOL));
    const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions: subscriptions });
    await sendAndConfirm(transaction, { commitment: 'confirmed' });
    const { value } = await rpc.getBalance(receiver.address).send();
    expect(value).toBe(lamports(SOL));
    const status = await rpc.getSignatureStatuses([getSignatureFromTransaction(transaction)]).send();
    expect(status.value).toMatchObject([{ confirmationStatus: 'confirmed', confirmations: 0n, err: null }]);
  });

  it('waits for finality where it asks for it', async () => {
    const receiver = await generateKeyPairSigner();
    const transaction = await signed(payTo(receiver, SOL));
    const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions: subscriptions });
    const finalized = sendAndConfirm(transaction, { commitment: 'finalized' });
    const sent = getSignatureFromTransaction(transaction);
    await expect.poll(() => ledger.chain.transaction(sent)).not.toBeNull();
    ledger.finalize();
    await finalized;
    const options = {
      commitment: 'finalized',
      maxSupportedTransactionVersion: 0,
      encoding: 'jsonParsed',
    } as const;
    const found = await rpc.getTransaction(sent, options).send();
    expect(found?.transaction.message.instructions).toMatchObject([
      { program: 'system', parsed: { type: 'transfer', info: { lamports: SOL } } },
    ]);
  });

  it('reads accounts, the whole of a 64-bit figure included', async () => {
    const { value } = await rpc.getAccountInfo(BD, { encoding: 'jsonParsed' }).send();
    expect(value).toMatchObject({
      executable: false,
      owner: TOKEN_PROGRAM,
      space: 82n,
      data: { parsed: { type: 'mint', info: { decimals: 6, supply: '1000000000000000' } } },
    });
    const raw = await rpc.getMultipleAccounts([holding], { encoding: 'base64' }).send();
    expect(Buffer.from(raw.value[0]?.data[0] ?? '', 'base64')).toHaveLength(165);
    const packed = await rpc.getAccountInfo(holding, { encoding: 'base64+zstd' }).send();
    expect(packed.value?.data[1]).toBe('base64+zstd');
    const accounts = await rpc
      .getProgramAccounts(address(TOKEN_PROGRAM), {
        encoding: 'base64',
        filters: [
          { memcmp: { offset: 0n, bytes: BD as string as Base58EncodedBytes, encoding: 'base58' } },
          { dataSize: 165n },
        ],
      })
      .send();
    expect(accounts.map(({ pubkey }) => pubkey)).toContain(holding);
  });

  it('reads tokens and the clock', async () => {
    const { value } = await rpc.getTokenAccountBalance(holding).send();
    expect(value).toEqual({
      amount: '42000000000000',
      decimals: 6,
      uiAmount: 42_000_000,
      uiAmountString: '42000000',
    });
    const { slot } = ledger.chain.clock();
    expect(await rpc.getSlot({ commitment: 'finalized' }).send()).toBe(BigInt(slot - FINALITY_SLOTS));
    expect(await rpc.getSlot({ commitment: 'processed' }).send()).toBe(BigInt(slot));
    expect(await rpc.getEpochInfo().send()).toMatchObject({ absoluteSlot: BigInt(slot) });
    expect(await rpc.getHealth().send()).toBe('ok');
    expect((await rpc.getTokenLargestAccounts(BD).send()).value[0]?.decimals).toBe(6);
    const holdings = await rpc
      .getTokenAccountsByOwner(address(ledgerAddress('holder-1')), { mint: BD }, { encoding: 'jsonParsed' })
      .send();
    expect(holdings.value[0]?.account.data.parsed.info.tokenAmount.amount).toBe('42000000000000');
    expect(await rpc.getSignaturesForAddress(holding, { limit: 1 }).send()).toMatchObject([
      { err: null, memo: null, transactionIndex: 0 },
    ]);
  });

  it('learns why a preflight failed', async () => {
    const transaction = await signed(payTo(await generateKeyPairSigner(), 10n ** 6n * SOL));
    const failure: unknown = await rpc
      .sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' })
      .send()
      .catch((error: unknown) => error);
    expect(
      isSolanaError(failure, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE),
    ).toBe(true);
    expect(failure).toMatchObject({
      context: { logs: expect.arrayContaining([expect.stringContaining('insufficient lamports')]) },
      cause: { context: { code: 1, index: 0 } },
    });
  });

  it('learns that the ledger is not as far as it wants it', async () => {
    const minContextSlot = BigInt(ledger.chain.clock().slot + 5);
    const failure: unknown = await rpc
      .getBalance(BD, { minContextSlot })
      .send()
      .catch((error: unknown) => error);
    expect(isSolanaError(failure, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED)).toBe(
      true,
    );
    expect(failure).toMatchObject({ context: { contextSlot: minContextSlot - 5n } });
  });

  it('simulates, and estimates from it', async () => {
    const transaction = await signed(payTo(await generateKeyPairSigner(), SOL));
    const { value } = await rpc
      .simulateTransaction(getBase64EncodedWireTransaction(transaction), {
        encoding: 'base64',
        sigVerify: true,
      })
      .send();
    expect(value).toMatchObject({ err: null, unitsConsumed: 150n, accounts: null, returnData: null });
  });

  it('hears of accounts, slots and signatures', async () => {
    const receiver = await generateKeyPairSigner();
    const transaction = await signed(payTo(receiver, SOL));
    const stop = new AbortController();
    const options = { abortSignal: stop.signal };
    const accounts = await subscriptions
      .accountNotifications(receiver.address, { encoding: 'base64' })
      .subscribe(options);
    const signatures = await subscriptions
      .signatureNotifications(signature(getSignatureFromTransaction(transaction)))
      .subscribe(options);
    const slots = await subscriptions.slotNotifications().subscribe(options);
    // What arrives before one listens is lost.
    const heard = Promise.all([first(accounts), first(signatures), first(slots)]);
    await rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' }).send();
    ledger.advance(1);
    const { slot } = ledger.chain.clock();
    expect(await heard).toMatchObject([
      { value: { lamports: SOL, owner: SYSTEM_PROGRAM } },
      { value: { err: null } },
      { parent: BigInt(slot - 1), root: BigInt(slot - FINALITY_SLOTS), slot: BigInt(slot) },
    ]);
    stop.abort();
  });
});

async function first<T>(notifications: AsyncIterable<T>): Promise<T | undefined> {
  for await (const notification of notifications) return notification;
  return undefined;
}
