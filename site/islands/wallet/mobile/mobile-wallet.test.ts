import { createPublicKey, verify } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ProofError } from '../proof-session.ts';
import { chooseHighPorts, createWalletApp, ledgerKey } from '../testing/mobile-wallet-app.ts';
import { createMobileWallet } from './mobile-wallet.ts';

const ADA = ledgerKey('ada').address;
const MESSAGE = new TextEncoder().encode('sign me');
/** A transaction: one empty signature, then the message. */
const TRANSACTION = Uint8Array.from([1, ...new Uint8Array(64), ...MESSAGE]);

/** A page in Chrome on Android, whose links to `solana-wallet:` open the app. Storage lasts until the test ends. */
function openPage() {
  const page = { isInstalled: true, isActive: true, permission: 'granted', linkCount: 0, tapCount: 0 };
  const app = createWalletApp('ada');
  const storedItems = new Map<string, string>();
  const follow = async (link: string) => {
    page.linkCount += 1;
    if (!page.isInstalled) return;
    await app.open(link);
    window.dispatchEvent(new Event('blur'));
  };
  const window = Object.assign(new EventTarget(), {
    isSecureContext: true,
    location: { assign: (link: URL) => void follow(String(link)) },
    setTimeout,
    clearTimeout,
    localStorage: {
      getItem: (key: string) => storedItems.get(key) ?? null,
      setItem: (key: string, value: string) => void storedItems.set(key, value),
      removeItem: (key: string) => void storedItems.delete(key),
    },
  });
  vi.stubGlobal('window', window);
  vi.stubGlobal('location', { origin: 'https://bd.example' });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('navigator', {
    userAgent: 'Mozilla/5.0 (Linux; Android 16) Chrome/150.0.0.0 Mobile',
    permissions: { query: async () => ({ state: page.permission }) },
    userActivation: {
      get isActive() {
        return page.isActive;
      },
    },
  });
  let cancel: () => void = () => {};
  const dialogs = {
    askToOpenApp: async () => {
      page.tapCount += 1;
      return true;
    },
    showWaitingForApp: () => {
      const cancelled = new Promise<null>((resolve) => {
        cancel = () => resolve(null);
      });
      return { cancelled, close: () => cancel() };
    },
  };
  onTestFinished(app.stop);
  return {
    page,
    app,
    cancel: () => cancel(),
    loadWallet: () => createMobileWallet('solana:mainnet', dialogs),
  };
}

type Wallet = ReturnType<typeof createMobileWallet>;

async function connect(wallet: Wallet) {
  const { accounts } = await wallet.features['standard:connect'].connect();
  const [account] = accounts;
  if (!account) throw new Error('no account');
  return account;
}

async function signMessage(wallet: Wallet, account = wallet.accounts[0]) {
  if (!account) throw new Error('no account');
  const [signed] =
    (await wallet.features['solana:signMessage']?.signMessage({ account, message: MESSAGE })) ?? [];
  return signed;
}

async function reasonOf(action: Promise<unknown>): Promise<string> {
  const error = await action.then(
    () => null,
    (thrown) => thrown,
  );
  return error instanceof ProofError ? error.reason : String(error);
}

