// What the header, the islands and the forms do with the page's wallet. Its state is in `wallet-stores.ts`.

import { serverClock } from '../../data/server-clock.ts';
import { readPageChain } from './page-chain.ts';
import { endSession, ProofError, proveOwner, readSession } from './prove-owner.ts';
import { rememberedWallet, rememberWallet } from './remembered-wallet.ts';
import { awaitWallet, solanaWallets } from './solana-wallets.ts';
import { type ConnectedWallet, createWalletConnection } from './wallet-connection.ts';
import { $session, $wallet, type ProvenSession } from './wallet-stores.ts';

const connection = createWalletConnection({
  wallets: solanaWallets,
  awaitWallet,
  chain: readPageChain,
  registerDemoWallet: async () => (await import('./demo/demo-wallet.ts')).registerDemoWallet(),
  device: () => navigator,
  pageUrl: () => location.href,
  openTab: (href) => void window.open(href, '_blank', 'noopener,noreferrer'),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  remembered: rememberedWallet,
  remember: rememberWallet,
  endSession,
  log: (text, error) => console.info(text, error),
});

/** Loads the wallet's dialogs on first use. */
async function loadView() {
  const { showWallet } = await import('../../shell/wallet/wallet-view.ts');
  return showWallet({ connect, disconnect, signOut });
}

/** Loads the connected wallet's session from the server, if there is one. */
async function restoreSession(): Promise<void> {
  const { walletAddress } = $wallet.get();
  if (walletAddress === null) return;
  const session = await readSession();
  const isSameWallet =
    $wallet.get().walletAddress === walletAddress && session?.walletAddress === walletAddress;
  if (isSameWallet) $session.set(session);
}

/** Connects a wallet with its prompt. Failures are logged, not shown; `$wallet` has the result. */
export async function connect(): Promise<void> {
  await loadView();
  await connection.connect();
  await restoreSession();
}

/** Reconnects the last wallet without a prompt, if it still trusts the site. */
export async function reconnect(): Promise<void> {
  await loadView();
  await connection.reconnect();
  await restoreSession();
}

/** Handles a press of the header's button: connects, or shows the connected wallet. */
export async function openWallet(): Promise<void> {
  // The site menu would cover the wallet's dialog.
  document.querySelector<HTMLDialogElement>('#site-menu[open]')?.close();
  if ($wallet.get().isConnected) await (await loadView()).openMenu();
  else await connect();
}

/** Disconnects the wallet and ends its session. */
export async function disconnect(): Promise<void> {
  await connection.disconnect();
}

function connectedWallet(): ConnectedWallet {
  const connected = connection.current();
  if (!connected) throw new ProofError('not-connected');
  return connected;
}

/**
 * Has the connected wallet sign a serialized transaction, without sending it.
 * @throws {ProofError} if none is connected, it cannot sign, or the visitor declines
 */
export async function signTransaction(transaction: Uint8Array): Promise<Uint8Array> {
  const { wallet, account } = connectedWallet();
  const feature = wallet.features['solana:signTransaction'];
  if (!feature) throw new ProofError('cannot-sign');
  const { walletChain } = await readPageChain();
  try {
    const [signed] = await feature.signTransaction({ account, transaction, chain: walletChain });
    if (signed) return signed.signedTransaction;
  } catch (error) {
    throw new ProofError('not-signed', { cause: error });
  }
  throw new ProofError('not-signed');
}

/** Whether a session belongs to the connected wallet, is valid, and is recent enough. */
export function isSessionUsable(
  session: ProvenSession | null,
  wanted: {
    readonly walletAddress: string;
    readonly now: number;
    readonly withinSeconds?: number | undefined;
  },
): boolean {
  if (session?.walletAddress !== wanted.walletAddress || Date.parse(session.expiresAt) <= wanted.now)
    return false;
  const age = wanted.now - Date.parse(session.provedAt);
  return wanted.withinSeconds === undefined || age < wanted.withinSeconds * 1_000;
}

/**
 * Proves the ownership of the connected wallet, with the current session or a new signature.
 * `withinSeconds`: the maximum age of the proof.
 * @throws {ProofError} with a message for the visitor
 */
export async function prove(options: { readonly withinSeconds?: number } = {}): Promise<ProvenSession> {
  const connected = connectedWallet();
  const wanted = {
    walletAddress: connected.account.address,
    now: serverClock.now(),
    withinSeconds: options.withinSeconds,
  };
  const known = $session.get() ?? (await readSession());
  const session = known && isSessionUsable(known, wanted) ? known : await proveOwner(connected);
  // The wallet may have changed its account in the meantime.
  if ($wallet.get().walletAddress !== session.walletAddress) throw new ProofError('other-account');
  $session.set(session);
  return session;
}

/** Drops a session that the server no longer accepts, so that the next proof asks the wallet again. */
export function forgetSession(): void {
  $session.set(null);
}

/** Signs out; the wallet stays connected. @throws {RequestError} or {TypeError} on failure. */
export async function signOut(): Promise<void> {
  await endSession();
  $session.set(null);
}
