import { encodeKey } from './base58-cache.ts';
import type { LedgerAccount, TransactionErrorJson } from './chain.ts';
import { LOOKUP_TABLE_PROGRAM } from './programs.ts';
import type { TableLookup } from './wire.ts';

/** Bytes before the addresses in a lookup table (`LOOKUP_TABLE_META_SIZE` in agave). */
const META_BYTES = 56;
const NOT_DEACTIVATED = 0xffff_ffff_ffff_ffffn;
/** Slots for which a deactivated table still serves: as long as its deactivation is in the slot hashes. */
const DEACTIVATION_COOLDOWN_SLOTS = 512n;

export interface LoadedAddresses {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
}

export type TableResolution =
  | { readonly kind: 'loaded'; readonly addresses: LoadedAddresses }
  | { readonly kind: 'refused'; readonly err: TransactionErrorJson };

/**
 * Takes the named addresses out of their lookup tables, by agave's rules: what was appended in the running slot is not
 * active yet, and a table deactivated longer than the slot hashes reach is as good as gone.
 */
export function resolveLookups(
  lookups: readonly TableLookup[],
  slot: number,
  read: (address: string) => LedgerAccount | null,
): TableResolution {
  const writable: string[] = [];
  const readonly: string[] = [];
  for (const lookup of lookups) {
    const account = read(lookup.table);
    if (account === null) return { kind: 'refused', err: 'AddressLookupTableNotFound' };
    if (account.owner !== LOOKUP_TABLE_PROGRAM)
      return { kind: 'refused', err: 'InvalidAddressLookupTableOwner' };
    const active = activeAddresses(account.data, BigInt(slot));
    if (typeof active === 'string') return { kind: 'refused', err: active };
    for (const [indexes, into] of [
      [lookup.writable, writable],
      [lookup.readonly, readonly],
    ] as const) {
      for (const index of indexes) {
        const address = active.at(index);
        if (address === undefined) return { kind: 'refused', err: 'InvalidAddressLookupTableIndex' };
        into.push(address);
      }
    }
  }
  return { kind: 'loaded', addresses: { writable, readonly } };
}

function activeAddresses(
  data: Uint8Array,
  slot: bigint,
): readonly string[] | 'InvalidAddressLookupTableData' | 'AddressLookupTableNotFound' {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const isTable = data.length >= META_BYTES && view.getUint32(0, true) === 1;
  if (!isTable || (data.length - META_BYTES) % 32 !== 0) return 'InvalidAddressLookupTableData';
  const deactivated = view.getBigUint64(4, true);
  if (deactivated !== NOT_DEACTIVATED && slot > deactivated + DEACTIVATION_COOLDOWN_SLOTS) {
    return 'AddressLookupTableNotFound';
  }
  const count = (data.length - META_BYTES) / 32;
  const isExtendedThisSlot = slot <= view.getBigUint64(12, true);
  const active = isExtendedThisSlot ? Math.min(view.getUint8(20), count) : count;
  return Array.from({ length: active }, (_, index) =>
    encodeKey(data.subarray(META_BYTES + index * 32, META_BYTES + (index + 1) * 32)),
  );
}