beforeEach(() => {
  const { random } = Math;
  chooseHighPorts();
  onTestFinished(() => {
    Math.random = random;
  });
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a wallet app on this phone', () => {
  it('shares its account, and is asked again for authorization before it signs a message or a transaction', async () => {
    const { app, loadWallet } = openPage();
    const wallet = loadWallet();
    const account = await connect(wallet);
    expect([account.address, app.chain]).toEqual([ADA, 'solana:mainnet']);
    expect(app.identity).toMatchObject({ uri: 'https://bd.example' });

    const signed = await signMessage(wallet);
    expect(signed?.signedMessage).toEqual(MESSAGE);
    const publicKey = createPublicKey(ledgerKey('ada').privateKey);
    expect(verify(null, MESSAGE, publicKey, signed?.signature ?? MESSAGE)).toBe(true);

    const feature = wallet.features['solana:signTransaction'];
    const [output] = (await feature?.signTransaction({ account, transaction: TRANSACTION })) ?? [];
    const bytes = output?.signedTransaction ?? MESSAGE;
    expect(verify(null, bytes.slice(65), publicKey, bytes.slice(1, 65))).toBe(true);
    expect(app.calls).toEqual([
      'get_capabilities',
      'authorize',
      ...['authorize', 'sign_messages'],
      ...['authorize', 'sign_transactions'],
    ]);
  });

  it('reconnects without opening the app after a reload, until it is disconnected', async () => {
    const { page, loadWallet } = openPage();
    await connect(loadWallet());
    const reloaded = loadWallet();
    const reconnectSilently = () => reloaded.features['standard:connect'].connect({ silent: true });
    expect((await reconnectSilently()).accounts.map(({ address }) => address)).toEqual([ADA]);
    expect(page.linkCount).toBe(1);
    await reloaded.features['standard:disconnect']?.disconnect();
    expect((await reconnectSilently()).accounts).toEqual([]);
    expect(loadWallet().accounts).toEqual([]);
  });

  it('leaves the shared accounts unchanged if the visitor refuses to share one or to sign', async () => {
    const { app, loadWallet } = openPage();
    const wallet = loadWallet();
    app.ownerBehavior = 'declines';
    expect(await reasonOf(connect(wallet))).toBe('not-signed');
    expect(wallet.accounts).toEqual([]);
    app.ownerBehavior = 'approves';
    await connect(wallet);
    app.ownerBehavior = 'declines';
    expect(await reasonOf(signMessage(wallet))).toBe('not-signed');
    expect(wallet.accounts).toHaveLength(1);
  });

  it('answers the next request after it lost the connection or the visitor canceled', async () => {
    const { app, loadWallet, cancel } = openPage();
    const wallet = loadWallet();
    await connect(wallet);
    app.ownerBehavior = 'loses';
    expect(await reasonOf(signMessage(wallet))).toBe('app-lost');
    app.ownerBehavior = 'waits';
    app.calls.length = 0;
    const waiting = reasonOf(signMessage(wallet));
    await vi.waitUntil(() => app.calls.includes('sign_messages'), { timeout: 60_000 });
    cancel();
    expect(await waiting).toBe('not-signed');
    app.ownerBehavior = 'approves';
    expect((await signMessage(wallet))?.signedMessage).toEqual(MESSAGE);
  });

  it('may switch accounts, and the page follows before anything is signed', async () => {
    const { app, loadWallet } = openPage();
    const wallet = loadWallet();
    const account = await connect(wallet);
    const changes: string[][] = [];
    wallet.features['standard:events']?.on('change', ({ accounts }) => {
      changes.push((accounts ?? []).map(({ address }) => address));
    });
    app.sharedNames = ['grace'];
    expect(await reasonOf(signMessage(wallet, account))).toBe('other-account');
    expect(changes).toEqual([[ledgerKey('grace').address]]);
    expect(app.calls).not.toContain('sign_messages');
    app.revoke();
    expect(await reasonOf(signMessage(wallet))).toBe('app-unauthorized');
    expect(changes.at(-1)).toEqual([]);
  });

  it('is reported as missing if it does not open', async () => {
    const { page, loadWallet } = openPage();
    page.isInstalled = false;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    Object.assign(window, { setTimeout, clearTimeout });
    const reason = reasonOf(connect(loadWallet()));
    await vi.waitUntil(() => page.linkCount === 1, { timeout: 60_000 });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await reason).toBe('no-app');
  });

  it('needs a tap to open, and a browser that allows the connection', async () => {
    const { page, loadWallet } = openPage();
    page.isActive = false;
    const wallet = loadWallet();
    await connect(wallet);
    expect(page.tapCount).toBe(1);
    page.permission = 'denied';
    expect(await reasonOf(signMessage(wallet))).toBe('app-blocked');
    expect(page.linkCount).toBe(1);
  });

  it('signs no transactions for the page if it can only sign and send them', async () => {
    const { app, loadWallet } = openPage();
    app.features = [];
    const wallet = loadWallet();
    await connect(wallet);
    expect('solana:signTransaction' in wallet.features).toBe(false);
  });
});
