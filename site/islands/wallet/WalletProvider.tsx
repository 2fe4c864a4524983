import { useStore } from '@nanostores/react';
import { type ComponentType, createContext, type ReactNode, useContext } from 'react';
import { liveIsland } from '../ui/Live.tsx';
import { connect, disconnect, prove, signTransaction } from './wallet-actions.ts';
import { $session, $wallet, type ProvenSession, type WalletState } from './wallet-stores.ts';

const WALLET_ACTIONS = { connect, disconnect, prove, signTransaction };
type WalletActions = typeof WALLET_ACTIONS;

export const WalletContext = createContext<WalletActions | null>(null);

/** Gives an island the page's wallet. Islands are separate React roots, so each needs this. */
export function WalletProvider({ children }: { readonly children: ReactNode }) {
  return <WalletContext value={WALLET_ACTIONS}>{children}</WalletContext>;
}

export function walletIsland<Props extends object>(Island: ComponentType<Props>) {
  return liveIsland((props: Props) => (
    <WalletProvider>
      <Island {...props} />
    </WalletProvider>
  ));
}

/** @throws {Error} outside a `WalletProvider` */
export function useWallet(): WalletState & WalletActions & { readonly session: ProvenSession | null } {
  const actions = useContext(WalletContext);
  const state = useStore($wallet, { ssr: 'initial' });
  const session = useStore($session, { ssr: 'initial' });
  if (!actions) throw new Error('useWallet must be used within a WalletProvider');
  return { ...state, ...actions, session };
}
