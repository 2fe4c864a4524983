import type { WalletAccount } from '@wallet-standard/base';
import type { StandardEventsListeners } from '@wallet-standard/features';
import type { SolanaWallet } from '../solana-wallets.ts';

export function fakeAccount(
  address: string,
  chains: WalletAccount['chains'] = ['solana:mainnet'],
): WalletAccount {
  return { address, publicKey: new Uint8Array(32), chains, features: [] };
}

export type FakeWallet = ReturnType<typeof fakeWallet>;

interface FakeWalletOptions {
  readonly name?: string;
  readonly chains?: SolanaWallet['chains'];
  /** The account that the wallet shares on connect, or the error that it throws. */
  readonly connectResult?: string | Error;
  /** Whether the wallet connects silently. */
  readonly trustsSite?: boolean;
  readonly features?: Partial<SolanaWallet['features']>;
}

export function fakeWallet(options: FakeWalletOptions = {}) {
  const {
    name = 'Fake',
    chains = ['solana:mainnet'],
    connectResult = 'A',
    trustsSite = true,
    features = {},
  } = options;
  const calls: string[] = [];
  const listeners = new Set<StandardEventsListeners['change']>();
  const wallet: SolanaWallet = {
    version: '1.0.0',
    name,
    icon: 'data:image/png;base64,',
    chains,
    accounts: [],
    features: {
      'standard:connect': {
        version: '1.0.0',
        connect: async ({ silent = false } = {}) => {
          calls.push(silent ? 'silent' : 'connect');
          if (connectResult instanceof Error) throw connectResult;
          return { accounts: silent && !trustsSite ? [] : [fakeAccount(connectResult)] };
        },
      },
      'standard:disconnect': { version: '1.0.0', disconnect: async () => void calls.push('disconnect') },
      'standard:events': {
        version: '1.0.0',
        on: (_event, listener) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      },
      ...features,
    },
  };
  return {
    wallet,
    calls,
    changeAccounts: (...addresses: readonly string[]) => {
      for (const listener of listeners) listener({ accounts: addresses.map((one) => fakeAccount(one)) });
    },
  };
}
