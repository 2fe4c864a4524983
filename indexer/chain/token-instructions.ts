import type { ChainAlarmKind } from '../../data/model/chain-events.ts';
import { ShapeError } from '../rpc/json-shape.ts';
import { base58Text } from './base58.ts';
import { type AccountKeys, KEY_BYTES } from './wire-transaction.ts';

/** What a token program's instruction did to a token account, besides moving its balance. */
export interface TokenAccountAction {
  readonly kind: ChainAlarmKind;
  /** The account's index in the transaction. */
  readonly account: number;
  /** The new address; null if an authority was removed, or the account closed. */
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

/** Source: `AuthorityType`. The others are authorities over a mint. */
const ACCOUNT_OWNER = 2;
const CLOSE_AUTHORITY = 3;

/** Source: `TransferFeeInstruction`. */
const CHECKED_WITH_FEE = 1;

/** A transfer, with accounts by their index in the transaction. */
interface TokenTransfer {
  readonly source: number;
  readonly destination: number;
  /** Base units, before a transfer fee. */
  readonly amount: bigint;
}

/** Null if the instruction of SPL Token or Token-2022 is no transfer. */
export function readTransfer(accounts: Uint8Array, data: Uint8Array): TokenTransfer | null {
  switch (data[0]) {
    case TRANSFER:
      return transfer(accounts[0], accounts[1], data, 1);
    case TRANSFER_CHECKED:
      // The mint is between the two.
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
 * Appends what an instruction of SPL Token or Token-2022 did to token accounts. A batch counts as its instructions.
 * Bytes behind the arguments are ignored, as the programs do.
 *
 * @throws {ShapeError} if the programs would have rejected it
 */
export function readAccountActions(
  accounts: Uint8Array,
  data: Uint8Array,
  keys: AccountKeys,
  acts: TokenAccountAction[],
): void {
  switch (data[0]) {
    case APPROVE:
      acts.push(action('delegate-approved', accounts, keys.addressAt(accountAt(accounts, 1))));
      break;
    case APPROVE_CHECKED:
      // The mint is between the account and the delegate.
      acts.push(action('delegate-approved', accounts, keys.addressAt(accountAt(accounts, 2))));
      break;
    case SET_AUTHORITY:
      if (data[1] === ACCOUNT_OWNER) acts.push(action('owner-changed', accounts, newAuthority(data)));
      if (data[1] === CLOSE_AUTHORITY)
        acts.push(action('close-authority-changed', accounts, newAuthority(data)));
      break;
    case CLOSE_ACCOUNT:
      acts.push(action('account-closed', accounts, null));
      break;
    case BATCH:
      readBatch(accounts, data, keys, acts);
      break;
  }
}

function action(kind: ChainAlarmKind, accounts: Uint8Array, address: string | null): TokenAccountAction {
  return { kind, account: accountAt(accounts, 0), address };
}

function accountAt(accounts: Uint8Array, index: number): number {
  const account = accounts[index];
  if (account === undefined) throw new ShapeError('a token instruction lacks accounts');
  return account;
}

/** An optional key: a flag byte, then the key. */
function newAuthority(data: Uint8Array): string | null {
  const isGiven = data[2];
  if (isGiven === 0) return null;
  const key = data.subarray(3, 3 + KEY_BYTES);
  if (isGiven !== 1 || key.length !== KEY_BYTES) throw new ShapeError('a token instruction is cut off');
  return base58Text(key);
}

/**
 * Each instruction in a batch is preceded by its number of accounts and its length, a byte each. Source:
 * `process_batch` of p-token, which replaced SPL Token at its address with SIMD-0266.
 */
function readBatch(
  accounts: Uint8Array,
  data: Uint8Array,
  keys: AccountKeys,
  acts: TokenAccountAction[],
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
    readAccountActions(accounts.subarray(account, accountsEnd), data.subarray(begin, end), keys, acts);
    account = accountsEnd;
    at = end;
  }
}
