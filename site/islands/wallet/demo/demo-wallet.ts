import type { WalletAccount, WalletIcon } from '@wallet-standard/base';
import type { StandardEventsListeners } from '@wallet-standard/features';
import { registerWallet } from '@wallet-standard/wallet';
import { DEMO_WALLETS } from '../../../../data/model/demo-wallets.ts';
import { readStored, writeStored } from '../../../shell/browser-storage.ts';
import type { SolanaWallet } from '../solana-wallets.ts';
import { DEMO_WALLET_NAME } from '../wallet-stores.ts';
import { askToSign, askWhichWallet } from './demo-dialogs.ts';
import { type DemoKey, deriveDemoKey, signInText, signTransactionBytes } from './demo-signing.ts';

/** The storage key for the name of the demo wallet that trusts this site. */
const TRUSTED_WALLET_STORAGE_KEY = 'demoWalletTrusts';
const CHAINS = ['solana:localnet'] as const;
const FEATURES = ['solana:signIn', 'solana:signMessage', 'solana:signTransaction'] as const;
const ICON: WalletIcon = `data:image/svg+xml;base64,${btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#16181c"/>' +
    '<path d="M7 11h18v13H7zM7 11l13-4v4M19 17h6" fill="none" stroke="#e3b341" stroke-width="1.6"/></svg>',
)}`;

const declinedError = () => new Error('The visitor declined the request.');

/** Signs the inputs one after another, because the visitor is asked to approve each one. */
async function signEach<Input, Output>(
  inputs: readonly Input[],
  sign: (input: Input) => Promise<Output>,
): Promise<Output[]> {
  const outputs: Output[] = [];
  for (const input of inputs) outputs.push(await sign(input));
  return outputs;
}

interface DemoDialogs {
  readonly choose: typeof askWhichWallet;
  readonly approve: typeof askToSign;
}

/** A Wallet Standard wallet with the keys of the demo wallets, which everyone can derive. Asks before it signs. */
export function createDemoWallet(
  dialogs: DemoDialogs,
  domain: string,
  /**
   * Registers a callback. It gets the name of the demo wallet that another tab opened, or null if that tab closed its
   * wallet.
   */
  onOtherTab: (follow: (name: string | null) => void) => void = () => {},
): SolanaWallet {
  const listeners = new Set<StandardEventsListeners['change']>();
  let openWalletState: { readonly key: DemoKey; readonly account: WalletAccount } | null = null;
  const accounts = () => (openWalletState ? [openWalletState.account] : []);
  const notify = () => {
    for (const listener of listeners) listener({ accounts: accounts() });
  };

  async function openWallet(name: string): Promise<void> {
    const key = await deriveDemoKey(name);
    const { address, publicKey } = key;
    openWalletState = { key, account: { address, publicKey, chains: CHAINS, features: FEATURES } };
    writeStored('localStorage', TRUSTED_WALLET_STORAGE_KEY, name);
    notify();
  }

  // As in other wallets, a change in one tab applies to all tabs.
  onOtherTab((name) => {
    if (!openWalletState) return;
    openWalletState = null;
    if (name === null) notify();
    else void openWallet(name);
  });

  function keyOf(account: WalletAccount): DemoKey {
    if (openWalletState?.account.address !== account.address) throw declinedError();
    return openWalletState.key;
  }

  async function requireApproval(title: string, what: string): Promise<void> {
    if (!(await dialogs.approve(title, what))) throw declinedError();
  }

  const features: SolanaWallet['features'] = {
    'standard:connect': {
      version: '1.0.0',
      connect: async ({ silent = false } = {}) => {
        if (openWalletState) return { accounts: accounts() };
        const chosenWallet = silent
          ? DEMO_WALLETS.find(({ name }) => name === readStored('localStorage', TRUSTED_WALLET_STORAGE_KEY))
          : await dialogs.choose();
        if (chosenWallet) await openWallet(chosenWallet.name);
        else if (!silent) throw declinedError();
        return { accounts: accounts() };
      },
    },
    'standard:disconnect': {
      version: '1.0.0',
      disconnect: async () => {
        openWalletState = null;
        writeStored('localStorage', TRUSTED_WALLET_STORAGE_KEY, null);
        notify();
      },
    },
    'standard:events': {
      version: '1.0.0',
      on: (_event, listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    'solana:signIn': {
      version: '1.0.0',
      signIn: (...inputs) =>
        signEach(inputs, async (input) => {
          if (
            !openWalletState ||
            (input.address !== undefined && input.address !== openWalletState.account.address)
          )
            throw declinedError();
          const { key, account } = openWalletState;
          const text = signInText(input, domain, account.address);
          await requireApproval('Sign in', text);
          const signedMessage = new TextEncoder().encode(text);
          return { account, signedMessage, signature: await key.sign(signedMessage) };
        }),
    },
    'solana:signMessage': {
      version: '1.0.0',
      signMessage: (...inputs) =>
        signEach(inputs, async ({ account, message }) => {
          const key = keyOf(account);
          await requireApproval('Sign a message', new TextDecoder().decode(message));
          return { signedMessage: message, signature: await key.sign(message) };
        }),
    },
    'solana:signTransaction': {
      version: '1.0.0',
      supportedTransactionVersions: ['legacy', 0],
      signTransaction: (...inputs) =>
        signEach(inputs, async ({ account, transaction }) => {
          const key = keyOf(account);
          const text = `A transaction of ${transaction.length} bytes on the demo ledger.`;
          await requireApproval('Sign a transaction', text);
          return { signedTransaction: await signTransactionBytes(transaction, key) };
        }),
    },
  };

  return {
    version: '1.0.0',
    name: DEMO_WALLET_NAME,
    icon: ICON,
    chains: CHAINS,
    features,
    get accounts() {
      return accounts();
    },
  };
}

let registration: Promise<void> | null = null;

async function register(): Promise<void> {
  // Signing requires a secure context and Ed25519.
  const canSign = await deriveDemoKey(DEMO_WALLETS[0]?.name ?? '').then(
    () => true,
    () => false,
  );
  if (!canSign) return;
  const dialogs = { choose: askWhichWallet, approve: askToSign };
  registerWallet(
    createDemoWallet(dialogs, location.host, (follow) =>
      addEventListener('storage', ({ key, newValue }) => {
        if (key === TRUSTED_WALLET_STORAGE_KEY) follow(newValue);
      }),
    ),
  );
}

export function registerDemoWallet(): Promise<void> {
  registration ??= register();
  return registration;
}
