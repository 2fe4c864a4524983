import {
  type AuthorizationResult,
  type MobileWallet,
  type Scenario,
  SolanaMobileWalletAdapterError,
  SolanaMobileWalletAdapterProtocolError,
  SolanaMobileWalletAdapterProtocolErrorCode,
  SolanaSignTransactions,
  startScenario,
} from '@solana-mobile/mobile-wallet-adapter-protocol';
import { base58FromUint8Array } from '@solana-mobile/mobile-wallet-adapter-protocol/encoding';
import type { WalletAccount, WalletIcon } from '@wallet-standard/base';
import type { StandardEventsListeners } from '@wallet-standard/features';
import { registerWallet } from '@wallet-standard/wallet';
import { readStored, writeStored } from '../../../shell/browser-storage.ts';
import { fromBase64, toBase64 } from '../base64.ts';
import type { PageChain } from '../page-chain.ts';
import { ProofError } from '../proof-session.ts';
import type { SolanaWallet } from '../solana-wallets.ts';
import { MOBILE_WALLET_NAME } from '../wallet-stores.ts';
import { AppError } from './app-error.ts';
import { askToOpenApp, showWaitingForApp } from './ask-app.ts';

/** The storage key for the wallet app's authorization: its token and the public addresses. Removed on disconnect. */
const AUTHORIZATION_KEY = 'mobileWallet';
const ICON: WalletIcon = `data:image/svg+xml;base64,${btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#16181c"/>' +
    '<rect x="10" y="5" width="12" height="22" rx="2.5" fill="none" stroke="#e3b341" stroke-width="1.6"/>' +
    '<path d="M14.5 23.5h3" stroke="#e3b341" stroke-width="1.6"/></svg>',
)}`;
const SIGNATURE_BYTES = 64;
/** Milliseconds to wait for an answer to the browser's permission prompt. */
const PROMPT_TIMEOUT_MS = 30_000;
/** Milliseconds allowed for decrypting an answer that arrived just before the connection closed. */
const CLOSE_GRACE_MS = 500;

interface Authorization {
  readonly token: string;
  readonly chain: PageChain['walletChain'];
  /** Public keys, in base64. */
  readonly addresses: readonly string[];
  /** The wallet app's own link. It opens this app directly, so that the visitor does not have to choose one. */
  readonly baseUri: string | undefined;
  readonly signsTransactions: boolean;
}

function parseAuthorization(text: string | null): Authorization | null {
  try {
    const stored = JSON.parse(text ?? 'null');
    return typeof stored?.token === 'string' && Array.isArray(stored.addresses) ? stored : null;
  } catch {
    return null;
  }
}

/** The browser's permission to connect to programs on this device; `granted` in browsers that do not have this permission. */
const readLoopbackPermission = () =>
  navigator.permissions.query({ name: 'loopback-network' as PermissionName }).then(
    ({ state }) => state,
    () => 'granted',
  );

/** Makes the browser ask for the permission now, because it cannot ask while the wallet app covers the page. */
async function requireLoopbackPermission(): Promise<void> {
  if ((await readLoopbackPermission()) === 'prompt') {
    await new Promise((resolve) => {
      const probe = new WebSocket('ws://localhost:49151/');
      probe.addEventListener('close', resolve);
      probe.addEventListener('open', () => probe.close());
      // The visitor may leave the prompt unanswered.
      setTimeout(resolve, PROMPT_TIMEOUT_MS);
    });
  }
  if ((await readLoopbackPermission()) === 'denied') throw new AppError('app-blocked');
}

/** Reports the loss of an open connection. The library has no event for this, and its pending requests would never settle. */
function watchConnection() {
  const NativeWebSocket = globalThis.WebSocket;
  const connectionLoss = new Promise<never>((_, reject) => {
    globalThis.WebSocket = class extends NativeWebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols);
        const onClose = () => setTimeout(() => reject(new AppError('app-lost')), CLOSE_GRACE_MS);
        this.addEventListener('open', () => this.addEventListener('close', onClose));
      }
    };
  });
  return {
    lost: connectionLoss,
    stop: () => {
      globalThis.WebSocket = NativeWebSocket;
    },
  };
}

function toProofError(cause: unknown): ProofError {
  if (cause instanceof ProofError) return cause;
  if (!(cause instanceof SolanaMobileWalletAdapterError)) return new ProofError('not-signed', { cause });
  return new AppError(cause.code === 'ERROR_WALLET_NOT_FOUND' ? 'no-app' : 'app-lost', { cause });
}

/** Whether the app declined an authorization, or no longer accepts the authorization's token. */
const isUnauthorized = (error: unknown) =>
  error instanceof SolanaMobileWalletAdapterProtocolError &&
  error.code === SolanaMobileWalletAdapterProtocolErrorCode.ERROR_AUTHORIZATION_FAILED;

const DIALOGS = { askToOpenApp, showWaitingForApp };

let isBusy = false;

/**
 * Opens the wallet app for one exchange, and then closes the connection.
 * @throws {ProofError}
 */
async function runInApp<T>(
  dialogs: typeof DIALOGS,
  baseUri: string | undefined,
  exchange: (app: MobileWallet) => Promise<T>,
): Promise<T> {
  if (isBusy) throw new ProofError('not-signed');
  isBusy = true;
  const startingScenarios: Promise<Scenario>[] = [];
  let close = () => {};
  try {
    await requireLoopbackPermission();
    if (!navigator.userActivation.isActive && !(await dialogs.askToOpenApp()))
      throw new ProofError('not-signed');
    const connection = watchConnection();
    const waitingDialog = dialogs.showWaitingForApp();
    close = () => {
      connection.stop();
      waitingDialog.close();
    };
    const run = async () => {
      const scenario = startScenario(baseUri === undefined ? {} : { baseUri });
      startingScenarios.push(scenario);
      return exchange(await (await scenario).wallet);
    };
    const cancellation = waitingDialog.cancelled.then(() => {
      throw new ProofError('not-signed');
    });
    return await Promise.race([run(), connection.lost, cancellation]);
  } catch (error) {
    throw toProofError(error);
  } finally {
    close();
    for (const scenario of startingScenarios) {
      scenario.then(
        (opened) => opened.close(),
        () => {},
      );
    }
    isBusy = false;
  }
}

