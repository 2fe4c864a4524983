import { readStored, writeStored } from '../../shell/browser-storage.ts';

/** The storage key for the name of the connected wallet. No address is stored. */
const REMEMBERED_KEY = 'connectedWallet';

/** The name of the wallet that this browser connected last and did not disconnect; null if there is none. */
export const rememberedWallet = () => readStored('localStorage', REMEMBERED_KEY);

export const rememberWallet = (name: string | null) => writeStored('localStorage', REMEMBERED_KEY, name);

/** The storage key whose value changes with the session: a number that means nothing else. */
const SESSION_KEY = 'walletSessionChange';

/** Makes other tabs read the session again. */
export const announceSession = () => writeStored('localStorage', SESSION_KEY, String(Date.now()));

/** Calls `onWallet` and `onSession` when another tab changes the wallet or its session, and on return from the page cache. */
export function followOtherTabs(onWallet: () => void, onSession: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === REMEMBERED_KEY || key === null) onWallet();
    if (key === SESSION_KEY || key === null) onSession();
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    onWallet();
    onSession();
  });
}
