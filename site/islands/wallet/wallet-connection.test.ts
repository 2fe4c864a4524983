import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from './mobile/app-error.ts';
import { chainOfHealth } from './page-chain.ts';
import type { SolanaWallet } from './solana-wallets.ts';
import { type FakeWallet, fakeWallet } from './testing/fake-wallet.ts';
import {
  APP_CHECK_DELAY_MS,
  type ConnectionDeps,
  createWalletConnection,
  isAndroidChrome,
  isMobile,
} from './wallet-connection.ts';
import {
  $session,
  $wallet,
  $walletNotice,
  $walletQuestion,
  DISCONNECTED_STATE,
  MOBILE_WALLET_NAME,
} from './wallet-stores.ts';

describe('the name of the chain in the Wallet Standard', () => {
  it.each([
    ['embedded-ledger', null, true, 'solana:localnet'],
    ['solana', 'mainnet-beta', false, 'solana:mainnet'],
    ['solana', 'devnet', false, 'solana:devnet'],
    ['solana', 'testnet', false, 'solana:testnet'],
    ['solana', null, false, 'solana:mainnet'],
  ] as const)('is correct for chain %s and cluster %s', (chain, cluster, isDemonstration, walletChain) => {
    expect(chainOfHealth({ chain, cluster })).toEqual({ isDemonstration, walletChain });
  });
});

describe('mobile detection', () => {
  it.each([
    ['Mozilla/5.0 (Linux; Android 16; Pixel 9)', 5, true],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)', 5, true],
    // An iPad that requests desktop sites, then a Mac.
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 5, true],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 0, false],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 10, false],
  ])('classifies %s with %i touch points as mobile: %s', (userAgent, maxTouchPoints, expected) => {
    expect(isMobile({ userAgent, maxTouchPoints })).toBe(expected);
  });
});

const ANDROID_CHROME =
  'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/150.0.0.0 Mobile Safari/537.36';

it.each([
  [ANDROID_CHROME, true],
  [ANDROID_CHROME.replace('Pixel 9', 'Pixel 9; wv'), false],
  ['Mozilla/5.0 (Android 16; Mobile; rv:150.0) Gecko/150.0 Firefox/150.0', false],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36', false],
])('%s can connect to apps on its phone: %s', (userAgent, expected) => {
  expect(isAndroidChrome({ userAgent, maxTouchPoints: 5 })).toBe(expected);
});

afterEach(() => {
  $wallet.set(DISCONNECTED_STATE);
  $session.set(null);
  $walletNotice.set(null);
  $walletQuestion.set(null);
});

const PHONE = { userAgent: 'Mozilla/5.0 (Linux; Android 16)', maxTouchPoints: 5 };

