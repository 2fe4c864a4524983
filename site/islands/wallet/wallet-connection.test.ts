import { afterEach, describe, expect, it } from 'vitest';
import type { SolanaWallet } from './solana-wallets.ts';
import { type FakeWallet, fakeWallet } from './testing/fake-wallet.ts';
import {
  type ConnectionSurroundings,
  createWalletConnection,
  LOOK_AGAIN_AFTER,
} from './wallet-connection.ts';
import { $session, $wallet, $walletNotice, $walletQuestion, DISCONNECTED } from './wallet-stores.ts';

afterEach(() => {
  $wallet.set(DISCONNECTED);
  $session.set(null);
  $walletNotice.set(null);
  $walletQuestion.set(null);
});

const PHONE = { userAgent: 'Mozilla/5.0 (Linux; Android 16)', maxTouchPoints: 5 };

/** A page with some wallets; what was done to it stands in `done`. */
function page(fakes: readonly FakeWallet[], changes: Partial<ConnectionSurroundings> = {}) {
  const done: string[] = [];
  let remembered: string | null = null;
  const wallets: SolanaWallet[] = fakes.map(({ wallet }) => wallet);
  const connection = createWalletConnection({
    wallets: () => wallets,
    awaitWallet: async (name) => wallets.find((wallet) => wallet.name === name) ?? null,
    chain: async () => ({ isDemonstration: false, walletChain: 'solana:mainnet' }),
    registerDemoWallet: async () => void done.push('demo'),
    device: () => ({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64)', maxTouchPoints: 0 }),
    pageAddress: () => 'https://bd.example/faq?a=1',
    openTab: (href) => void done.push(`open ${href}`),
    wait: async (milliseconds) => void done.push(`wait ${milliseconds}`),
    remembered: () => remembered,
    remember: (name) => {
      remembered = name;
    },
    endSession: async () => void done.push('session ended'),
    log: (text) => void done.push(text),
    ...changes,
  });
  return { connection, done, wallets, remembered: () => remembered };
}

const session = { walletAddress: 'A', provedAt: '2026-01-01T00:00:00Z', expiresAt: '2026-01-01T01:00:00Z' };

describe('connecting', () => {
  it('goes from disconnected over connecting to connected, and remembers the wallet’s name alone', async () => {
    const { connection, remembered } = page([fakeWallet({ name: 'Phantom' })]);
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

  it('that fails shows nothing, and is logged', async () => {
    const { connection, done } = page([fakeWallet({ opens: new Error('no') })]);
    await connection.connect();
    expect($wallet.get()).toBe(DISCONNECTED);
    expect($walletNotice.get()).toBeNull();
    expect(done).toEqual(['The wallet did not connect.']);
  });

  it('without a wallet asks to install one, and does nothing else', async () => {
    const { connection, done } = page([]);
    await connection.connect();
    expect($walletNotice.get()).toEqual({ kind: 'no-wallet' });
    expect($wallet.get()).toBe(DISCONNECTED);
    expect(done).toEqual([]);
  });

  it('registers the demo wallet on the embedded ledger, and nowhere else', async () => {
    const demonstration = page([], {
      chain: async () => ({ isDemonstration: true, walletChain: 'solana:localnet' }),
    });
    await demonstration.connection.connect();
    expect(demonstration.done).toEqual(['demo']);
    const unknown = page([], {
      chain: async () => {
        throw new TypeError('no network');
      },
    });
    await unknown.connection.connect();
    expect(unknown.done).toEqual(['The wallet did not connect.']);
  });

  it('asks which of several wallets, and takes none for an answer', async () => {
    const [one, other] = [fakeWallet({ name: 'One' }), fakeWallet({ name: 'Other', opens: 'B' })];
    const { connection } = page([one, other]);
    const stop = $walletQuestion.listen((question) => question?.answer(null));
    await connection.connect();
    expect($wallet.get()).toBe(DISCONNECTED);
    stop();
    $walletQuestion.listen((question) => {
      expect(question?.options.map(({ name }) => name) ?? ['One', 'Other']).toEqual(['One', 'Other']);
      question?.answer(1);
    });
    await connection.connect();
    expect($wallet.get().walletAddress).toBe('B');
    expect(one.asked).toEqual([]);
  });

  it('on a phone without a wallet opens the page in the wallet’s app, and looks again after 3 seconds', async () => {
    const app = fakeWallet({ opens: 'B' });
    const { connection, done, wallets } = page([], {
      device: () => PHONE,
      wait: async (milliseconds) => {
        done.push(`wait ${milliseconds}`);
        wallets.push(app.wallet);
      },
    });
    await connection.connect();
    expect(done).toEqual([
      'open https://phantom.app/ul/browse/https%3A%2F%2Fbd.example%2Ffaq%3Fa%3D1?ref=https%3A%2F%2Fbd.example',
      `wait ${LOOK_AGAIN_AFTER}`,
    ]);
    expect(app.asked).toEqual(['silent']);
    expect($wallet.get().walletAddress).toBe('B');
  });
});

describe('coming back', () => {
  it('asks the wallet that was connected last without disturbing its owner', async () => {
    const fake = fakeWallet();
    const { connection } = page([fake], { remembered: () => 'Fake' });
    await connection.reconnect();
    expect(fake.asked).toEqual(['silent']);
    expect($wallet.get().isConnected).toBe(true);
  });

  it('stays disconnected where the wallet does not trust the site any more, is gone, or none was connected', async () => {
    const distrusting = page([fakeWallet({ trusts: false })], { remembered: () => 'Fake' });
    await distrusting.connection.reconnect();
    const gone = page([fakeWallet()], { remembered: () => 'Another' });
    await gone.connection.reconnect();
    const fake = fakeWallet();
    await page([fake]).connection.reconnect();
    expect($wallet.get()).toBe(DISCONNECTED);
    expect(fake.asked).toEqual([]);
  });
});

describe('leaving', () => {
  it('clears the address, disconnects the wallet, forgets it, and ends the session', async () => {
    const fake = fakeWallet();
    const { connection, done, remembered } = page([fake]);
    await connection.connect();
    $session.set(session);
    await connection.disconnect();
    expect($wallet.get()).toBe(DISCONNECTED);
    expect($session.get()).toBeNull();
    expect(fake.asked).toEqual(['connect', 'disconnect']);
    expect(remembered()).toBeNull();
    expect(done).toEqual(['session ended']);
    fake.change('B');
    expect($wallet.get()).toBe(DISCONNECTED);
  });

  it('while it connects makes the late answer count for nothing', async () => {
    let open: () => void = () => {};
    const { connection } = page([fakeWallet()], {
      chain: () =>
        new Promise((resolve) => {
          open = () => resolve({ isDemonstration: false, walletChain: 'solana:mainnet' });
        }),
    });
    const connecting = connection.connect();
    await connection.disconnect();
    open();
    await connecting;
    expect($wallet.get()).toBe(DISCONNECTED);
  });
});

describe('a wallet that changes its account', () => {
  it('is followed, and its session dropped', async () => {
    const fake = fakeWallet();
    const { connection, done } = page([fake]);
    await connection.connect();
    $session.set(session);
    fake.change('A');
    expect($session.get()).toBe(session);
    fake.change('B');
    expect($wallet.get()).toMatchObject({ walletAddress: 'B', isConnected: true });
    expect($session.get()).toBeNull();
    expect(done).toEqual(['session ended']);
    expect(connection.current()?.account.address).toBe('B');
  });

  it('to none is disconnected', async () => {
    const fake = fakeWallet();
    const { connection, remembered } = page([fake]);
    await connection.connect();
    fake.change();
    expect($wallet.get()).toBe(DISCONNECTED);
    expect(connection.current()).toBeNull();
    expect(remembered()).toBeNull();
  });
});
