import type { RpcCall } from './json-rpc.ts';
import {
  isAbsent,
  readJsonInteger,
  readJsonList,
  readJsonRecord,
  readJsonText,
  ShapeError,
} from './json-shape.ts';

/**
 * The JSON-RPC calls that the indexer makes, each with its parameters and the reader for its result.
 * Source: Solana's JSON-RPC HTTP reference (solana.com/docs/rpc/http).
 */

const CONFIRMED = 'confirmed';

/** Methods that need transaction history, which a node may not have. Source: Agave, `rpc/src/rpc.rs`. */
export const HISTORY_METHOD_NAMES: readonly string[] = ['getSignaturesForAddress', 'getTransaction'];

export interface SignatureInfo {
  readonly signature: string;
  readonly slot: number;
  readonly hasFailed: boolean;
  readonly isFinalized: boolean;
  /**
   * The transaction's index in the block. Reported by Agave 4 and later (github.com/anza-xyz/agave/pull/9683); null from older
   * nodes.
   */
  readonly transactionIndex: number | null;
  /** Unix ms; null if unknown. */
  readonly blockTime: number | null;
}

export interface AccountInfo {
  readonly owner: string;
  readonly lamports: bigint;
  readonly data: Uint8Array;
}

export interface AtSlot<T> {
  readonly slot: number;
  readonly value: T;
}

const BASE58_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

export function genesisHashCall(): RpcCall<string> {
  return {
    method: 'getGenesisHash',
    params: [],
    read: (result) => {
      const hash = readJsonText(result, 'the genesis hash');
      if (!BASE58_KEY.test(hash)) throw new ShapeError('the genesis hash is not base58');
      return hash;
    },
  };
}

export function slotCall(commitment: 'confirmed' | 'finalized'): RpcCall<number> {
  return {
    method: 'getSlot',
    params: [{ commitment }],
    read: (result, onSlot) => {
      const slot = readJsonInteger(result, 'the slot');
      if (commitment === CONFIRMED) onSlot(slot);
      return slot;
    },
  };
}

/** The slot of the first block that the node has, in its ledger or in long-term storage. */
export function firstAvailableBlockCall(): RpcCall<number> {
  return {
    method: 'getFirstAvailableBlock',
    params: [],
    read: (result) => readJsonInteger(result, 'the first available block'),
  };
}

/** The signatures of an address's transactions that are older than `before` and newer than `until`, newest first. */
export function signaturesCall(
  address: string,
  { before, until, limit }: { readonly before?: string; readonly until?: string; readonly limit: number },
): RpcCall<readonly SignatureInfo[]> {
  return {
    method: 'getSignaturesForAddress',
    params: [address, { commitment: CONFIRMED, limit, ...(before && { before }), ...(until && { until }) }],
    read: (result) => {
      const rows = readJsonList(result, 'the signatures').map(readSignatureInfo);
      for (const [index, row] of rows.entries()) {
        const newer = rows[index - 1];
        if (newer && newer.slot < row.slot) throw new ShapeError('the signatures are not newest first');
      }
      return rows;
    },
  };
}

function readSignatureInfo(value: unknown): SignatureInfo {
  const row = readJsonRecord(value, 'a signature row');
  return {
    signature: readJsonText(row.signature, 'a signature'),
    slot: readJsonInteger(row.slot, "a signature's slot"),
    hasFailed: !isAbsent(row.err),
    isFinalized: row.confirmationStatus === 'finalized',
    transactionIndex: isAbsent(row.transactionIndex)
      ? null
      : readJsonInteger(row.transactionIndex, "a transaction's index"),
    blockTime: isAbsent(row.blockTime)
      ? null
      : readJsonInteger(row.blockTime, "a transaction's block time") * 1_000,
  };
}

/** The slot of a recent transaction; null if the node does not know it. */
export function signatureSlotCall(signature: string): RpcCall<number | null> {
  return {
    method: 'getSignatureStatuses',
    params: [[signature]],
    read: (result) => {
      const [status] = readJsonList(readJsonRecord(result, 'the result').value, 'the statuses');
      return isAbsent(status)
        ? null
        : readJsonInteger(readJsonRecord(status, 'a status').slot, "a status's slot");
    },
  };
}

