import { atom } from 'nanostores';
import type { ResponseOf } from '../../../data/contract/call.ts';
import type { walletSession } from '../../../data/contract/wallet-session.ts';

export const DEMO_WALLET_NAME = 'BlackDuck Demo Wallet';
/** The name shown for any wallet app on this Android phone that supports the Mobile Wallet Adapter protocol. */
export const MOBILE_WALLET_NAME = 'Wallet App on This Phone';

export interface WalletState {
  /** Base58; null if no wallet is connected. */
  readonly walletAddress: string | null;
  readonly isConnected: boolean;
  readonly isConnecting: boolean;
  /** The wallet's name, such as `Phantom`; null if no wallet is connected. */
  readonly walletName: string | null;
}

export const DISCONNECTED_STATE: WalletState = {
  walletAddress: null,
  isConnected: false,
  isConnecting: false,
  walletName: null,
};

export const $wallet = atom<WalletState>(DISCONNECTED_STATE);

/** An ownership proof that the server has accepted. Times are ISO 8601. */
export interface ProvenSession {
  readonly walletAddress: string;
  readonly provedAt: string;
  readonly expiresAt: string;
}

/** The connected wallet's session, if this page knows of one. */
export const $session = atom<ProvenSession | null>(null);

/** Null if the response has no session. */
export function parseSession(response: ResponseOf<typeof walletSession>): ProvenSession | null {
  const { walletAddress, provedAt, expiresAt } = response;
  return walletAddress === null || provedAt === null || expiresAt === null
    ? null
    : { walletAddress, provedAt, expiresAt };
}

/** Why no wallet is connected yet, and what the visitor can do. */
export type WalletNotice =
  | { readonly kind: 'no-wallet' }
  /** The portal does not respond. */
  | { readonly kind: 'unreachable' }
  /** The wallet app on this phone could not be used. `text` says why. */
  | { readonly kind: 'app-failed'; readonly text: string }
  /** The page is opening the wallet's app. `href` is the URL that opens it. */
  | { readonly kind: 'opening-app'; readonly name: string; readonly href: string };

export const $walletNotice = atom<WalletNotice | null>(null);

/** The pending choice between several wallets. */
export interface WalletQuestion {
  /** `icon` is a data URI. Wallet apps have no icon. */
  readonly options: readonly { readonly name: string; readonly icon?: string }[];
  /** Takes an index into `options`, or null to cancel. */
  readonly answer: (index: number | null) => void;
}

export const $walletQuestion = atom<WalletQuestion | null>(null);
