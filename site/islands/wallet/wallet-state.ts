import { serverClock } from '../../data/server-clock.ts';
import { readPageChain } from './page-chain.ts';
import { ProofError } from './proof-errors.ts';
import { endSession, proveOwner, readSession } from './prove-owner.ts';
import { rememberedWallet, rememberWallet } from './remembered-wallet.ts';
import { awaitWallet, solanaWallets } from './solana-wallets.ts';
import { type ConnectedWallet, createWalletConnection } from './wallet-connection.ts';
import { $session, $wallet, type ProvenSession } from './wallet-stores.ts';

/** The page's wallet: what the header, the islands and the forms share. Its state stands in `wallet-stores.ts`. */

const connection = createWalletConnection({
  wallets: solanaWallets,
  awaitWallet,
  chain: readPageChain,
  registerDemoWallet: async () => (await import('./demo/demo-wallet.ts')).registerDemoWallet(),
  device: () => navigator,
  pageAddress: () => location.href,
  openTab: (href) => void window.open(href, '_blank', 'noopener,noreferrer'),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  remembered: rememberedWallet,
  remember: rememberWallet,
  endSession,
  log: (text, error) => console.info(text, error),
});

/** What draws the wallet is loaded with its first use. */
async function view() {
  const { showWallet } = await import('../../shell/wallet/wallet-view.ts');
  return showWallet({ connect, disconnect, signOut });
}

/** Takes over the session that the server holds for the connected wallet, if it holds one. */
async function restoreSession(): Promise<void> {
  const { walletAddress } = $wallet.get();
  if (walletAddress === null) return;
  const session = await readSession();
  const isStill = $wallet.get().walletAddress === walletAddress && session?.walletAddress === walletAddress;
  if (isStill) $session.set(session);
}

/** Connects a wallet, by asking its owner. Failures are logged and shown to nobody; `$wallet` tells what came of it. */
export async function connect(): Promise<void> {
  await view();
  await connection.connect();
  await restoreSession();
}

/** Connects the wallet that was connected last, if it still trusts the site; asks nobody. */
export async function reconnect(): Promise<void> {
  await view();
  await connection.reconnect();
  await restoreSession();
}

/** What a press of the header's button does: connects, or shows the wallet that is connected. */
export async function openWallet(): Promise<void> {
  // Under the full-screen menu nothing else could be reached.
  document.querySelector<HTMLDialogElement>('#site-menu[open]')?.close();
  if ($wallet.get().isConnected) await (await view()).openMenu();
  else await connect();
}

/** Lets go of the wallet and ends its session. */
export async function disconnect(): Promise<void> {
  await connection.disconnect();
}

function connectedWallet(): ConnectedWallet {
  const connected = connection.current();
  if (!connected) throw new ProofError('not-connected');
  return connected;
}

/**
 * Lets the connected wallet sign a serialized transaction; it is not sent.
 * @throws {ProofError} where none is connected, it cannot sign, or its owner said no
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

/** Whether a session is that of the connected wallet, has not run out, and is young enough where that is asked for. */
export function sessionHolds(
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
 * Proves to the server that the connected wallet is the visitor's: with the session there is, or by letting the wallet
 * sign. `withinSeconds` asks for a proof no older than that.
 * @throws {ProofError} whose message is for the visitor
 */
export async function prove(options: { readonly withinSeconds?: number } = {}): Promise<ProvenSession> {
  const connected = connectedWallet();
  const wanted = {
    walletAddress: connected.account.address,
    now: serverClock.now(),
    withinSeconds: options.withinSeconds,
  };
  const known = $session.get() ?? (await readSession());
  const session = known && sessionHolds(known, wanted) ? known : await proveOwner(connected);
  // The wallet may have changed its account while it was asked.
  if ($wallet.get().walletAddress !== session.walletAddress) throw new ProofError('other-account');
  $session.set(session);
  return session;
}

/** Forgets a session that the server no longer accepts, so that the next proof asks the wallet again. */
export function forgetSession(): void {
  $session.set(null);
}

/** Signs the owner out; the wallet stays connected. @throws {RequestError} or {TypeError} where the server did not hear it. */
export async function signOut(): Promise<void> {
  await endSession();
  $session.set(null);
}
