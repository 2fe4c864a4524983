import type { ReactNode } from 'react';
import { type WalletActions, WalletContext } from './wallet-context.ts';
import { connect, disconnect, prove, signTransaction } from './wallet-state.ts';

const PAGE_WALLET: WalletActions = { connect, disconnect, prove, signTransaction };

interface WalletProviderProps {
  readonly children: ReactNode;
  /** In a test. The page's own wallet unless given. */
  readonly wallet?: WalletActions;
}

/** Stands around every island that uses the wallet: they are React roots of their own, and share the page's wallet. */
export function WalletProvider({ children, wallet = PAGE_WALLET }: WalletProviderProps) {
  return <WalletContext value={wallet}>{children}</WalletContext>;
}
