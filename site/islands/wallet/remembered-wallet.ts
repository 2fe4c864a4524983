/** The key under which stands which wallet was connected last, until it is disconnected. No address is kept. */
export const REMEMBERED_KEY = 'connectedWallet';

/** The name of the wallet that this browser connected last and did not disconnect; null where there is none. */
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
    // Storage is out of reach: the wallet is connected for as long as this page is open.
  }
}
