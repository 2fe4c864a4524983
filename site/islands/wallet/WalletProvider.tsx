import { useStore } from '@nanostores/react';
import { type ComponentType, createContext, type ReactNode, useContext } from 'react';
import { liveIsland } from '../ui/Live.tsx';
import { connect, disconnect, prove, signTransaction } from './wallet-actions.ts';
import { $session, $wallet, type ProvenSession, type WalletState } from './wallet-stores.ts';

/** The page's wallet for components. */
interface WalletActions {
  readonly connect: typeof connect;
  readonly disconnect: typeof disconnect;
  readonly prove: typeof prove;
  readonly signTransaction: typeof signTransaction;
}

export const WalletContext = createContext<WalletActions | null>(null);

const PAGE_WALLET: WalletActions = { connect, disconnect, prove, signTransaction };

/** Gives an island the page's wallet, because islands are separate React roots. */
export function WalletProvider({ children }: { readonly children: ReactNode }) {
  return <WalletContext value={PAGE_WALLET}>{children}</WalletContext>;
}

/** An island that uses the wallet and reads live figures. */
export function walletIsland<Props extends object>(Island: ComponentType<Props>) {
  return liveIsland((props: Props) => (
    <WalletProvider>
      <Island {...props} />
    </WalletProvider>
  ));
}

/**
 * The page's wallet: its state, its ownership proof and its actions.
 * @throws {Error} outside a `WalletProvider`
 */
export function useWallet(): WalletState & WalletActions & { readonly session: ProvenSession | null } {
  const actions = useContext(WalletContext);
  const state = useStore($wallet, { ssr: 'initial' });
  const session = useStore($session, { ssr: 'initial' });
  if (!actions) throw new Error('useWallet must be used within a WalletProvider');
  return { ...state, ...actions, session };
}
