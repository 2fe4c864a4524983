/** A string from the browser's storage. Null if there is none, or if the browser blocks storage. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a string; null removes it. Does nothing if the browser blocks storage. */
export function writeStored(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // The wallet stays connected while this page is open.
  }
}

/** The storage key for the name of the connected wallet. No address is stored. */
const REMEMBERED_KEY = 'connectedWallet';

/** The name of the wallet that this browser connected last and did not disconnect; null if there is none. */
export const rememberedWallet = () => readStored(REMEMBERED_KEY);

export const rememberWallet = (name: string | null) => writeStored(REMEMBERED_KEY, name);
