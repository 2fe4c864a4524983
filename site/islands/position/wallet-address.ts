import bs58 from 'bs58';

const ADDRESS_BYTES = 32;
const FRAGMENT = /^#wallet=([A-Za-z0-9]{1,64})$/;

/** The Solana address that the visitor typed, without surrounding spaces; null unless it is 32 bytes in base58. */
export function addressOf(text: string): string | null {
  const trimmed = text.trim();
  // A longer string can't be an address and is slow to decode.
  if (trimmed.length > 44) return null;
  return bs58.decodeUnsafe(trimmed)?.length === ADDRESS_BYTES ? trimmed : null;
}

/** The URL fragment that names a wallet. Browsers do not send fragments to servers. */
export function walletFragment(wallet: string | null): string {
  return wallet === null ? '' : `#wallet=${wallet}`;
}

/** The address is null if the text is not a valid address. */
export interface RequestedWallet {
  readonly text: string;
  readonly address: string | null;
}

export const NO_WALLET: RequestedWallet = { text: '', address: null };

/** Undefined if the fragment refers to something else, such as a section of the page. */
export function walletOfFragment(fragment: string): RequestedWallet | undefined {
  if (fragment === '') return NO_WALLET;
  const [, text] = FRAGMENT.exec(fragment) ?? [];
  return text === undefined ? undefined : { text, address: addressOf(text) };
}
