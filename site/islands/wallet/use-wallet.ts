import { useStore } from '@nanostores/react';
import { useContext } from 'react';
import { type WalletActions, WalletContext } from './wallet-context.ts';
import { $session, $wallet, type ProvenSession, type WalletState } from './wallet-stores.ts';

/**
 * The page's wallet: its state, the proof that holds for it, and what can be done with it.
 * @throws {Error} outside a `WalletProvider`
 */
export function useWallet(): WalletState & WalletActions & { readonly session: ProvenSession | null } {
  const actions = useContext(WalletContext);
  const state = useStore($wallet, { ssr: 'initial' });
  const session = useStore($session, { ssr: 'initial' });
  if (!actions) throw new Error('useWallet must be used within a WalletProvider');
  return { ...state, ...actions, session };
}
