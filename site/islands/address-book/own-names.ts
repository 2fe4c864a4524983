import { useStore } from '@nanostores/react';
import { atom, onMount } from 'nanostores';
import { readStored, writeStored } from '../../shell/browser-storage.ts';

/** The visitor's own names, by address. They are stored in the browser and are never sent to the server. */
export type OwnNames = ReadonlyMap<string, string>;

export interface NamedAddress {
  readonly address: string;
  readonly name: string;
}

/** The format of the stored names and of an exported file. */
interface NamesFile {
  readonly format: 'blackduck-address-book';
  readonly version: 1;
  readonly names: readonly NamedAddress[];
}

const STORAGE_KEY = 'addressBook';
const NO_NAMES: OwnNames = new Map();

export const $ownNames = atom<OwnNames>(NO_NAMES);
export const $addressToName = atom<string | null>(null);

export function toNamesFile(names: OwnNames): NamesFile {
  return {
    format: 'blackduck-address-book',
    version: 1,
    names: [...names].map(([address, name]) => ({ address, name })),
  };
}

/** Empty if there are no names, if the stored text is invalid, or if the browser blocks storage. */
export function readOwnNames(): OwnNames {
  const text = readStored('localStorage', STORAGE_KEY);
  if (text === null) return NO_NAMES;
  try {
    const { names }: NamesFile = JSON.parse(text);
    return new Map(names.map(({ address, name }) => [address, String(name)]));
  } catch {
    return NO_NAMES;
  }
}

/**
 * Changes the stored names. Reads them again first, because another tab may have changed them.
 * @returns false if the browser did not store the change
 */
export function changeOwnNames(change: (names: Map<string, string>) => void): boolean {
  const names = new Map(readOwnNames());
  change(names);
  const text = JSON.stringify(toNamesFile(names));
  writeStored('localStorage', STORAGE_KEY, text);
  if (readStored('localStorage', STORAGE_KEY) !== text) return false;
  $ownNames.set(names);
  return true;
}

onMount($ownNames, () => {
  if (typeof window === 'undefined') return;
  const read = () => $ownNames.set(readOwnNames());
  const onStorage = ({ key }: StorageEvent) => {
    if (key === STORAGE_KEY || key === null) read();
  };
  const onPageShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted) read();
  };
  read();
  addEventListener('storage', onStorage);
  addEventListener('pageshow', onPageShow);
  return () => {
    removeEventListener('storage', onStorage);
    removeEventListener('pageshow', onPageShow);
  };
});

export function useOwnName(address: string | null): string | null {
  const names = useStore($ownNames, { ssr: 'initial' });
  return address === null ? null : (names.get(address) ?? null);
}
