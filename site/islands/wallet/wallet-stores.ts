import { atom } from 'nanostores';
import type { ResponseOf } from '../../../data/contract/call.ts';
import type { walletSession } from '../../../data/contract/wallet-session.ts';

/** What the demo wallet calls itself among the wallets of a browser. */
export const DEMO_WALLET_NAME = 'BlackDuck Demo Wallet';

/** The page's connection to a wallet. */
export interface WalletState {
  /** Base58; null while none is connected. */
  readonly walletAddress: string | null;
  readonly isConnected: boolean;
  readonly isConnecting: boolean;
  /** The wallet's own name, as `Phantom`; null while none is connected. */
  readonly walletName: string | null;
}

export const DISCONNECTED: WalletState = {
  walletAddress: null,
  isConnected: false,
  isConnecting: false,
  walletName: null,
};

/** Islands are separate React roots, and the shell is none: what they share of the wallet stands here. */
export const $wallet = atom<WalletState>(DISCONNECTED);

/** A wallet whose owner has signed: who, when, and until when the server believes it (ISO 8601). */
export interface ProvenSession {
  readonly walletAddress: string;
  readonly provedAt: string;
  readonly expiresAt: string;
}

/** The proof that holds for the connected wallet, as far as this page knows; null where none does. */
export const $session = atom<ProvenSession | null>(null);

/** The session's answer as a proof; null where no one is signed in. */
export function provenSession(answer: ResponseOf<typeof walletSession>): ProvenSession | null {
  const { walletAddress, provedAt, expiresAt } = answer;
  return walletAddress === null || provedAt === null || expiresAt === null
    ? null
    : { walletAddress, provedAt, expiresAt };
}

/** What a person has to know before a wallet can be connected. */
export type WalletNotice =
  /** No wallet is installed. */
  | { readonly kind: 'no-wallet' }
  /** The wallet's app is being opened, at this address. */
  | { readonly kind: 'opening-app'; readonly href: string };

export const $walletNotice = atom<WalletNotice | null>(null);

/** One of several wallets to choose from. */
export interface WalletOption {
  readonly name: string;
  /** A picture as a data URI. */
  readonly icon: string;
}

/** The question which of several wallets to connect, while it is open. */
export interface WalletQuestion {
  readonly options: readonly WalletOption[];
  /** Answers it by the place in the list, or with null: none. */
  readonly answer: (index: number | null) => void;
}

export const $walletQuestion = atom<WalletQuestion | null>(null);
