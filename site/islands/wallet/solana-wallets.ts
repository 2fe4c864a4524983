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

/** The wallet that is offered first, and to whom none has one. */
export const WALLET_PROVIDER = 'Phantom';

/** A Wallet Standard wallet that can be connected on Solana; everything beyond that it may or may not do. */
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

const rank = ({ name }: Wallet) => (name === WALLET_PROVIDER ? 0 : 1);

/** Wallets that support Solana, Phantom first, the others in the order in which they came. */
export function orderedWallets(wallets: readonly Wallet[]): readonly SolanaWallet[] {
  return wallets.filter(isSolanaWallet).toSorted((a, b) => rank(a) - rank(b));
}

/** The wallets of this browser that support Solana. */
export function solanaWallets(): readonly SolanaWallet[] {
  return orderedWallets(getWallets().get());
}

/** The wallet of a name; waits for one that registers itself late. Null where it does not in time (ms). */
export function awaitWallet(name: string, within: number): Promise<SolanaWallet | null> {
  const find = () => solanaWallets().find((wallet) => wallet.name === name) ?? null;
  const found = find();
  if (found) return Promise.resolve(found);
  return new Promise((resolve) => {
    const settle = (wallet: SolanaWallet | null) => {
      clearTimeout(tooLate);
      stop();
      resolve(wallet);
    };
    const tooLate = setTimeout(() => settle(null), within);
    const stop = getWallets().on('register', () => {
      const registered = find();
      if (registered) settle(registered);
    });
  });
}

/** The account to use of those that a wallet opened to the page: the one in use if it is still there. */
export function accountOf(
  accounts: readonly WalletAccount[],
  inUse: string | null = null,
): WalletAccount | null {
  const ours = accounts.filter(({ chains }) => chains.some(isSolana));
  return ours.find(({ address }) => address === inUse) ?? ours[0] ?? null;
}
