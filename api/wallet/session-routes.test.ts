// @module-tag slow
import { ed25519 } from '@noble/curves/ed25519.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  walletChallenge,
  walletProof,
  walletSession,
  walletSignOut,
} from '../../data/contract/wallet-session.ts';
import { SIGN_IN_LIFE_MS, signInMessage } from '../../data/model/sign-in-message.ts';
import { FakeIndex, TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { manyStakes, openedStake } from '../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal, type TestPortalChanges } from '../testing/test-portal.ts';
import {
  cookieHeader,
  openWalletSession,
  post,
  requestChallenge,
  signInWallet,
  testWallet,
  walletProofBody,
} from '../testing/test-wallet.ts';

const SESSION_LIFE_MS = 12 * 60 * 60_000;
const NO_SESSION = { walletAddress: null, provedAt: null, expiresAt: null };

async function start(changes: TestPortalChanges = {}): Promise<TestPortal> {
  const portal = await startTestPortal(changes);
  onTestFinished(() => portal.close());
  return portal;
}

const prove = (portal: TestPortal, body: unknown, headers = {}) =>
  post(portal.port, walletProof.path, body, headers);

async function startWithChallenge(changes: TestPortalChanges = {}) {
  const portal = await start(changes);
  const wallet = testWallet();
  return { portal, wallet, ...(await requestChallenge(portal.port, wallet.address)) };
}

async function readSession(portal: TestPortal, cookie: string) {
  const answer = await ask(portal.port, walletSession.path, { headers: { Cookie: cookie } });
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
  return walletSession.response.parse(JSON.parse(answer.body));
}

async function expectRefused(portal: TestPortal, body: unknown) {
  const answer = await prove(portal, body);
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([401, 'proof-refused']);
  expect(answer.headers['set-cookie']).toBeUndefined();
  return answer.body;
}

describe('the message to sign', () => {
  it('names the portal, the wallet, the chain and its expiry, as fields and as text', async () => {
    const publicOrigin = 'https://portal.example.com';
    const { portal, wallet, input, message } = await startWithChallenge({
      publicOrigin,
      chain: 'embedded-ledger',
    });
    expect(input).toEqual({
      domain: 'portal.example.com',
      address: wallet.address,
      statement: expect.stringContaining('moves no tokens'),
      uri: 'https://portal.example.com',
      version: '1',
      chainId: 'localnet',
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
      issuedAt: new Date(TEST_START).toISOString(),
      expirationTime: new Date(TEST_START + SIGN_IN_LIFE_MS).toISOString(),
    });
    expect(message).toBe(signInMessage(input));
    const { input: secondInput } = await requestChallenge(portal.port, wallet.address);
    expect(secondInput.nonce).not.toBe(input.nonce);
  });

  it('names a local host and the portal’s port if there is no public origin', async () => {
    const { port } = await start();
    for (const [Host, name] of [
      ['localhost:1', 'localhost'],
      ['127.0.0.1', '127.0.0.1'],
      ['[::1]:80', '[::1]'],
      ['evil.example', 'localhost'],
      ['localhost.evil.example', 'localhost'],
      ['localhost:80@evil.example', 'localhost'],
    ] as const) {
      const { input } = await requestChallenge(port, testWallet().address, { Host });
      expect([Host, input.domain, input.uri]).toEqual([Host, `${name}:${port}`, `http://${name}:${port}`]);
      expect(input.chainId).toBe('mainnet');
    }
  });

  it('is not issued unless the body is exactly one valid address', async () => {
    const { port } = await start();
    for (const body of [
      {},
      { walletAddress: '1'.repeat(44) },
      { walletAddress: '0'.repeat(40) },
      { walletAddress: testWallet().address, admin: true },
    ]) {
      const answer = await post(port, walletChallenge.path, body);
      expect([body, answer.status, JSON.parse(answer.body).code]).toEqual([body, 400, 'invalid-body']);
    }
  });
});

describe('a proof', () => {
  it('opens a session of twelve hours, with a cookie that no script and no other site can use', async () => {
    const { portal, wallet, message } = await startWithChallenge();
    const answer = await prove(portal, walletProofBody(wallet, message));
    const session = {
      walletAddress: wallet.address,
      provedAt: new Date(TEST_START).toISOString(),
      expiresAt: new Date(TEST_START + SESSION_LIFE_MS).toISOString(),
    };
    expect(walletProof.response.parse(JSON.parse(answer.body))).toEqual(session);
    expect(answer.headers['set-cookie']).toHaveLength(1);
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^walletSession=[\w-]{43}; Max-Age=43200; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    );
    expect(await readSession(portal, cookieHeader(answer))).toEqual(session);
    await portal.pollAt(TEST_START + SESSION_LIFE_MS - 1);
    expect(await readSession(portal, cookieHeader(answer))).toEqual(session);
    await portal.pollAt(TEST_START + SESSION_LIFE_MS);
    expect(await readSession(portal, cookieHeader(answer))).toEqual(NO_SESSION);
  });

  it('sets a secure cookie if the portal uses https', async () => {
    const { portal, wallet, message } = await startWithChallenge({
      publicOrigin: 'https://portal.example.com',
    });
    const answer = await prove(portal, walletProofBody(wallet, message));
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^__Host-walletSession=[\w-]{43}; Max-Age=43200; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  it('with a wrong signature consumes its nonce', async () => {
    const { portal, wallet, message } = await startWithChallenge();
    await expectRefused(portal, {
      ...walletProofBody(wallet, message),
      signature: testWallet().sign(message),
    });
    await expectRefused(portal, walletProofBody(wallet, message));
  });

  it('gets the same response for every mistake', async () => {
    const { portal, wallet } = await startWithChallenge();
    const responses = new Set<string>();
    // Each mistake gets a new challenge, because a refused proof may consume its challenge.
    const nextChallenge = () => requestChallenge(portal.port, wallet.address);
    const alteredFields = [
      { domain: 'evil.example' },
      { uri: 'https://evil.example' },
      { address: testWallet().address },
      { statement: 'Something else.' },
      { chainId: 'devnet' },
      { nonce: 'f'.repeat(32) },
      { issuedAt: new Date(TEST_START + 1).toISOString() },
      { expirationTime: new Date(TEST_START + 10 * SIGN_IN_LIFE_MS).toISOString() },
    ];
    for (const changes of alteredFields) {
      const { input } = await nextChallenge();
      responses.add(
        await expectRefused(portal, walletProofBody(wallet, signInMessage({ ...input, ...changes }))),
      );
    }
    const changedTexts = [
      (message: string) => message.replaceAll('\n', '\r\n'),
      (message: string) => `${message}\n`,
      () => 'Anything at all',
    ];
    for (const change of changedTexts) {
      const { message } = await nextChallenge();
      responses.add(await expectRefused(portal, walletProofBody(wallet, change(message))));
    }
    expect(responses.size).toBe(1);
  });

  it('is refused if the message is for another wallet', async () => {
    const [ownWallet, otherWallet] = [testWallet(), testWallet()];
    const portal = await start();
    const { message } = await requestChallenge(portal.port, otherWallet.address);
    await expectRefused(portal, {
      ...walletProofBody(ownWallet, message),
      walletAddress: otherWallet.address,
    });
    const { message: second } = await requestChallenge(portal.port, otherWallet.address);
    await expectRefused(portal, walletProofBody(ownWallet, second));
  });

  it('is refused once the message has expired', async () => {
    const { portal, wallet, message } = await startWithChallenge();
    await portal.pollAt(TEST_START + SIGN_IN_LIFE_MS);
    await expectRefused(portal, walletProofBody(wallet, message));
  });

  it('is refused for an address that anyone can sign for', async () => {
    const portal = await start();
    // The system program's address is 32 zero bytes. As a public key, that is a point of order 4.
    const walletAddress = '1'.repeat(32);
    const forgedSignature = Buffer.alloc(64);
    forgedSignature[0] = 1;
    const { message } = await requestChallenge(portal.port, walletAddress);
    const bytes = Buffer.from(message);
    expect(ed25519.verify(forgedSignature, bytes, new Uint8Array(32))).toBe(true);
    const [signedMessage, signature] = [bytes, forgedSignature].map((part) => part.toString('base64'));
    await expectRefused(portal, { walletAddress, signedMessage, signature });
  });

  it('that is malformed is rejected, and its nonce stays valid for one proof', async () => {
    const { portal, wallet, message } = await startWithChallenge();
    const proof = walletProofBody(wallet, message);
    for (const changes of [{ signature: 'no base64!' }, { signedMessage: 'A'.repeat(6_000) }, { more: 1 }]) {
      expect((await prove(portal, { ...proof, ...changes })).status).toBe(400);
    }
    expect((await prove(portal, proof)).status).toBe(200);
    await expectRefused(portal, proof);
  });
});

describe('a session', () => {
  it('ends when its owner signs out, and the wallet’s other sessions continue', async () => {
    const wallet = testWallet();
    const portal = await start();
    const [one, other] = [await signInWallet(portal.port, wallet), await signInWallet(portal.port, wallet)];
    const answer = await post(portal.port, walletSignOut.path, {}, { Cookie: one });
    expect(walletSignOut.response.parse(JSON.parse(answer.body))).toEqual({ success: true });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/^walletSession=;.*Expires=Thu, 01 Jan 1970/);
    expect(await readSession(portal, one)).toEqual(NO_SESSION);
    expect((await readSession(portal, other)).walletAddress).toBe(wallet.address);
    expect((await post(portal.port, walletSignOut.path, {})).status).toBe(200);
  });

  it('under https is only read from a cookie that no subdomain can plant (ASVS 3.3.3)', async () => {
    const { portal, wallet, message } = await startWithChallenge({
      publicOrigin: 'https://portal.example.com',
    });
    const ownCookie = cookieHeader(await prove(portal, walletProofBody(wallet, message)));
    const strangerCookie = await openWalletSession(portal.store, testWallet().address, TEST_START);
    expect(await readSession(portal, strangerCookie)).toEqual(NO_SESSION);
    expect((await readSession(portal, `${strangerCookie}; ${ownCookie}`)).walletAddress).toBe(wallet.address);
  });

  it.each(['signs out', 'proves a wallet'])(
    'from before the switch to https ends when its owner %s, and its cookie is removed',
    async (action) => {
      const { portal, wallet, message } = await startWithChallenge({
        publicOrigin: 'https://portal.example.com',
      });
      const oldCookie = await openWalletSession(portal.store, wallet.address, TEST_START);
      const answer =
        action === 'signs out'
          ? await post(portal.port, walletSignOut.path, {}, { Cookie: oldCookie })
          : await prove(portal, walletProofBody(wallet, message), { Cookie: oldCookie });
      const setCookies = answer.headers['set-cookie'] ?? [];
      expect(setCookies.map((cookie) => cookie.replace(/=.*/, '')).toSorted()).toEqual([
        '__Host-walletSession',
        'walletSession',
      ]);
      expect(setCookies.find((cookie) => cookie.startsWith('walletSession='))).toMatch(
        /^walletSession=;.*Expires=Thu, 01 Jan 1970/,
      );
      const [, token = ''] = oldCookie.split('=');
      expect(await portal.store.sessions.sessionByToken(token, TEST_START)).toBeNull();
    },
  );

  it('replaces the browser’s previous session', async () => {
    const [first, second] = [testWallet(), testWallet()];
    const portal = await start();
    const firstCookie = await signInWallet(portal.port, first);
    const { message } = await requestChallenge(portal.port, second.address);
    const secondCookie = cookieHeader(
      await prove(portal, walletProofBody(second, message), { Cookie: firstCookie }),
    );
    expect(await readSession(portal, firstCookie)).toEqual(NO_SESSION);
    expect((await readSession(portal, secondCookie)).walletAddress).toBe(second.address);
  });

  it('is found only by its exact cookie', async () => {
    const portal = await start();
    const cookie = await signInWallet(portal.port, testWallet());
    for (const changedCookie of [
      '',
      cookie.replace('walletSession', 'WalletSession'),
      `${cookie}A`,
      `walletSession=${'A'.repeat(43)}`,
      `walletSession=${'A'.repeat(43)}; ${cookie}`,
    ]) {
      expect(await readSession(portal, changedCookie), changedCookie).toEqual(NO_SESSION);
    }
    expect((await readSession(portal, `theme=dark; ${cookie}; a`)).walletAddress).not.toBeNull();
  });
});

it('challenges and proofs have separate rate limits', async () => {
  const portal = await start({ rateLimits: { challenges: 2, proofs: 2 } });
  const { address } = testWallet();
  const statusesOf = async (path: string, body: unknown) => {
    const answered: number[] = [];
    for (let call = 0; call < 3; call++) answered.push((await post(portal.port, path, body)).status);
    return answered;
  };
  expect(await statusesOf(walletChallenge.path, { walletAddress: address })).toEqual([200, 200, 429]);
  expect(await statusesOf(walletProof.path, {})).toEqual([400, 400, 429]);
  expect((await ask(portal.port, walletSession.path)).status).toBe(200);
});

it('a staker is authenticated once the wallet is proven, even after a restart', async () => {
  const wallet = testWallet();
  const index = new FakeIndex();
  index.storedStakes = {
    ...manyStakes(0),
    entries: [openedStake(1, { wallet: wallet.address }), openedStake(2)],
  };
  const portal = await start({ index });
  const readAuthenticated = async (port: number) => {
    const { body } = await ask(port, '/api/stakers/enhanced');
    const rows: { walletAddress: string; isAuthenticated: boolean }[] = JSON.parse(body);
    return rows.filter(({ isAuthenticated }) => isAuthenticated).map(({ walletAddress }) => walletAddress);
  };
  expect(await readAuthenticated(portal.port)).toEqual([]);
  await signInWallet(portal.port, wallet);
  await portal.pollAt(TEST_START);
  expect(await readAuthenticated(portal.port)).toEqual([wallet.address]);
  const restarted = await start({ index, store: portal.store });
  expect(await readAuthenticated(restarted.port)).toEqual([wallet.address]);
});

it('no part of a proof or a session is logged', async () => {
  const { portal, wallet, message, input } = await startWithChallenge();
  const cookie = await signInWallet(portal.port, wallet);
  await expectRefused(portal, { ...walletProofBody(wallet, message), signature: testWallet().sign(message) });
  const logged = portal.logLines.join('\n');
  for (const secret of [cookie.split('=')[1] ?? cookie, input.nonce, wallet.address]) {
    expect(logged).not.toContain(secret);
  }
});
