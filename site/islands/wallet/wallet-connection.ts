import type { WalletAccount } from '@wallet-standard/base';
import type { PageChain } from './page-chain.ts';
import { ProofError } from './proof-session.ts';
import { accountOf, RECOMMENDED_WALLET, type SolanaWallet } from './solana-wallets.ts';
import {
  $session,
  $wallet,
  $walletNotice,
  $walletQuestion,
  DISCONNECTED_STATE,
  MOBILE_WALLET_NAME,
  type WalletQuestion,
} from './wallet-stores.ts';

type Device = Pick<Navigator, 'userAgent' | 'maxTouchPoints'>;

/** Whether this is a phone or tablet, where wallets are apps. An iPad identifies itself as a Mac, but has a touch screen. */
export function isMobile({ userAgent, maxTouchPoints }: Device): boolean {
  return /Android|iPhone|iPad|iPod/i.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}

/** Whether this browser can reach wallet apps with Mobile Wallet Adapter: Chrome on Android can, a web view cannot. */
export function isAndroidChrome({ userAgent }: Device): boolean {
  return /Android.+Chrome\//.test(userAgent) && !/; wv\)/.test(userAgent);
}

interface WalletApp {
  readonly name: string;
  readonly icon?: never;
  readonly browseUrl: string;
}

/**
 * Wallet apps that have a link for opening a page in the app's own browser. Sources:
 * docs.phantom.com/phantom-deeplinks/other-methods/browse, docs.solflare.com/solflare/technical/deeplinks/other-methods/browse,
 * docs.backpack.app/deeplinks/other-methods/browse.
 */
const WALLET_APPS: readonly WalletApp[] = [
  { name: RECOMMENDED_WALLET, browseUrl: 'https://phantom.app/ul/browse/' },
  { name: 'Solflare', browseUrl: 'https://solflare.com/ul/v1/browse/' },
  { name: 'Backpack', browseUrl: 'https://backpack.app/ul/v1/browse/' },
];

function browseLink({ browseUrl }: WalletApp, page: string): string {
  const { origin } = new URL(page);
  return `${browseUrl}${encodeURIComponent(page)}?ref=${encodeURIComponent(origin)}`;
}

/** Milliseconds to wait after opening the wallet app before checking for an account. */
export const APP_CHECK_DELAY_MS = 3_000;
/** Milliseconds to wait for a remembered wallet to register, and then again for it to connect without a prompt. */
const SILENT_CONNECT_TIMEOUT_MS = 5_000;

export interface ConnectionDeps {
  readonly listWallets: () => readonly SolanaWallet[];
  readonly awaitWallet: (name: string, timeoutMs: number) => Promise<SolanaWallet | null>;
  readonly readChain: () => Promise<PageChain>;
  /** Called only on the embedded ledger. */
  readonly registerDemoWallet: () => Promise<void>;
  /** Called only in Chrome on Android. Never called on the embedded ledger, because wallet apps cannot read it. */
  readonly registerMobileWallet: (chain: PageChain['walletChain']) => Promise<void>;
  readonly device: () => Device;
  readonly pageUrl: () => string;
  readonly openTab: (href: string) => void;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** The name of the wallet to reconnect; null for none. */
  readonly readRememberedWalletName: () => string | null;
  readonly remember: (name: string | null) => void;
  readonly endSession: () => Promise<void>;
  readonly log: (text: string, error: unknown) => void;
}

export interface ConnectedWallet {
  readonly wallet: SolanaWallet;
  readonly account: WalletAccount;
}

