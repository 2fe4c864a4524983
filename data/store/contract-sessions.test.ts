import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppStore } from './ports.ts';
import type { IssuedChallenge } from './session-port.ts';
import { ADAPTERS, type TestStores } from './testing/adapters.ts';

const WALLET = 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota';
const OTHER = 'G7usfsa1PD2hmkXpYw4YwBefwPD2rhggGrbHz6q5AJr2';

const CHALLENGE: IssuedChallenge = {
  nonce: 'nonce-of-the-test',
  walletAddress: WALLET,
  message: 'the message to sign',
  issuedAt: 1_000,
  expiresAt: 2_000,
};
const SESSION = { token: 'token-of-the-test', walletAddress: WALLET, provedAt: 1_000, expiresAt: 5_000 };

describe.each(ADAPTERS)('proofs of wallets in $name', ({ open }) => {
  let stores: TestStores;
  let app: AppStore;
  beforeEach(async () => {
    stores = await open();
    app = await stores.openApp();
  });
  afterEach(() => stores.dispose());

  const use = (changes: Partial<IssuedChallenge> = {}, now = 1_999) =>
    app.sessions.consumeChallenge({ ...CHALLENGE, ...changes }, now);

  describe('a challenge', () => {
    it('is accepted once when many uses race', async () => {
      await app.sessions.issueChallenge(CHALLENGE);
      const uses = await Promise.all(Array.from({ length: 20 }, () => use()));
      expect(uses.toSorted()).toEqual(['accepted', ...Array.from({ length: 19 }, () => 'used')]);
    });

    it.each([
      ['a different wallet', { walletAddress: OTHER }, 1_500, 'other'],
      ['a different message', { message: 'the message to sign\n' }, 1_500, 'other'],
      ['the right message when it has expired', {}, 2_000, 'expired'],
    ])('is also consumed by %s', async (_case, changes, now, outcome) => {
      await app.sessions.issueChallenge(CHALLENGE);
      expect(await use(changes, now)).toBe(outcome);
      expect(await use()).toBe('used');
    });

    it('that was never issued is unknown, and one nonce is issued once', async () => {
      expect(await use()).toBe('unknown');
      await app.sessions.issueChallenge(CHALLENGE);
      await expect(app.sessions.issueChallenge({ ...CHALLENGE, message: 'another' })).rejects.toThrow(
        RangeError,
      );
      expect(await use()).toBe('accepted');
    });
  });

  describe('a session', () => {
    it('is found by its token until it expires', async () => {
      await app.sessions.openSession(SESSION);
      const { token, ...session } = SESSION;
      expect(await app.sessions.sessionByToken(token, 4_999)).toEqual(session);
      expect(await app.sessions.sessionByToken(token, 5_000)).toBeNull();
      expect(await app.sessions.sessionByToken(`${token} `, 1_000)).toBeNull();
    });

    it('ends permanently, and other sessions stay', async () => {
      await app.sessions.openSession(SESSION);
      await app.sessions.openSession({ ...SESSION, token: 'another' });
      await app.sessions.endSession(SESSION.token, 1_500);
      await app.sessions.endSession('no token at all', 1_500);
      expect(await app.sessions.sessionByToken(SESSION.token, 1_000)).toBeNull();
      expect(await app.sessions.sessionByToken('another', 1_000)).not.toBeNull();
    });

    it('cannot be opened with a token that is taken, and then proves no wallet', async () => {
      await app.sessions.openSession(SESSION);
      await expect(app.sessions.openSession({ ...SESSION, walletAddress: OTHER })).rejects.toThrow(
        RangeError,
      );
      expect(await app.sessions.provenWallets()).toEqual(new Set([WALLET]));
    });
  });

  it('are deleted once they are invalid, not before', async () => {
    await app.sessions.issueChallenge(CHALLENGE);
    await app.sessions.issueChallenge({ ...CHALLENGE, nonce: 'younger', expiresAt: 2_001 });
    await app.sessions.openSession(SESSION);
    await app.sessions.sweepSessions(2_000);
    expect(await use({}, 1_500)).toBe('unknown');
    expect(await use({ nonce: 'younger' })).toBe('accepted');
    await app.sessions.sweepSessions(4_999);
    expect(await app.sessions.sessionByToken(SESSION.token, 1_000)).not.toBeNull();
    await app.sessions.sweepSessions(5_000);
    expect(await app.sessions.sessionByToken(SESSION.token, 1_000)).toBeNull();
  });

  it('list wallets that were proven once, even after the session and a restart', async () => {
    await app.sessions.openSession(SESSION);
    await app.sessions.openSession({ ...SESSION, token: 'again', provedAt: 3_000 });
    await app.sessions.sweepSessions(9_000);
    await app.close();
    app = await stores.openApp();
    expect(await app.sessions.provenWallets()).toEqual(new Set([WALLET]));
    expect(await app.sessions.whitelistedTier(WALLET)).toBeNull();
  });

  it('leave no nonce, token or message in the files', async () => {
    await app.sessions.issueChallenge(CHALLENGE);
    await app.sessions.openSession(SESSION);
    const written = await Promise.all(
      stores.appFiles().map((file) => readFile(file, 'latin1').catch(() => '')),
    );
    expect(written.join('')).toContain(WALLET);
    for (const secret of [CHALLENGE.nonce, SESSION.token, CHALLENGE.message]) {
      expect(written.join('')).not.toContain(secret);
    }
  });
});
