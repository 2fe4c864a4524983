import { readStored, writeStored } from '../../shell/browser-storage.ts';

/** The storage key for the name of the connected wallet. No address is stored. */
export const REMEMBERED_WALLET_KEY = 'connectedWallet';

/** The name of the wallet that this browser connected last and did not disconnect; null if there is none. */
export const readRememberedWalletName = () => readStored('localStorage', REMEMBERED_WALLET_KEY);

export const rememberWallet = (name: string | null) =>
  writeStored('localStorage', REMEMBERED_WALLET_KEY, name);
