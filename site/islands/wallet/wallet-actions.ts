// Actions on the visitor's wallet. The wallet's state is in `wallet-stores.ts`.

import { serverClock } from '../../data/server-clock.ts';
import { announceSessionChange, followOtherTabs } from './other-tabs.ts';
import { readPageChain } from './page-chain.ts';
import { endProofSession, ProofError, readSession } from './proof-session.ts';
import { readRememberedWalletName, rememberWallet } from './remembered-wallet.ts';
import { awaitWallet, listSolanaWallets } from './solana-wallets.ts';
import { type ConnectedWallet, createWalletConnection } from './wallet-connection.ts';
import { $session, $wallet, type ProvenSession } from './wallet-stores.ts';

const connection = createWalletConnection({
  listWallets: listSolanaWallets,
  awaitWallet,
  readChain: readPageChain,
  registerDemoWallet: async () => (await import('./demo/demo-wallet.ts')).registerDemoWallet(),
  registerMobileWallet: async (chain) =>
    (await import('./mobile/mobile-wallet.ts')).registerMobileWallet(chain),
  device: () => navigator,
  pageUrl: () => location.href,
  openTab: (href) => void window.open(href, '_blank', 'noopener,noreferrer'),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  readRememberedWalletName,
  remember: rememberWallet,
  endSession: endProofSession,
  log: (text, error) => console.info(text, error),
});

/** Reads the session after another tab changed it. */
async function refreshSession(): Promise<void> {
  const { walletAddress } = $wallet.get();
  if (walletAddress === null) return;
  const session = await readSession();
  if ($wallet.get().walletAddress !== walletAddress) return;
  $session.set(session?.walletAddress === walletAddress ? session : null);
}

let isFollowingOtherTabs = false;

/** On first use, loads the wallet dialogs and starts following other tabs. */
export async function loadWalletView() {
  if (!isFollowingOtherTabs) followOtherTabs(connection.followOtherTab, () => void refreshSession());
  isFollowingOtherTabs = true;
  const { startWalletView } = await import('../../shell/wallet/wallet-view.ts');
  return startWalletView({ connect, disconnect, signOut });
}

async function restoreSession(): Promise<void> {
  const { walletAddress } = $wallet.get();
  if (walletAddress === null) return;
  const session = await readSession();
  const isSameWallet =
    $wallet.get().walletAddress === walletAddress && session?.walletAddress === walletAddress;
  if (isSameWallet) $session.set(session);
}

/** Connects a wallet and sets `$wallet`. Failures are logged, and some also set `$walletNotice`. */
export async function connect(): Promise<void> {
  await loadWalletView();
  await connection.connect();
  await restoreSession();
}

/** Connects the wallet last used in this browser, without a prompt. Does nothing if no wallet is remembered. */
export async function reconnect(): Promise<void> {
  await loadWalletView();
  await connection.reconnect();
  await restoreSession();
}

/** Connects a wallet, or opens the menu if one is connected. For the wallet button in the header. */
export async function openWallet(): Promise<void> {
  // The site menu would cover the wallet's dialog.
  document.querySelector<HTMLDialogElement>('#site-menu[open]')?.close();
  if ($wallet.get().isConnected) await (await loadWalletView()).openMenu();
  else await connect();
}

/** Disconnects the wallet and ends its session. */
export const disconnect = connection.disconnect;

function requireConnectedWallet(): ConnectedWallet {
  const currentWallet = connection.getConnectedWallet();
  if (!currentWallet) throw new ProofError('not-connected');
  return currentWallet;
}

/**
 * Has the wallet sign a transaction, but does not send it.
 * @throws {ProofError} if no wallet is connected, the wallet cannot sign, or the visitor declines
 */
export async function signTransaction(transaction: Uint8Array): Promise<Uint8Array> {
  const { wallet, account } = requireConnectedWallet();
  const feature = wallet.features['solana:signTransaction'];
  if (!feature) throw new ProofError('cannot-sign');
  const { walletChain } = await readPageChain();
  try {
    const [signed] = await feature.signTransaction({ account, transaction, chain: walletChain });
    if (signed) return signed.signedTransaction;
  } catch (error) {
    throw error instanceof ProofError ? error : new ProofError('not-signed', { cause: error });
  }
  throw new ProofError('not-signed');
}

interface SessionRequirements {
  readonly walletAddress: string;
  /** Unix ms. */
  readonly now: number;
  /** The maximum age of the proof. */
  readonly withinSeconds?: number;
}

export function isSessionUsable(
  session: ProvenSession | null,
  { walletAddress, now, withinSeconds = Number.POSITIVE_INFINITY }: SessionRequirements,
): session is ProvenSession {
  if (session?.walletAddress !== walletAddress || Date.parse(session.expiresAt) <= now) return false;
  return now - Date.parse(session.provedAt) < withinSeconds * 1_000;
}

async function proveWithSignature(currentWallet: ConnectedWallet): Promise<ProvenSession> {
  const { proveWithRetries } = await import('./sign-proof.ts').catch((error) => {
    throw new ProofError('no-connection', { cause: error });
  });
  return proveWithRetries(currentWallet, async () => (await loadWalletView()).askHowToSign());
}

/**
 * Returns the current session if it is usable. Otherwise asks the wallet for a new signature.
 * @throws {ProofError} with a message for the visitor
 */
export async function prove(
  options: Pick<SessionRequirements, 'withinSeconds'> = {},
): Promise<ProvenSession> {
  const currentWallet = requireConnectedWallet();
  const requirements = { ...options, walletAddress: currentWallet.account.address, now: serverClock.now() };
  const knownSession = $session.get() ?? (await readSession());
  const session = isSessionUsable(knownSession, requirements)
    ? knownSession
    : await proveWithSignature(currentWallet);
  // The wallet may have switched accounts in the meantime.
  if ($wallet.get().walletAddress !== session.walletAddress) throw new ProofError('other-account');
  $session.set(session);
  if (session !== knownSession) announceSessionChange();
  return session;
}

/** Drops a session that the server no longer accepts. The next proof then asks the wallet for a signature. */
export function forgetSession(): void {
  $session.set(null);
}

/** Ends the session, but keeps the wallet connected. @throws {RequestError | TypeError} */
export async function signOut(): Promise<void> {
  await endProofSession();
  $session.set(null);
  announceSessionChange();
}
