import { writeStored } from '../../shell/browser-storage.ts';
import { REMEMBERED_WALLET_KEY } from './remembered-wallet.ts';

/** A storage key that announces changes of the session: each change stores a new number here. The number has no meaning. */
const SESSION_CHANGE_KEY = 'walletSessionChange';

/** Makes other tabs read the session again. */
export const announceSessionChange = () =>
  writeStored('localStorage', SESSION_CHANGE_KEY, String(Date.now()));

/**
 * Calls `onWallet` or `onSession` when another tab changes the wallet or its session. Calls both when the page returns from the
 * back-forward cache.
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
