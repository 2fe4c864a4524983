import type {
  SolanaSignInFeature,
  SolanaSignMessageFeature,
  SolanaSignTransactionFeature,
} from '@solana/wallet-standard-features';
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import type {
  StandardConnectFeature,
  StandardDisconnectFeature,
  StandardEventsFeature,
} from '@wallet-standard/features';

/** The wallet that is listed first, and recommended to visitors without a wallet. */
export const RECOMMENDED_WALLET = 'Phantom';

/** A Wallet Standard wallet that supports Solana and can connect. Other features are optional. */
export type SolanaWallet = Wallet & {
  readonly features: StandardConnectFeature &
    Partial<
      StandardDisconnectFeature &
        StandardEventsFeature &
        SolanaSignInFeature &
        SolanaSignMessageFeature &
        SolanaSignTransactionFeature
    >;
};

const isSolana = (chain: string) => chain.startsWith('solana:');

function isSolanaWallet(wallet: Wallet): wallet is SolanaWallet {
  return 'standard:connect' in wallet.features && wallet.chains.some(isSolana);
}

const rank = ({ name }: Wallet) => (name === RECOMMENDED_WALLET ? 0 : 1);

/** The wallets that support Solana: Phantom first, then in order of registration. */
export function orderSolanaWallets(wallets: readonly Wallet[]): readonly SolanaWallet[] {
  return wallets.filter(isSolanaWallet).toSorted((a, b) => rank(a) - rank(b));
}

export function listSolanaWallets(): readonly SolanaWallet[] {
  return orderSolanaWallets(getWallets().get());
}

/** Waits for the wallet with this name to register; null if it does not within `timeoutMs`. */
export function awaitWallet(name: string, timeoutMs: number): Promise<SolanaWallet | null> {
  const find = () => listSolanaWallets().find((wallet) => wallet.name === name) ?? null;
  const found = find();
  if (found) return Promise.resolve(found);
  return new Promise((resolve) => {
    const settle = (wallet: SolanaWallet | null) => {
      clearTimeout(timer);
      stop();
      resolve(wallet);
    };
    const timer = setTimeout(() => settle(null), timeoutMs);
    const stop = getWallets().on('register', () => {
      const registered = find();
      if (registered) settle(registered);
    });
  });
}

/** The account to use: `currentAddress` if the wallet still shares it, or else the first account on Solana. */
export function accountOf(
  accounts: readonly WalletAccount[],
  currentAddress: string | null = null,
): WalletAccount | null {
  const solanaAccounts = accounts.filter(({ chains }) => chains.some(isSolana));
  return solanaAccounts.find(({ address }) => address === currentAddress) ?? solanaAccounts[0] ?? null;
}