/**
 * A transaction in the format that `chain/decode.ts` reads; null if the node does not have it. The format is base64, because
 * nodes serve it faster than JSON.
 */
export function transactionCall(signature: string): RpcCall<unknown> {
  return { method: 'getTransaction', params: [signature, TRANSACTION_OPTIONS], read: (result) => result };
}
const TRANSACTION_OPTIONS = {
  commitment: CONFIRMED,
  encoding: 'base64',
  maxSupportedTransactionVersion: 1,
} as const;

/** Accounts at one slot, in the requested order; null for an account that does not exist. */
export function multipleAccountsCall(
  addresses: readonly string[],
  minContextSlot?: number,
): RpcCall<AtSlot<readonly (AccountInfo | null)[]>> {
  const config = { commitment: CONFIRMED, encoding: 'base64', ...(minContextSlot && { minContextSlot }) };
  return {
    method: 'getMultipleAccounts',
    params: [addresses, config],
    ...(minContextSlot && { minContextSlot }),
    read: (result, onSlot) => {
      const { slot, value } = readAtSlot(result, onSlot);
      const accounts = readJsonList(value, 'the accounts');
      if (accounts.length !== addresses.length) throw new ShapeError('the number of accounts is wrong');
      return { slot, value: accounts.map((account) => (account === null ? null : readAccountInfo(account))) };
    },
  };
}

interface ProgramAccountFilter {
  /** The size of the accounts (bytes). If it is absent, accounts of any size match. */
  readonly dataSize?: number;
  /** Bytes (base58) that the account's data must contain at an offset. */
  readonly memcmp: readonly { readonly offset: number; readonly bytes: string }[];
  /** The part of each account's data to return; absent for all of it. */
  readonly dataSlice?: { readonly offset: number; readonly length: number };
}

/** A program's accounts that match a filter, at one slot. */
export function programAccountsCall(
  program: string,
  { dataSize, memcmp, dataSlice }: ProgramAccountFilter,
  minContextSlot?: number,
): RpcCall<AtSlot<readonly (AccountInfo & { readonly address: string })[]>> {
  const sizes = dataSize === undefined ? [] : [{ dataSize }];
  const filters = [...sizes, ...memcmp.map((part) => ({ memcmp: part }))];
  const format = { encoding: 'base64', ...(dataSlice && { dataSlice }) };
  const config = { commitment: CONFIRMED, ...format, withContext: true, filters };
  return {
    method: 'getProgramAccounts',
    params: [program, { ...config, ...(minContextSlot && { minContextSlot }) }],
    ...(minContextSlot && { minContextSlot }),
    read: (result, onSlot) => {
      const { slot, value } = readAtSlot(result, onSlot);
      const accounts = readJsonList(value, 'the program accounts').map((entry) => {
        const { pubkey, account } = readJsonRecord(entry, 'a program account');
        return { address: readJsonText(pubkey, "a program account's address"), ...readAccountInfo(account) };
      });
      return { slot, value: accounts };
    },
  };
}

function readAtSlot(result: unknown, onSlot: (slot: number) => void): AtSlot<unknown> {
  const { context, value } = readJsonRecord(result, 'the result');
  const slot = readJsonInteger(readJsonRecord(context, 'the context').slot, "the context's slot");
  onSlot(slot);
  return { slot, value };
}

function readAccountInfo(value: unknown): AccountInfo {
  const { owner, lamports, data } = readJsonRecord(value, 'an account');
  const [encoded, encoding] = readJsonList(data, "an account's data");
  if (encoding !== 'base64') throw new ShapeError("an account's data is not base64");
  return {
    owner: readJsonText(owner, "an account's owner"),
    lamports: BigInt(readJsonInteger(lamports, "an account's lamports")),
    data: Buffer.from(readJsonText(encoded, "an account's data"), 'base64'),
  };
}
