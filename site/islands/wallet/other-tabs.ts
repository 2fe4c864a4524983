import { writeStored } from '../../shell/browser-storage.ts';
import { REMEMBERED_WALLET_KEY } from './remembered-wallet.ts';

/** The storage key through which tabs announce session changes: each change stores a new number, which has no other meaning. */
const SESSION_CHANGE_KEY = 'walletSessionChange';

export const announceSessionChange = () =>
  writeStored('localStorage', SESSION_CHANGE_KEY, String(Date.now()));

/**
 * Calls `onWallet` when another tab changes the wallet, and `onSession` when it changes the session. Calls both when the page
 * returns from the back-forward cache.
 */
export function followOtherTabs(onWallet: () => void, onSession: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === REMEMBERED_WALLET_KEY || key === null) onWallet();
    if (key === SESSION_CHANGE_KEY || key === null) onSession();
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    onWallet();
    onSession();
  });
}
