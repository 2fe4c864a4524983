import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AddressLookupTableAccount,
  type Keypair,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { decodeTokenAccount } from '../../chain/accounts.ts';
import {
  FINALITY_SLOTS,
  type LedgerChain,
  type LedgerTransaction,
  type SendOutcome,
  type SignatureRecord,
  SLOT_MILLISECONDS,
} from '../chain.ts';
import type { Engine } from '../engine.ts';
import { openChain } from '../open-chain.ts';
import { type RpcServer, startRpcServer } from '../rpc/server.ts';
import { signedTransactionBytes } from '../transactions.ts';

export const TEST_START = Date.UTC(2026, 0, 15, 12);

const folder = mkdtempSync(join(tmpdir(), 'ledger-test-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
// Vitest ends its processes with SIGTERM. Without a listener, the process would end without an `exit` event.
process.once('SIGTERM', () => process.exit());
let openedCount = 0;

/**
 * Copies a ledger that is created once per process. Creating one takes 0.2 s of processor time, or 1 s with history.
 * @returns the copy's path
 */
export function newLedgerFile(withHistory: boolean): string {
  const templateFile = join(folder, withHistory ? 'past.db' : 'bare.db');
  if (!existsSync(templateFile))
    openChain({ file: templateFile, now: () => TEST_START, withHistory }).close();
  openedCount += 1;
  const file = join(folder, `${openedCount}.db`);
  copyFileSync(templateFile, file);
  return file;
}

/**
 * Opens a ledger with a clock that only the test advances. The ledger has no history unless requested.
 * @param options.startAt Unix ms
 */
export function openTestLedger(options: { readonly history?: boolean; readonly startAt?: number } = {}): {
  readonly chain: Engine;
  readonly advance: (milliseconds: number) => void;
} {
  let now = options.startAt ?? TEST_START;
  const file = newLedgerFile(options.history ?? false);
  const chain = openChain({ file, now: () => now });
  const advance = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { chain, advance };
}

export interface ServedLedger {
  readonly chain: Engine;
  readonly server: RpcServer;
  /** The RPC methods that failed unexpectedly, each followed by its error: `[method, error, method, error, …]`. */
  readonly errors: readonly unknown[];
  advance(slots: number): void;
  finalize(): void;
  close(): Promise<void>;
}

export async function startServedLedger(): Promise<ServedLedger> {
  const { chain, advance } = openTestLedger();
  const errors: unknown[] = [];
  const server = await startRpcServer(chain, 0, (method, error) => errors.push(method, error));
  const advanceSlots = (slots: number): void => advance(slots * SLOT_MILLISECONDS);
  return {
    chain,
    server,
    errors,
    advance: advanceSlots,
    finalize: () => advanceSlots(FINALITY_SLOTS),
    async close() {
      await server.close();
      chain.close();
    },
  };
}

export async function post(url: string, body: string): Promise<{ status: number; reply: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  return { status: response.status, reply: text === '' ? null : JSON.parse(text) };
}

/** @returns the whole reply */
export async function callRpc(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const { reply } = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return reply;
}

export function sendInstructions(
  chain: LedgerChain,
  signers: readonly Keypair[],
  instructions: readonly TransactionInstruction[],
  options: { readonly skipPreflight?: boolean } = {},
): SendOutcome {
  const wire = signedTransactionBytes(instructions, signers, chain.latestBlockhash().blockhash);
  return chain.send(wire, { skipPreflight: options.skipPreflight ?? false });
}

/** @throws {Error} if the transaction was not accepted */
export function acceptedTransaction(outcome: SendOutcome): LedgerTransaction {
  if (outcome.kind === 'accepted') return outcome.transaction;
  throw new Error(
    `The ledger rejected the transaction: ${JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
  );
}

/** A signed version 0 transaction that takes accounts from lookup tables. */
export function signedWireV0(
  chain: LedgerChain,
  signer: Keypair,
  instructions: TransactionInstruction[],
  tables: AddressLookupTableAccount[],
): Uint8Array {
  const message = new TransactionMessage({
    payerKey: signer.publicKey,
    recentBlockhash: chain.latestBlockhash().blockhash,
    instructions,
  }).compileToV0Message(tables);
  const transaction = new VersionedTransaction(message);
  transaction.sign([signer]);
  return transaction.serialize();
}

/** Oldest first. */
export function signatureHistoryOf(chain: LedgerChain, address: string): readonly SignatureRecord[] {
  const found = chain.signaturesFor(address, { limit: 1_000_000 });
  return found.kind === 'found' ? found.rows.toReversed() : [];
}

/** Base units in a token account; 0 if the account does not exist. */
export function tokenAmount(chain: LedgerChain, tokenAccount: string): bigint {
  const account = chain.account(tokenAccount);
  return account === null ? 0n : (decodeTokenAccount(account)?.amount ?? 0n);
}