export function createWalletConnection(deps: ConnectionDeps) {
  let connectedWallet: ConnectedWallet | null = null;
  let stopListening = () => {};
  /** The number of the current attempt. A late result of an earlier attempt is ignored. */
  let attemptNumber = 0;

  function dropSession(): void {
    $session.set(null);
    deps.endSession().catch((error) => deps.log('The session could not be ended.', error));
  }

  function clearConnection(): void {
    stopListening();
    stopListening = () => {};
    connectedWallet = null;
    $wallet.set(DISCONNECTED_STATE);
  }

  function setConnected(wallet: SolanaWallet, account: WalletAccount): void {
    stopListening();
    connectedWallet = { wallet, account };
    stopListening =
      wallet.features['standard:events']?.on('change', ({ accounts }) => {
        if (accounts) followAccounts(wallet, accounts);
      }) ?? stopListening;
    deps.remember(wallet.name);
    $walletNotice.set(null);
    $wallet.set({
      walletAddress: account.address,
      isConnected: true,
      isConnecting: false,
      walletName: wallet.name,
    });
  }

  function followAccounts(wallet: SolanaWallet, accounts: readonly WalletAccount[]): void {
    const previousAddress = connectedWallet?.account.address ?? null;
    const account = accountOf(accounts, previousAddress);
    if (account?.address === previousAddress) return;
    attemptNumber += 1;
    if (account) {
      setConnected(wallet, account);
    } else {
      clearConnection();
      deps.remember(null);
    }
    dropSession();
  }

  /** Asks a wallet for an account. `silent`: without a prompt, which works only if the wallet already trusts the site. */
  async function requestAccount(wallet: SolanaWallet, silent: boolean): Promise<WalletAccount | null> {
    const connect = wallet.features['standard:connect'].connect;
    const { accounts } = await (silent ? connect({ silent: true }) : connect());
    return accountOf(accounts);
  }

  async function askForWallet<Option extends WalletQuestion['options'][number]>(
    wallets: readonly Option[],
  ): Promise<Option | null> {
    const index = await new Promise<number | null>((answer) => {
      $walletQuestion.set({
        options: wallets.map(({ name, icon }) => (icon ? { name, icon } : { name })),
        answer,
      });
    });
    $walletQuestion.set(null);
    return index === null ? null : (wallets[index] ?? null);
  }

  async function chooseWallet(wallets: readonly SolanaWallet[]): Promise<SolanaWallet | null> {
    const [only, ...more] = wallets;
    return more.length === 0 ? (only ?? null) : askForWallet(wallets);
  }

  /** Opens this page in the wallet's app, waits, and checks whether a wallet now shares an account with this tab. */
  async function openApp(app: WalletApp): Promise<ConnectedWallet | null> {
    const href = browseLink(app, deps.pageUrl());
    deps.openTab(href);
    $walletNotice.set({ kind: 'opening-app', name: app.name, href });
    await deps.wait(APP_CHECK_DELAY_MS);
    for (const wallet of deps.listWallets()) {
      // Ignores a wallet that fails, because another one may share an account.
      const account = await requestAccount(wallet, true).catch(() => null);
      if (account) return { wallet, account };
    }
    return null;
  }

  async function registerOwnWallets({ isDemonstration, walletChain }: PageChain): Promise<void> {
    if (isDemonstration) await deps.registerDemoWallet();
    // Ignores a failure to load the mobile wallet's script, because other wallets still work.
    else if (isAndroidChrome(deps.device())) await deps.registerMobileWallet(walletChain).catch(() => {});
  }

  async function connectTo(wallet: SolanaWallet): Promise<ConnectedWallet | null> {
    try {
      const account = await requestAccount(wallet, false);
      return account && { wallet, account };
    } catch (error) {
      const text = error instanceof ProofError && error.reason !== 'not-signed' ? error.message : null;
      if (text !== null) $walletNotice.set({ kind: 'app-failed', text });
      throw error;
    }
  }

  async function chooseAndConnect(): Promise<ConnectedWallet | null> {
    const chain = await deps.readChain().catch((error) => {
      $walletNotice.set({ kind: 'unreachable' });
      throw error;
    });
    await registerOwnWallets(chain);
    const wallets = deps.listWallets();
    if (isMobile(deps.device()) && wallets.every(({ name }) => name === MOBILE_WALLET_NAME)) {
      const option = await askForWallet([...wallets, ...WALLET_APPS]);
      return option && ('browseUrl' in option ? openApp(option) : connectTo(option));
    }
    if (wallets.length === 0) {
      $walletNotice.set({ kind: 'no-wallet' });
      return null;
    }
    const wallet = await chooseWallet(wallets);
    return wallet && connectTo(wallet);
  }

  async function connectRememberedWallet(name: string): Promise<ConnectedWallet | null> {
    await registerOwnWallets(await deps.readChain());
    const wallet = await deps.awaitWallet(name, SILENT_CONNECT_TIMEOUT_MS);
    if (!wallet) return null;
    const account = await Promise.race([
      requestAccount(wallet, true),
      deps.wait(SILENT_CONNECT_TIMEOUT_MS).then(() => null),
    ]);
    return account && { wallet, account };
  }

  async function runAttempt(find: () => Promise<ConnectedWallet | null>): Promise<void> {
    if ($wallet.get() !== DISCONNECTED_STATE) return;
    attemptNumber += 1;
    const thisAttempt = attemptNumber;
    $walletNotice.set(null);
    $wallet.set({ ...DISCONNECTED_STATE, isConnecting: true });
    const outcome = await find().catch((error) => {
      deps.log('The wallet did not connect.', error);
      return null;
    });
    if (thisAttempt !== attemptNumber) return;
    if (outcome) setConnected(outcome.wallet, outcome.account);
    else $wallet.set(DISCONNECTED_STATE);
  }

  return {
    getConnectedWallet: (): ConnectedWallet | null => connectedWallet,
    connect: () => runAttempt(chooseAndConnect),
    reconnect: async () => {
      const name = deps.readRememberedWalletName();
      if (name !== null) await runAttempt(() => connectRememberedWallet(name));
    },
    /**
     * Drops this tab's connection if another tab disconnected the wallet or connected a different one. The other tab ends
     * the session and disconnects the wallet.
     */
    followOtherTab: () => {
      if (connectedWallet === null || deps.readRememberedWalletName() === connectedWallet.wallet.name) return;
      attemptNumber += 1;
      clearConnection();
      $session.set(null);
    },
    disconnect: async () => {
      attemptNumber += 1;
      const wallet = connectedWallet?.wallet;
      clearConnection();
      deps.remember(null);
      if (!wallet) return;
      dropSession();
      await wallet.features['standard:disconnect']?.disconnect().catch((error) => {
        deps.log('The wallet did not disconnect.', error);
      });
    },
  };
}