/**
 * A Wallet Standard wallet for an app on the same Android phone. The app holds the keys. The page connects to the app with the
 * Mobile Wallet Adapter protocol.
 */
export function createMobileWallet(chain: PageChain['walletChain'], dialogs = DIALOGS): SolanaWallet {
  const chains = [chain] as const;
  const listeners = new Set<StandardEventsListeners['change']>();
  const readAuthorization = () => {
    const stored = parseAuthorization(readStored('localStorage', AUTHORIZATION_KEY));
    return stored?.chain === chain ? stored : null;
  };
  let authorization = readAuthorization();

  const accounts = (): WalletAccount[] =>
    (authorization?.addresses ?? []).map((base64) => {
      const publicKey = fromBase64(base64);
      return {
        address: base58FromUint8Array(publicKey),
        publicKey,
        chains,
        features: [
          'solana:signMessage',
          ...(authorization?.signsTransactions ? (['solana:signTransaction'] as const) : []),
        ],
      };
    });

  function setAuthorization(next: Authorization | null): void {
    authorization = next;
    for (const listener of listeners) listener({ accounts: accounts() });
  }

  function storeAuthorization(next: Authorization | null): void {
    writeStored('localStorage', AUTHORIZATION_KEY, next && JSON.stringify(next));
    setAuthorization(next);
  }

  // As in other wallets, a change in one tab applies to all tabs.
  addEventListener('storage', ({ key }) => {
    if (key === AUTHORIZATION_KEY) setAuthorization(readAuthorization());
  });

  const identity = { name: 'BlackDuck Portal', uri: location.origin, icon: 'icons/apple-touch.png' };

  function storeResult(result: AuthorizationResult, signsTransactions: boolean): void {
    storeAuthorization({
      token: result.auth_token,
      chain,
      addresses: result.accounts.map(({ address }) => address),
      baseUri: result.wallet_uri_base ?? undefined,
      signsTransactions,
    });
  }

  /** Signs with an account in the wallet app, after the app has confirmed that it still shares the account. */
  function signWithApp<T>({ address }: WalletAccount, sign: (app: MobileWallet) => Promise<T>): Promise<T> {
    const currentAuthorization = authorization;
    if (!currentAuthorization) throw new ProofError('not-connected');
    return runInApp(dialogs, currentAuthorization.baseUri, async (app) => {
      try {
        storeResult(
          await app.authorize({ chain, identity, auth_token: currentAuthorization.token }),
          currentAuthorization.signsTransactions,
        );
      } catch (error) {
        if (!isUnauthorized(error)) throw error;
        storeAuthorization(null);
        throw new AppError('app-unauthorized', { cause: error });
      }
      if (!accounts().some((account) => account.address === address)) throw new ProofError('other-account');
      return sign(app);
    });
  }

  const features = (): SolanaWallet['features'] => ({
    'standard:connect': {
      version: '1.0.0',
      connect: async ({ silent = false } = {}) => {
        if (!silent) {
          await runInApp(dialogs, undefined, async (app) => {
            const capabilities = await app.getCapabilities();
            const result = await app.authorize({ chain, identity });
            storeResult(result, capabilities.features.includes(SolanaSignTransactions));
          });
        }
        return { accounts: accounts() };
      },
    },
    'standard:disconnect': { version: '1.0.0', disconnect: async () => storeAuthorization(null) },
    'standard:events': {
      version: '1.0.0',
      on: (_event, listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    'solana:signMessage': {
      version: '1.0.0',
      signMessage: (...inputs) =>
        Promise.all(
          inputs.map(({ account, message }) =>
            signWithApp(account, async (app) => {
              const addresses = [toBase64(Uint8Array.from(account.publicKey))];
              const { signed_payloads } = await app.signMessages({
                addresses,
                payloads: [toBase64(message)],
              });
              const signedPayload = fromBase64(signed_payloads[0] ?? '');
              if (signedPayload.length < SIGNATURE_BYTES) throw new ProofError('not-signed');
              // Most apps append the signature to the message. Some return the signature alone.
              const signedMessage = signedPayload.slice(0, -SIGNATURE_BYTES);
              return {
                signedMessage: signedMessage.length === 0 ? message : signedMessage,
                signature: signedPayload.slice(-SIGNATURE_BYTES),
              };
            }),
          ),
        ),
    },
    ...(authorization?.signsTransactions && {
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        signTransaction: (...inputs) =>
          Promise.all(
            inputs.map(({ account, transaction }) =>
              signWithApp(account, async (app) => {
                const { signed_payloads } = await app.signTransactions({ payloads: [toBase64(transaction)] });
                return { signedTransaction: fromBase64(signed_payloads[0] ?? '') };
              }),
            ),
          ),
      },
    }),
  });

  return {
    version: '1.0.0',
    name: MOBILE_WALLET_NAME,
    icon: ICON,
    chains,
    get features() {
      return features();
    },
    get accounts() {
      return accounts();
    },
  };
}

let isRegistered = false;

export function registerMobileWallet(chain: PageChain['walletChain']): void {
  // The protocol requires a secure context.
  if (!isRegistered && isSecureContext) registerWallet(createMobileWallet(chain));
  isRegistered = true;
}
