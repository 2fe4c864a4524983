import type { ChainAlarmKind } from '../../data/model/chain-events.ts';
import { ShapeError } from '../rpc/json-shape.ts';
import { base58Text } from './base58.ts';
import { type AccountKeys, KEY_BYTES } from './wire-transaction.ts';

/** An effect of a token instruction on a token account, other than on its balance. */
export interface TokenAccountAction {
  readonly kind: ChainAlarmKind;
  /** The account's index in the transaction. */
  readonly account: number;
  /** The new owner, authority or delegate; null if an authority was removed, or the account closed. */
  readonly address: string | null;
}

/** Source: `TokenInstruction` of `spl-token` and `spl-token-2022`, which share these numbers. */
const TRANSFER = 3;
const APPROVE = 4;
const SET_AUTHORITY = 6;
const CLOSE_ACCOUNT = 9;
const TRANSFER_CHECKED = 12;
const APPROVE_CHECKED = 13;
const TRANSFER_FEE = 26;
const BATCH = 255;

/** Source: `AuthorityType`. Its other values are authorities over a mint. */
const ACCOUNT_OWNER = 2;
const CLOSE_AUTHORITY = 3;

/** Source: `TransferFeeInstruction`. */
const CHECKED_WITH_FEE = 1;

/** A transfer. Its accounts are indexes in the transaction. */
interface TokenTransfer {
  readonly source: number;
  readonly destination: number;
  /** Base units, before a transfer fee. */
  readonly amount: bigint;
}

/** Null if an instruction of SPL Token or Token-2022 is not a transfer. */
export function readTransfer(accounts: Uint8Array, data: Uint8Array): TokenTransfer | null {
  switch (data[0]) {
    case TRANSFER:
      return transfer(accounts[0], accounts[1], data, 1);
    case TRANSFER_CHECKED:
      // The mint is between the source and the destination.
      return transfer(accounts[0], accounts[2], data, 1);
    case TRANSFER_FEE:
      return data[1] === CHECKED_WITH_FEE ? transfer(accounts[0], accounts[2], data, 2) : null;
    default:
      return null;
  }
}

function transfer(
  source: number | undefined,
  destination: number | undefined,
  data: Uint8Array,
  at: number,
): TokenTransfer | null {
  if (source === undefined || destination === undefined || data.length < at + 8) return null;
  const amount = new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(at, true);
  return { source, destination, amount };
}

/**
 * Appends the effects of an instruction of SPL Token or Token-2022 on token accounts. For a batch, these are the effects of
 * each instruction in it. Like the programs, this ignores bytes after the arguments.
 *
 * @throws {ShapeError} if the programs would have rejected the instruction
 */
export function readAccountActions(
  accounts: Uint8Array,
  data: Uint8Array,
  keys: AccountKeys,
  actions: TokenAccountAction[],
): void {
  const add = (kind: ChainAlarmKind, address: string | null) =>
    actions.push({ kind, account: accountAt(accounts, 0), address });
  switch (data[0]) {
    case APPROVE:
      add('delegate-approved', keys.addressAt(accountAt(accounts, 1)));
      break;
    case APPROVE_CHECKED:
      // The mint is between the account and the delegate.
      add('delegate-approved', keys.addressAt(accountAt(accounts, 2)));
      break;
    case SET_AUTHORITY:
      if (data[1] === ACCOUNT_OWNER) add('owner-changed', newAuthority(data));
      if (data[1] === CLOSE_AUTHORITY) add('close-authority-changed', newAuthority(data));
      break;
    case CLOSE_ACCOUNT:
      add('account-closed', null);
      break;
    case BATCH:
      readBatch(accounts, data, keys, actions);
      break;
  }
}

function accountAt(accounts: Uint8Array, index: number): number {
  const account = accounts[index];
  if (account === undefined) throw new ShapeError('a token instruction lacks accounts');
  return account;
}

/** Reads an optional key: a flag byte, then the key. */
function newAuthority(data: Uint8Array): string | null {
  const flag = data[2];
  if (flag === 0) return null;
  const key = data.subarray(3, 3 + KEY_BYTES);
  if (flag !== 1 || key.length !== KEY_BYTES) throw new ShapeError('a token instruction is cut off');
  return base58Text(key);
}

/**
 * In a batch, two bytes precede each instruction: its number of accounts and its length. Source: `process_batch` of p-token,
 * which replaced SPL Token at its address (SIMD-0266).
 */
function readBatch(
  accounts: Uint8Array,
  data: Uint8Array,
  keys: AccountKeys,
  actions: TokenAccountAction[],
): void {
  let account = 0;
  let at = 1;
  while (at < data.length) {
    const accountsEnd = account + (data[at] ?? 0);
    const begin = at + 2;
    const end = begin + (data[at + 1] ?? 0);
    if (begin > data.length || end > data.length || accountsEnd > accounts.length) {
      throw new ShapeError('a batch of token instructions is cut off');
    }
    readAccountActions(accounts.subarray(account, accountsEnd), data.subarray(begin, end), keys, actions);
    account = accountsEnd;
    at = end;
  }
}
