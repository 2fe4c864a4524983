import bs58 from 'bs58';

const ADDRESS_BYTES = 32;
const FRAGMENT = /^#wallet=([A-Za-z0-9]{1,64})$/;

/** A Solana address out of typed text, or null where it is none: 32 bytes in base58. */
export function addressOf(text: string): string | null {
  const trimmed = text.trim();
  // A longer text is none, and would take long to decode.
  if (trimmed.length > 44) return null;
  return bs58.decodeUnsafe(trimmed)?.length === ADDRESS_BYTES ? trimmed : null;
}

/** The wallet's part of a page's address. A fragment is sent to no server. */
export function walletFragment(wallet: string | null): string {
  return wallet === null ? '' : `#wallet=${wallet}`;
}

/** A wallet as it was asked for, and its address; null where the text is the address of none. */
export interface AskedWallet {
  readonly text: string;
  readonly address: string | null;
}

export const NO_WALLET: AskedWallet = { text: '', address: null };

/** What a fragment says of the wallet; undefined where it says nothing, as one that leads to a place on the page. */
export function walletOfFragment(fragment: string): AskedWallet | undefined {
  if (fragment === '') return NO_WALLET;
  const [, text] = FRAGMENT.exec(fragment) ?? [];
  return text === undefined ? undefined : { text, address: addressOf(text) };
}
