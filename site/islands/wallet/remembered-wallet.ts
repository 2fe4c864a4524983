/** The storage key for the name of the connected wallet. No address is stored. */
const REMEMBERED_KEY = 'connectedWallet';

/** The wallet that this browser connected last and did not disconnect; null if none. */
export function rememberedWallet(): string | null {
  try {
    return localStorage.getItem(REMEMBERED_KEY);
  } catch {
    return null;
  }
}

export function rememberWallet(name: string | null): void {
  try {
    if (name === null) localStorage.removeItem(REMEMBERED_KEY);
    else localStorage.setItem(REMEMBERED_KEY, name);
  } catch {
    // Without storage the wallet stays connected while this page is open.
  }
}
