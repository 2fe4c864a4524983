import {
  characterCount,
  cleanLine,
  isTypableLine,
  SOLANA_ADDRESS_PATTERN,
} from '../../../data/model/form-text.ts';
import { addressOf } from '../position/wallet-address.ts';
import { changeOwnNames, type NamedAddress, type OwnNames } from './own-names.ts';

export const NAME_LIMITS = { names: 500, characters: 40, fileKb: 256 } as const;
export const BOOK_IS_FULL = `The address book holds at most ${NAME_LIMITS.names} names. Remove some first.`;
const NOT_STORED = 'Your browser did not store the change. Its storage is full or blocked.';

/** @returns why the change was not stored; null if it was stored */
export const storeNames = (change: (names: Map<string, string>) => void): string | null =>
  changeOwnNames(change) ? null : NOT_STORED;

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
/** A shortened address, such as `4vJ9…Xb2T`. */
const SHORT_ADDRESS_PATTERN = new RegExp(`^${BASE58}{2,}(?:…|\\.{2,3})${BASE58}{2,}$`);

type NameError = 'empty' | 'too-long' | 'characters' | 'address';

/** What is wrong with a name; null if nothing is. A name that looks like an address could be mistaken for one. */
export function nameError(name: string): NameError | null {
  if (name === '') return 'empty';
  if (SOLANA_ADDRESS_PATTERN.test(name) || SHORT_ADDRESS_PATTERN.test(name)) return 'address';
  if (characterCount(name) > NAME_LIMITS.characters) return 'too-long';
  return isTypableLine(name) ? null : 'characters';
}

const NAME_ERROR_TEXTS: Readonly<Record<NameError, string>> = {
  empty: 'Enter a name.',
  'too-long': `Enter at most ${NAME_LIMITS.characters} characters.`,
  characters: 'Remove the line breaks and control characters.',
  address: 'Enter a name that does not look like an address.',
};

export function nameErrorText(name: string): string | null {
  const error = nameError(name);
  return error === null ? null : NAME_ERROR_TEXTS[error];
}

export type FileError =
  | { readonly kind: 'too-large' | 'not-json' | 'not-a-book' | 'newer' | 'too-many' }
  /** `entryNumber` counts from 1. */
  | { readonly kind: 'address' | 'name' | 'twice'; readonly entryNumber: number };

/** A single invalid entry rejects the whole file, so that no entry is silently left out. */
export function parseNames(text: string): OwnNames | FileError {
  if (new Blob([text]).size > NAME_LIMITS.fileKb * 1_000) return { kind: 'too-large' };
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return { kind: 'not-json' };
  }
  if (typeof file !== 'object' || file === null || !('names' in file) || !Array.isArray(file.names)) {
    return { kind: 'not-a-book' };
  }
  if (!('format' in file) || file.format !== 'blackduck-address-book') return { kind: 'not-a-book' };
  if (!('version' in file) || file.version !== 1) return { kind: 'newer' };
  if (file.names.length > NAME_LIMITS.names) return { kind: 'too-many' };
  const names = new Map<string, string>();
  const entries: readonly (Partial<NamedAddress> | null)[] = file.names;
  for (const [index, fileEntry] of entries.entries()) {
    const entryNumber = index + 1;
    const address = typeof fileEntry?.address === 'string' ? addressOf(fileEntry.address) : null;
    if (address === null) return { kind: 'address', entryNumber };
    const name = typeof fileEntry?.name === 'string' ? cleanLine(fileEntry.name) : '';
    if (nameError(name) !== null) return { kind: 'name', entryNumber };
    if (names.has(address)) return { kind: 'twice', entryNumber };
    names.set(address, name);
  }
  return names;
}

interface Comparison {
  readonly newEntries: readonly NamedAddress[];
  readonly unchangedCount: number;
  /** Addresses that have a different name in the file. */
  readonly conflicts: readonly (NamedAddress & { readonly importedName: string })[];
}

export function compareNames(own: OwnNames, importedNames: OwnNames): Comparison {
  const entries = [...importedNames].map(([address, name]) => ({ address, name, ownName: own.get(address) }));
  return {
    newEntries: entries.filter(({ ownName }) => ownName === undefined),
    unchangedCount: entries.filter(({ name, ownName }) => ownName === name).length,
    conflicts: entries.flatMap(({ address, name, ownName }) =>
      ownName === undefined || ownName === name ? [] : [{ address, name: ownName, importedName: name }],
    ),
  };
}

/** Adds the imported names. An existing name is kept, unless its address is in `replacedAddresses`. */
export function mergeNames(
  names: Map<string, string>,
  importedNames: OwnNames,
  replacedAddresses: ReadonlySet<string>,
): void {
  for (const [address, name] of importedNames) {
    if (!names.has(address) || replacedAddresses.has(address)) names.set(address, name);
  }
}
