import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { encodeKey } from './base58-cache.ts';
import type { LedgerAccount, LedgerTransaction, TransactionErrorJson } from './chain.ts';
import { NONCE_ACCOUNT_BYTES } from './message-checks.ts';
import { LOADER_PROGRAMS, LOOKUP_TABLE_PROGRAM, SYSTEM_PROGRAM } from './programs.ts';
import { isWritableStaticKey, MAX_ACCOUNT_LOCKS, type TableLookup, type WireTransaction } from './wire.ts';

type LoadedAddresses = LedgerTransaction['loadedAddresses'];
type ReadAccount = (address: string) => LedgerAccount | null;

export interface ResolvedTransaction {
  readonly wire: WireTransaction;
  /** Static keys, then loaded writable keys, then loaded readonly keys. */
  readonly keys: readonly string[];
  readonly loadedAddresses: LoadedAddresses;
  isSigner(index: number): boolean;
  isWritable(index: number): boolean;
}

type Resolution<T> =
  | { readonly kind: 'resolved'; readonly value: T }
  | { readonly kind: 'refused'; readonly err: TransactionErrorJson };

const refuse = (err: TransactionErrorJson) => ({ kind: 'refused', err }) as const;

/**
 * Loads a transaction's addresses from lookup tables, and refuses a transaction with invalid accounts, fee payer or programs.
 */
export function resolveTransaction(
  wire: WireTransaction,
  slot: number,
  read: ReadAccount,
): Resolution<ResolvedTransaction> {
  const { message } = wire;
  const { header, staticKeys, lookups, instructions } = message;
  const resolution = resolveLookups(lookups, slot, read);
  if (resolution.kind === 'refused') return resolution;
  const loadedAddresses = resolution.value;
  const keys =
    lookups.length === 0
      ? staticKeys
      : [...staticKeys, ...loadedAddresses.writable, ...loadedAddresses.readonly];
  if (keys.length > MAX_ACCOUNT_LOCKS) return refuse('TooManyAccountLocks');
  if (new Set(keys).size !== keys.length) return refuse('AccountLoadedTwice');
  const payerError = feePayerError(keys[0], read);
  if (payerError !== null) return refuse(payerError);
  for (const [index, instruction] of instructions.entries()) {
    const program = staticKeys[instruction.programIdIndex];
    if (program === undefined) return refuse('ProgramAccountNotFound');
    if (program === STAKING_PROGRAM) continue;
    if (LOADER_PROGRAMS.has(program)) return refuse({ InstructionError: [index, 'UnsupportedProgramId'] });
    if (read(program) === null) return refuse('ProgramAccountNotFound');
  }
  const loadedWritableEnd = staticKeys.length + loadedAddresses.writable.length;
  return {
    kind: 'resolved',
    value: {
      wire,
      keys,
      loadedAddresses,
      isSigner: (index) => index < header.requiredSignatures,
      isWritable: (index) =>
        index < staticKeys.length ? isWritableStaticKey(message, index) : index < loadedWritableEnd,
    },
  };
}

/**
 * Rejects a fee payer that is not a wallet, such as the instructions sysvar. LiteSVM does not check this: it would charge the
 * fee to the next account.
 */
function feePayerError(payer: string | undefined, read: ReadAccount): TransactionErrorJson | null {
  const account = payer === undefined ? null : read(payer);
  if (account === null) return 'AccountNotFound';
  const isWallet = account.owner === SYSTEM_PROGRAM && !account.executable;
  return isWallet && (account.data.length === 0 || account.data.length === NONCE_ACCOUNT_BYTES)
    ? null
    : 'InvalidAccountForFee';
}

/** Bytes before the addresses in a lookup table (`LOOKUP_TABLE_META_SIZE` in agave). */
const TABLE_META_BYTES = 56;
const NOT_DEACTIVATED = 0xffff_ffff_ffff_ffffn;
/** A deactivated table remains usable for this many slots: until its deactivation slot drops out of the slot hashes. */
const DEACTIVATION_COOLDOWN_SLOTS = 512n;

/**
 * Loads addresses from lookup tables, following agave's rules. An address appended in the current slot is not active yet. A table
 * counts as missing once its deactivation is older than the slot hashes.
 */
function resolveLookups(
  lookups: readonly TableLookup[],
  slot: number,
  read: ReadAccount,
): Resolution<LoadedAddresses> {
  const writable: string[] = [];
  const readonly: string[] = [];
  for (const lookup of lookups) {
    const account = read(lookup.table);
    if (account === null) return refuse('AddressLookupTableNotFound');
    if (account.owner !== LOOKUP_TABLE_PROGRAM) return refuse('InvalidAddressLookupTableOwner');
    const addresses = activeAddresses(account.data, BigInt(slot));
    if (typeof addresses === 'string') return refuse(addresses);
    for (const [indexes, into] of [
      [lookup.writableIndexes, writable],
      [lookup.readonlyIndexes, readonly],
    ] as const) {
      for (const index of indexes) {
        const address = addresses.at(index);
        if (address === undefined) return refuse('InvalidAddressLookupTableIndex');
        into.push(address);
      }
    }
  }
  return { kind: 'resolved', value: { writable, readonly } };
}

function activeAddresses(
  data: Uint8Array,
  slot: bigint,
): readonly string[] | 'InvalidAddressLookupTableData' | 'AddressLookupTableNotFound' {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const isTable = data.length >= TABLE_META_BYTES && view.getUint32(0, true) === 1;
  if (!isTable || (data.length - TABLE_META_BYTES) % 32 !== 0) return 'InvalidAddressLookupTableData';
  const deactivatedAt = view.getBigUint64(4, true);
  if (deactivatedAt !== NOT_DEACTIVATED && slot > deactivatedAt + DEACTIVATION_COOLDOWN_SLOTS) {
    return 'AddressLookupTableNotFound';
  }
  const count = (data.length - TABLE_META_BYTES) / 32;
  const isExtendedThisSlot = slot <= view.getBigUint64(12, true);
  const activeCount = isExtendedThisSlot ? Math.min(view.getUint8(20), count) : count;
  return Array.from({ length: activeCount }, (_, index) =>
    encodeKey(data.subarray(TABLE_META_BYTES + index * 32, TABLE_META_BYTES + (index + 1) * 32)),
  );
}
