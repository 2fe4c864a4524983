import type {
  SolanaSignInFeature,
  SolanaSignMessageFeature,
  SolanaSignTransactionFeature,
} from '@solana/wallet-standard-features';
import type { WalletAccount, WalletIcon } from '@wallet-standard/base';
import type {
  StandardConnectFeature,
  StandardDisconnectFeature,
  StandardEventsFeature,
  StandardEventsListeners,
} from '@wallet-standard/features';
import { registerWallet } from '@wallet-standard/wallet';
import { DEMO_WALLETS } from '../../../../data/model/demo-wallets.ts';
import type { SolanaWallet } from '../solana-wallets.ts';
import { DEMO_WALLET_NAME } from '../wallet-stores.ts';
import { askToSign, askWhichWallet } from './ask-owner.ts';
import { type DemoKey, demoKey, signInText, signWire } from './demo-signing.ts';

/** The storage key for the demo wallet that trusts this site. */
const TRUSTED_KEY = 'demoWalletTrusts';
const CHAINS = ['solana:localnet'] as const;
const FEATURES = ['solana:signIn', 'solana:signMessage', 'solana:signTransaction'] as const;
const ICON: WalletIcon = `data:image/svg+xml;base64,${btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#16181c"/>' +
    '<path d="M7 11h18v13H7zM7 11l13-4v4M19 17h6" fill="none" stroke="#e3b341" stroke-width="1.6"/></svg>',
)}`;

const declined = () => new Error('The visitor declined the request.');

function trusted(): string | null {
  try {
    return localStorage.getItem(TRUSTED_KEY);
  } catch {
    return null;
  }
}

function trust(name: string | null): void {
  try {
    if (name === null) localStorage.removeItem(TRUSTED_KEY);
    else localStorage.setItem(TRUSTED_KEY, name);
  } catch {
    // Without storage it is trusted while this page is open.
  }
}

/** How a demo wallet asks for consent. */
interface DemoOwner {
  readonly choose: typeof askWhichWallet;
  readonly approve: typeof askToSign;
}

/** A Wallet Standard wallet with the public keys of the embedded ledger's demo wallets. Asks before it signs. */
export function createDemoWallet(owner: DemoOwner, domain: string): SolanaWallet {
  const listeners = new Set<StandardEventsListeners['change']>();
  let open: { readonly key: DemoKey; readonly account: WalletAccount } | null = null;
  const accounts = () => (open ? [open.account] : []);
  const notify = () => {
    for (const listener of listeners) listener({ accounts: accounts() });
  };

  async function openWallet(name: string): Promise<void> {
    const key = await demoKey(name);
    const { address, publicKey } = key;
    open = { key, account: { address, publicKey, chains: CHAINS, features: FEATURES } };
    trust(name);
    notify();
  }

  function keyOf(account: WalletAccount): DemoKey {
    if (open?.account.address !== account.address) throw declined();
    return open.key;
  }

  async function requireApproval(title: string, what: string): Promise<void> {
    if (!(await owner.approve(title, what))) throw declined();
  }

  const features: StandardConnectFeature &
    StandardDisconnectFeature &
    StandardEventsFeature &
    SolanaSignInFeature &
    SolanaSignMessageFeature &
    SolanaSignTransactionFeature = {
    'standard:connect': {
      version: '1.0.0',
      connect: async ({ silent = false } = {}) => {
        if (open) return { accounts: accounts() };
        const known = DEMO_WALLETS.find(({ name }) => name === trusted());
        if (silent) {
          if (known) await openWallet(known.name);
          return { accounts: accounts() };
        }
        const chosen = await owner.choose();
        if (!chosen) throw declined();
        await openWallet(chosen.name);
        return { accounts: accounts() };
      },
    },
    'standard:disconnect': {
      version: '1.0.0',
      disconnect: async () => {
        open = null;
        trust(null);
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
      signIn: async (...inputs) => {
        const outputs = [];
        for (const input of inputs) {
          if (!open || (input.address !== undefined && input.address !== open.account.address))
            throw declined();
          const { key, account } = open;
          const text = signInText(input, domain, account.address);
          await requireApproval('Sign in', text);
          const signedMessage = new TextEncoder().encode(text);
          outputs.push({ account, signedMessage, signature: await key.sign(signedMessage) });
        }
        return outputs;
      },
    },
    'solana:signMessage': {
      version: '1.0.0',
      signMessage: async (...inputs) => {
        const outputs = [];
        for (const { account, message } of inputs) {
          const key = keyOf(account);
          await requireApproval('Sign a message', new TextDecoder().decode(message));
          outputs.push({ signedMessage: message, signature: await key.sign(message) });
        }
        return outputs;
      },
    },
    'solana:signTransaction': {
      version: '1.0.0',
      supportedTransactionVersions: ['legacy', 0],
      signTransaction: async (...inputs) => {
        const outputs = [];
        for (const { account, transaction } of inputs) {
          const key = keyOf(account);
          await requireApproval(
            'Sign a transaction',
            `A transaction of ${transaction.length} bytes on the embedded ledger.`,
          );
          outputs.push({ signedTransaction: await signWire(transaction, key) });
        }
        return outputs;
      },
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

let registered: Promise<void> | null = null;

async function register(): Promise<void> {
  // Without a secure context or Ed25519 it could not sign, so it is not registered.
  const canSign = await demoKey(DEMO_WALLETS[0]?.name ?? '').then(
    () => true,
    () => false,
  );
  if (canSign)
    registerWallet(createDemoWallet({ choose: askWhichWallet, approve: askToSign }, location.host));
}

/** Registers the demo wallet, once per page. */
export function registerDemoWallet(): Promise<void> {
  registered ??= register();
  return registered;
}
