import type { WalletAccount } from '@wallet-standard/base';
import type { PageChain } from './page-chain.ts';
import { accountOf, type SolanaWallet } from './solana-wallets.ts';
import { $session, $wallet, $walletNotice, $walletQuestion, DISCONNECTED } from './wallet-stores.ts';

interface Device {
  readonly userAgent: string;
  readonly maxTouchPoints: number;
}

/** Whether the browser runs on a phone or tablet, where wallets are apps. An iPad claims to be a Mac with touch. */
export function isMobile({ userAgent, maxTouchPoints }: Device): boolean {
  return /Android|iPhone|iPad|iPod/i.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}

/** The link that opens a page in the browser of Phantom's app. */
export function phantomBrowseLink(page: string): string {
  const { origin } = new URL(page);
  return `https://phantom.app/ul/browse/${encodeURIComponent(page)}?ref=${encodeURIComponent(origin)}`;
}

/** Milliseconds after which a phone checks for an address once the app was opened. */
export const LOOK_AGAIN_AFTER = 3_000;
/** Milliseconds that a remembered wallet has to register, and then to confirm that it trusts the site. */
const TRUST_WITHIN = 5_000;

/** What the connection needs from the page. */
export interface ConnectionSurroundings {
  readonly wallets: () => readonly SolanaWallet[];
  readonly awaitWallet: (name: string, within: number) => Promise<SolanaWallet | null>;
  readonly chain: () => Promise<PageChain>;
  /** Registers the demo wallet; called on the embedded ledger only. */
  readonly registerDemoWallet: () => Promise<void>;
  readonly device: () => { readonly userAgent: string; readonly maxTouchPoints: number };
  readonly pageAddress: () => string;
  readonly openTab: (href: string) => void;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly remembered: () => string | null;
  readonly remember: (name: string | null) => void;
  /** Ends the session at the server. */
  readonly endSession: () => Promise<void>;
  /** Logs a wallet failure, which is not shown. */
  readonly log: (text: string, error: unknown) => void;
}

/** A connected wallet and the account in use. */
export interface ConnectedWallet {
  readonly wallet: SolanaWallet;
  readonly account: WalletAccount;
}

interface WalletConnection {
  connect(): Promise<void>;
  reconnect(): Promise<void>;
  disconnect(): Promise<void>;
  current(): ConnectedWallet | null;
}

/** The page's connection to a wallet; one per page. */
export function createWalletConnection(around: ConnectionSurroundings): WalletConnection {
  let connected: ConnectedWallet | null = null;
  let stopListening = () => {};
  /** Counts the attempts, so that a late result of an earlier one is ignored. */
  let attempt = 0;

  function dropSession(): void {
    $session.set(null);
    around.endSession().catch((error) => around.log('The session could not be ended.', error));
  }

  function leave(): void {
    stopListening();
    stopListening = () => {};
    connected = null;
    $wallet.set(DISCONNECTED);
  }

  function adopt(wallet: SolanaWallet, account: WalletAccount): void {
    stopListening();
    connected = { wallet, account };
    stopListening =
      wallet.features['standard:events']?.on('change', ({ accounts }) => {
        if (accounts) followAccounts(wallet, accounts);
      }) ?? stopListening;
    around.remember(wallet.name);
    $walletNotice.set(null);
    $wallet.set({
      walletAddress: account.address,
      isConnected: true,
      isConnecting: false,
      walletName: wallet.name,
    });
  }

  /** The wallet shares other accounts with the page, or none. */
  function followAccounts(wallet: SolanaWallet, accounts: readonly WalletAccount[]): void {
    const before = connected?.account.address ?? null;
    const account = accountOf(accounts, before);
    if (account?.address === before) return;
    attempt += 1;
    if (account) {
      adopt(wallet, account);
    } else {
      leave();
      around.remember(null);
    }
    dropSession();
  }

  /** Asks the wallet to share its accounts. `silent`: without a prompt, only if it trusts the site. */
  async function open(wallet: SolanaWallet, silent: boolean): Promise<WalletAccount | null> {
    const connect = wallet.features['standard:connect'].connect;
    const { accounts } = await (silent ? connect({ silent: true }) : connect());
    return accountOf(accounts);
  }

  async function choose(wallets: readonly SolanaWallet[]): Promise<SolanaWallet | null> {
    const [only, ...more] = wallets;
    if (more.length === 0) return only ?? null;
    const index = await new Promise<number | null>((answer) => {
      $walletQuestion.set({ options: wallets.map(({ name, icon }) => ({ name, icon })), answer });
    });
    $walletQuestion.set(null);
    return index === null ? null : (wallets[index] ?? null);
  }

  /** On a phone the page opens in the app's browser, and checks for an address after a while. */
  async function openApp(): Promise<ConnectedWallet | null> {
    const href = phantomBrowseLink(around.pageAddress());
    around.openTab(href);
    $walletNotice.set({ kind: 'opening-app', href });
    await around.wait(LOOK_AGAIN_AFTER);
    for (const wallet of around.wallets()) {
      const account = await open(wallet, true);
      if (account) return { wallet, account };
    }
    return null;
  }

  async function find(): Promise<ConnectedWallet | null> {
    if ((await around.chain()).isDemonstration) await around.registerDemoWallet();
    const wallets = around.wallets();
    if (wallets.length === 0) {
      if (isMobile(around.device())) return openApp();
      $walletNotice.set({ kind: 'no-wallet' });
      return null;
    }
    const wallet = await choose(wallets);
    const account = wallet && (await open(wallet, false));
    return wallet && account ? { wallet, account } : null;
  }

  async function findRemembered(name: string): Promise<ConnectedWallet | null> {
    if ((await around.chain()).isDemonstration) await around.registerDemoWallet();
    const wallet = await around.awaitWallet(name, TRUST_WITHIN);
    if (!wallet) return null;
    const account = await Promise.race([open(wallet, true), around.wait(TRUST_WITHIN).then(() => null)]);
    return account && { wallet, account };
  }

  async function attemptWith(found: () => Promise<ConnectedWallet | null>): Promise<void> {
    if ($wallet.get() !== DISCONNECTED) return;
    attempt += 1;
    const own = attempt;
    $walletNotice.set(null);
    $wallet.set({ ...DISCONNECTED, isConnecting: true });
    const outcome = await found().catch((error) => {
      around.log('The wallet did not connect.', error);
      return null;
    });
    if (own !== attempt) return;
    if (outcome) adopt(outcome.wallet, outcome.account);
    else $wallet.set(DISCONNECTED);
  }

  return {
    current: () => connected,
    connect: () => attemptWith(find),
    reconnect: async () => {
      const name = around.remembered();
      if (name !== null) await attemptWith(() => findRemembered(name));
    },
    disconnect: async () => {
      attempt += 1;
      const wallet = connected?.wallet;
      leave();
      around.remember(null);
      if (!wallet) return;
      dropSession();
      await wallet.features['standard:disconnect']?.disconnect().catch((error) => {
        around.log('The wallet did not disconnect.', error);
      });
    },
  };
}
