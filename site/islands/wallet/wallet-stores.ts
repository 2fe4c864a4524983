import { atom } from 'nanostores';
import type { ResponseOf } from '../../../data/contract/call.ts';
import type { walletSession } from '../../../data/contract/wallet-session.ts';

/** The name of the demo wallet in the Wallet Standard. */
export const DEMO_WALLET_NAME = 'BlackDuck Demo Wallet';

/** The page's connection to a wallet. */
export interface WalletState {
  /** Base58; null if none is connected. */
  readonly walletAddress: string | null;
  readonly isConnected: boolean;
  readonly isConnecting: boolean;
  /** The wallet's name, such as `Phantom`; null if none is connected. */
  readonly walletName: string | null;
}

export const DISCONNECTED: WalletState = {
  walletAddress: null,
  isConnected: false,
  isConnecting: false,
  walletName: null,
};

/** Stores that islands and the shell share. */
export const $wallet = atom<WalletState>(DISCONNECTED);

/** An ownership proof: the wallet, when it signed, and until when the server accepts it (ISO 8601). */
export interface ProvenSession {
  readonly walletAddress: string;
  readonly provedAt: string;
  readonly expiresAt: string;
}

/** The proof of the connected wallet, as far as this page knows. */
export const $session = atom<ProvenSession | null>(null);

/** The session as a proof; null without one. */
export function provenSession(response: ResponseOf<typeof walletSession>): ProvenSession | null {
  const { walletAddress, provedAt, expiresAt } = response;
  return walletAddress === null || provedAt === null || expiresAt === null
    ? null
    : { walletAddress, provedAt, expiresAt };
}

/** What the visitor must do before a wallet can connect. */
export type WalletNotice =
  /** No wallet is installed. */
  | { readonly kind: 'no-wallet' }
  /** The wallet's app is opening at this URL. */
  | { readonly kind: 'opening-app'; readonly href: string };

export const $walletNotice = atom<WalletNotice | null>(null);

/** A wallet to choose from. */
interface WalletOption {
  readonly name: string;
  /** A data URI. */
  readonly icon: string;
}

/** The pending choice between several wallets. */
export interface WalletQuestion {
  readonly options: readonly WalletOption[];
  /** Takes an index of `options`, or null for no wallet. */
  readonly answer: (index: number | null) => void;
}

export const $walletQuestion = atom<WalletQuestion | null>(null);