/** A page with these wallets. `done` lists the calls to its dependencies. */
function createPage(fakes: readonly FakeWallet[], overrides: Partial<ConnectionDeps> = {}) {
  const actions: string[] = [];
  let remembered: string | null = null;
  const wallets: SolanaWallet[] = fakes.map(({ wallet }) => wallet);
  const connection = createWalletConnection({
    listWallets: () => wallets,
    awaitWallet: async (name) => wallets.find((wallet) => wallet.name === name) ?? null,
    readChain: async () => ({ isDemonstration: false, walletChain: 'solana:mainnet' }),
    registerDemoWallet: async () => void actions.push('demo'),
    registerMobileWallet: async (chain) => void actions.push(`mobile ${chain}`),
    device: () => ({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64)', maxTouchPoints: 0 }),
    pageUrl: () => 'https://bd.example/faq?a=1',
    openTab: (href) => void actions.push(`open ${href}`),
    wait: async (milliseconds) => void actions.push(`wait ${milliseconds}`),
    readRememberedWalletName: () => remembered,
    remember: (name) => {
      remembered = name;
    },
    endSession: async () => void actions.push('session ended'),
    log: (text) => void actions.push(text),
    ...overrides,
  });
  return { connection, done: actions, wallets, remembered: () => remembered };
}

const session = { walletAddress: 'A', provedAt: '2026-01-01T00:00:00Z', expiresAt: '2026-01-01T01:00:00Z' };

describe('connecting', () => {
  it('goes from disconnected through connecting to connected, and remembers only the wallet’s name', async () => {
    const { connection, remembered } = createPage([fakeWallet({ name: 'Phantom' })]);
    const states: string[] = [];
    $wallet.listen(({ isConnecting, isConnected }) => states.push(`${isConnecting} ${isConnected}`));
    await connection.connect();
    expect(states).toEqual(['true false', 'false true']);
    expect($wallet.get()).toEqual({
      walletAddress: 'A',
      isConnected: true,
      isConnecting: false,
      walletName: 'Phantom',
    });
    expect(remembered()).toBe('Phantom');
  });

  it('logs that the wallet failed, but shows no notice', async () => {
    const { connection, done } = createPage([fakeWallet({ connectResult: new Error('no') })]);
    await connection.connect();
    expect($wallet.get()).toBe(DISCONNECTED_STATE);
    expect($walletNotice.get()).toBeNull();
    expect(done).toEqual(['The wallet did not connect.']);
  });

  it('asks the visitor to install a wallet if there is none, and does nothing else', async () => {
    const { connection, done } = createPage([]);
    await connection.connect();
    expect($walletNotice.get()).toEqual({ kind: 'no-wallet' });
    expect($wallet.get()).toBe(DISCONNECTED_STATE);
    expect(done).toEqual([]);
  });

  it('registers the demo wallet only on the embedded ledger', async () => {
    const demonstration = createPage([], {
      readChain: async () => ({ isDemonstration: true, walletChain: 'solana:localnet' }),
    });
    await demonstration.connection.connect();
    expect(demonstration.done).toEqual(['demo']);
  });

  it('asks which of several wallets to use, and can be canceled', async () => {
    const [one, other] = [fakeWallet({ name: 'One' }), fakeWallet({ name: 'Other', connectResult: 'B' })];
    const { connection } = createPage([one, other]);
    const stop = $walletQuestion.listen((question) => question?.answer(null));
    await connection.connect();
    expect($wallet.get()).toBe(DISCONNECTED_STATE);
    stop();
    $walletQuestion.listen((question) => {
      expect(question?.options.map(({ name }) => name) ?? ['One', 'Other']).toEqual(['One', 'Other']);
      question?.answer(1);
    });
    await connection.connect();
    expect($wallet.get().walletAddress).toBe('B');
    expect(one.calls).toEqual([]);
  });

  it.each([
    ['Phantom', 'https://phantom.app/ul/browse/'],
    ['Solflare', 'https://solflare.com/ul/v1/browse/'],
    ['Backpack', 'https://backpack.app/ul/v1/browse/'],
  ])(
    'opens the page in the app of %s if a phone’s browser has no wallet, and checks again after 3 seconds',
    async (name, link) => {
      const stopListening = $walletQuestion.listen((question) => {
        question?.answer(question.options.findIndex((option) => option.name === name));
      });
      onTestFinished(stopListening);
      const app = fakeWallet({ connectResult: 'B' });
      const { connection, done, wallets } = createPage([], {
        device: () => PHONE,
        wait: async (milliseconds) => {
          done.push(`wait ${milliseconds}`);
          wallets.push(fakeWallet({ connectResult: new Error('locked') }).wallet, app.wallet);
        },
      });
      await connection.connect();
      expect(done).toEqual([
        `open ${link}https%3A%2F%2Fbd.example%2Ffaq%3Fa%3D1?ref=https%3A%2F%2Fbd.example`,
        `wait ${APP_CHECK_DELAY_MS}`,
      ]);
      expect(app.calls).toEqual(['silent']);
      expect($wallet.get().walletAddress).toBe('B');
    },
  );

  it('opens no app if the visitor cancels', async () => {
    const { connection, done } = createPage([], { device: () => PHONE });
    onTestFinished($walletQuestion.listen((question) => question?.answer(null)));
    await connection.connect();
    expect(done).toEqual([]);
    expect($wallet.get()).toBe(DISCONNECTED_STATE);
  });

  it('offers the wallet app first on an Android phone, and shows the reason if the app fails', async () => {
    const appError = new AppError('app-lost');
    const fakes = [fakeWallet({ name: MOBILE_WALLET_NAME, connectResult: appError })];
    const { connection, done } = createPage(fakes, {
      device: () => ({ userAgent: ANDROID_CHROME, maxTouchPoints: 5 }),
    });
    const options: string[] = [];
    onTestFinished(
      $walletQuestion.listen((question) => {
        options.push(...(question?.options.map(({ name }) => name) ?? []));
        question?.answer(0);
      }),
    );
    await connection.connect();
    expect(options).toEqual([MOBILE_WALLET_NAME, 'Phantom', 'Solflare', 'Backpack']);
    expect(done[0]).toBe('mobile solana:mainnet');
    expect($walletNotice.get()).toEqual({ kind: 'app-failed', text: appError.message });
    expect($wallet.get()).toBe(DISCONNECTED_STATE);
  });
});

describe('reconnecting', () => {
  it('connects the last wallet without a prompt', async () => {
    const fake = fakeWallet();
    const { connection } = createPage([fake], { readRememberedWalletName: () => 'Fake' });
    await connection.reconnect();
    expect(fake.calls).toEqual(['silent']);
    expect($wallet.get().isConnected).toBe(true);
  });

  it('does not connect a wallet that no longer trusts the site, is missing, or was never connected', async () => {
    const distrusting = createPage([fakeWallet({ trustsSite: false })], {
      readRememberedWalletName: () => 'Fake',
    });
    await distrusting.connection.reconnect();
    const missing = createPage([fakeWallet()], { readRememberedWalletName: () => 'Another' });
    await missing.connection.reconnect();
    const fake = fakeWallet();
    await createPage([fake]).connection.reconnect();
    expect($wallet.get()).toBe(DISCONNECTED_STATE);
    expect(fake.calls).toEqual([]);
  });
});

describe('disconnecting', () => {
  it('clears the address, disconnects the wallet, forgets it, and ends the session', async () => {
    const fake = fakeWallet();
    const { connection, done, remembered } = createPage([fake]);
    await connection.connect();
    $session.set(session);
    await connection.disconnect();
    expect($wallet.get()).toBe(DISCONNECTED_STATE);
    expect($session.get()).toBeNull();
    expect(fake.calls).toEqual(['connect', 'disconnect']);
    expect(remembered()).toBeNull();
    expect(done).toEqual(['session ended']);
    fake.changeAccounts('B');
    expect($wallet.get()).toBe(DISCONNECTED_STATE);
  });

  it('ignores the late result of an attempt to connect', async () => {
    let resolveChain: () => void = () => {};
    const { connection } = createPage([fakeWallet()], {
      readChain: () =>
        new Promise((resolve) => {
          resolveChain = () => resolve({ isDemonstration: false, walletChain: 'solana:mainnet' });
        }),
    });
    const connecting = connection.connect();
    await connection.disconnect();
    resolveChain();
    await connecting;
    expect($wallet.get()).toBe(DISCONNECTED_STATE);
  });
});

describe('a wallet that switches accounts', () => {
  it('changes the address and ends the session', async () => {
    const fake = fakeWallet();
    const { connection, done } = createPage([fake]);
    await connection.connect();
    $session.set(session);
    fake.changeAccounts('A');
    expect($session.get()).toBe(session);
    fake.changeAccounts('B');
    expect($wallet.get()).toMatchObject({ walletAddress: 'B', isConnected: true });
    expect($session.get()).toBeNull();
    expect(done).toEqual(['session ended']);
    expect(connection.getConnectedWallet()?.account.address).toBe('B');
  });

  it('is disconnected if it shares no account', async () => {
    const fake = fakeWallet();
    const { connection, remembered } = createPage([fake]);
    await connection.connect();
    fake.changeAccounts();
    expect($wallet.get()).toBe(DISCONNECTED_STATE);
    expect(connection.getConnectedWallet()).toBeNull();
    expect(remembered()).toBeNull();
  });
});

describe('a change in another tab', () => {
  const session = { walletAddress: '', provedAt: '', expiresAt: '' };

  it.each([
    ['disconnects the wallet', false, null],
    ['connects another wallet', false, 'Other'],
    ['connects the same wallet', true, 'Phantom'],
  ])('that %s is followed (this tab stays connected: %s)', async (_case, staysConnected, name) => {
    const { connection, done, remembered } = createPage([fakeWallet({ name: 'Phantom' })], {
      readRememberedWalletName: () => name,
    });
    await connection.connect();
    $session.set(session);
    connection.followOtherTab();
    expect($wallet.get().isConnected).toBe(staysConnected);
    expect($session.get()).toBe(staysConnected ? session : null);
    // This tab must not end the session: the other tab does that, and may already have started a new one.
    expect(done).toEqual([]);
    expect(remembered()).toBe('Phantom');
  });
});

describe('a portal that cannot be reached', () => {
  it('causes a notice on connect, but none on a silent reconnect', async () => {
    const unreachableDeps = {
      readChain: () => Promise.reject(new TypeError('Failed to fetch')),
      readRememberedWalletName: () => 'Phantom',
    };
    const { connection, done } = createPage([fakeWallet({ name: 'Phantom' })], unreachableDeps);
    await connection.reconnect();
    expect($walletNotice.get()).toBeNull();
    await connection.connect();
    expect($walletNotice.get()).toEqual({ kind: 'unreachable' });
    expect($wallet.get()).toBe(DISCONNECTED_STATE);
    expect(done).toEqual(['The wallet did not connect.', 'The wallet did not connect.']);
  });
});
