import { createContext } from 'react';
import type { connect, disconnect, prove, signTransaction } from './wallet-state.ts';

/** What a component may do with the page's wallet. */
export interface WalletActions {
  readonly connect: typeof connect;
  readonly disconnect: typeof disconnect;
  readonly prove: typeof prove;
  readonly signTransaction: typeof signTransaction;
}

export const WalletContext = createContext<WalletActions | null>(null);
