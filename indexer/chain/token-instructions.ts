import type { ChainAlarmKind } from '../../data/model/chain-events.ts';
import { ShapeError } from '../rpc/json-shape.ts';
import { encodeBase58 } from './base58.ts';
import { type AccountKeys, KEY_BYTES } from './wire-transaction.ts';

/** A change that a token instruction makes to a token account, other than a change of its balance. */
export interface TokenAccountAction {
  readonly kind: ChainAlarmKind;
  readonly accountIndex: number;
  /** The new owner, authority or delegate; null if an authority was removed or the account was closed. */
  readonly address: string | null;
}

/** Source: `TokenInstruction` of `spl-token` and `spl-token-2022`, which share these numbers. */
const TRANSFER = 3;
const APPROVE = 4;
const SET_AUTHORITY = 6;
const CLOSE_ACCOUNT = 9;
const TRANSFER_CHECKED = 12;
const APPROVE_CHECKED = 13;
const TRANSFER_FEE_EXTENSION = 26;
const BATCH = 255;

/** Source: `AuthorityType`. Its other values are authorities over a mint. */
const ACCOUNT_OWNER = 2;
const CLOSE_AUTHORITY = 3;

/** Source: `TransferFeeInstruction`. */
const TRANSFER_CHECKED_WITH_FEE = 1;

/** Each index refers to the transaction's list of accounts. */
interface TokenTransfer {
  readonly sourceIndex: number;
  readonly destinationIndex: number;
  /** Base units, before any transfer fee is deducted. */
  readonly amount: bigint;
}

/** Reads a transfer of SPL Token or Token-2022; null if the instruction is something else. */
export function readTransfer(accounts: Uint8Array, data: Uint8Array): TokenTransfer | null {
  switch (data[0]) {
    case TRANSFER:
      return decodeTransfer(accounts[0], accounts[1], data, 1);
    case TRANSFER_CHECKED:
      // The mint is between the source and the destination.
      return decodeTransfer(accounts[0], accounts[2], data, 1);
    case TRANSFER_FEE_EXTENSION:
      return data[1] === TRANSFER_CHECKED_WITH_FEE ? decodeTransfer(accounts[0], accounts[2], data, 2) : null;
    default:
      return null;
  }
}

function decodeTransfer(
  sourceIndex: number | undefined,
  destinationIndex: number | undefined,
  data: Uint8Array,
  amountOffset: number,
): TokenTransfer | null {
  if (sourceIndex === undefined || destinationIndex === undefined || data.length < amountOffset + 8)
    return null;
  const amount = new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(amountOffset, true);
  return { sourceIndex, destinationIndex, amount };
}

/**
 * Appends the effects that an SPL Token or Token-2022 instruction has on token accounts. For a batch, appends the effects of
 * each instruction in the batch. Like the programs, it ignores bytes after the arguments.
 *
 * @throws {ShapeError} if the programs would have rejected the instruction
 */
export function appendAccountActions(
  accounts: Uint8Array,
  data: Uint8Array,
  keys: AccountKeys,
  actions: TokenAccountAction[],
): void {
  const add = (kind: ChainAlarmKind, address: string | null) =>
    actions.push({ kind, accountIndex: accountAt(accounts, 0), address });
  switch (data[0]) {
    case APPROVE:
      add('delegate-approved', keys.addressAt(accountAt(accounts, 1)));
      break;
    case APPROVE_CHECKED:
      // The mint is between the account and the delegate.
      add('delegate-approved', keys.addressAt(accountAt(accounts, 2)));
      break;
    case SET_AUTHORITY:
      if (data[1] === ACCOUNT_OWNER) add('owner-changed', readNewAuthority(data));
      if (data[1] === CLOSE_AUTHORITY) add('close-authority-changed', readNewAuthority(data));
      break;
    case CLOSE_ACCOUNT:
      add('account-closed', null);
      break;
    case BATCH:
      appendBatchActions(accounts, data, keys, actions);
      break;
  }
}

function accountAt(accounts: Uint8Array, index: number): number {
  const account = accounts[index];
  if (account === undefined) throw new ShapeError('a token instruction lacks accounts');
  return account;
}

/** Reads an optional key: a flag byte, then the key. */
function readNewAuthority(data: Uint8Array): string | null {
  const flag = data[2];
  if (flag === 0) return null;
  const key = data.subarray(3, 3 + KEY_BYTES);
  if (flag !== 1 || key.length !== KEY_BYTES) throw new ShapeError('a token instruction is cut off');
  return encodeBase58(key);
}

/**
 * In a batch, two bytes precede each instruction: its number of accounts and its length. Source: `process_batch` of p-token,
 * which replaced SPL Token at its address (SIMD-0266).
 */
function appendBatchActions(
  accounts: Uint8Array,
  data: Uint8Array,
  keys: AccountKeys,
  actions: TokenAccountAction[],
): void {
  let accountsBegin = 0;
  let at = 1;
  while (at < data.length) {
    const accountsEnd = accountsBegin + (data[at] ?? 0);
    const begin = at + 2;
    const end = begin + (data[at + 1] ?? 0);
    if (begin > data.length || end > data.length || accountsEnd > accounts.length) {
      throw new ShapeError('a batch of token instructions is cut off');
    }
    appendAccountActions(
      accounts.subarray(accountsBegin, accountsEnd),
      data.subarray(begin, end),
      keys,
      actions,
    );
    accountsBegin = accountsEnd;
    at = end;
  }
}
