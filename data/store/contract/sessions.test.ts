import { describe, expect, it } from 'vitest';
import type { IssuedChallenge } from '../session-port.ts';
import { reopenAppStore, store, stores, useAppStore } from '../testing/test-stores.ts';

const WALLET = 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota';
const OTHER_WALLET = 'G7usfsa1PD2hmkXpYw4YwBefwPD2rhggGrbHz6q5AJr2';

const CHALLENGE: IssuedChallenge = {
  nonce: 'nonce-of-the-test',
  walletAddress: WALLET,
  message: 'the message to sign',
  issuedAt: 1_000,
  expiresAt: 2_000,
};
const SESSION = { token: 'token-of-the-test', walletAddress: WALLET, provedAt: 1_000, expiresAt: 5_000 };

describe('proofs of wallets', () => {
  useAppStore();

  const consume = (changes: Partial<IssuedChallenge> = {}, now = 1_999) =>
    store.sessions.consumeChallenge({ ...CHALLENGE, ...changes }, now);

  describe('a challenge', () => {
    it.each([
      ['a different wallet', { walletAddress: OTHER_WALLET }, 1_500, 'other'],
      ['a different message', { message: 'the message to sign\n' }, 1_500, 'other'],
      ['an expired message', {}, 2_000, 'expired'],
    ])('is consumed even by %s', async (_case, changes, now, outcome) => {
      await store.sessions.issueChallenge(CHALLENGE);
      expect(await consume(changes, now)).toBe(outcome);
      expect(await consume()).toBe('used');
    });

    it('that was never issued is unknown, and a nonce can be issued only once', async () => {
      expect(await consume()).toBe('unknown');
      await store.sessions.issueChallenge(CHALLENGE);
      await expect(store.sessions.issueChallenge({ ...CHALLENGE, message: 'another' })).rejects.toThrow(
        RangeError,
      );
      expect(await consume()).toBe('accepted');
    });
  });

  describe('a session', () => {
    it('is found by its token until it expires', async () => {
      await store.sessions.openSession(SESSION);
      const { token, ...session } = SESSION;
      expect(await store.sessions.sessionByToken(token, 4_999)).toEqual(session);
      expect(await store.sessions.sessionByToken(token, 5_000)).toBeNull();
      expect(await store.sessions.sessionByToken(`${token} `, 1_000)).toBeNull();
    });

    it('ends permanently, and other sessions stay', async () => {
      await store.sessions.openSession(SESSION);
      await store.sessions.openSession({ ...SESSION, token: 'another' });
      await store.sessions.endSession(SESSION.token, 1_500);
      await store.sessions.endSession('no token at all', 1_500);
      expect(await store.sessions.sessionByToken(SESSION.token, 1_000)).toBeNull();
      expect(await store.sessions.sessionByToken('another', 1_000)).not.toBeNull();
    });

    it('cannot be opened with a token that is taken, and then proves no wallet', async () => {
      await store.sessions.openSession(SESSION);
      await expect(store.sessions.openSession({ ...SESSION, walletAddress: OTHER_WALLET })).rejects.toThrow(
        RangeError,
      );
      expect(await store.sessions.provenWallets()).toEqual(new Set([WALLET]));
    });
  });

  it('are deleted once they are invalid, not before', async () => {
    await store.sessions.issueChallenge(CHALLENGE);
    await store.sessions.issueChallenge({ ...CHALLENGE, nonce: 'younger', expiresAt: 2_001 });
    await store.sessions.openSession(SESSION);
    await store.sessions.sweepSessions(2_000);
    expect(await consume({}, 1_500)).toBe('unknown');
    expect(await consume({ nonce: 'younger' })).toBe('accepted');
    await store.sessions.sweepSessions(4_999);
    expect(await store.sessions.sessionByToken(SESSION.token, 1_000)).not.toBeNull();
    await store.sessions.sweepSessions(5_000);
    expect(await store.sessions.sessionByToken(SESSION.token, 1_000)).toBeNull();
  });

  it('list each proven wallet once, even after the session has ended and after a restart', async () => {
    await store.sessions.openSession(SESSION);
    await store.sessions.openSession({ ...SESSION, token: 'again', provedAt: 3_000 });
    await store.sessions.sweepSessions(9_000);
    await reopenAppStore();
    expect(await store.sessions.provenWallets()).toEqual(new Set([WALLET]));
    expect(await store.sessions.whitelistedTier(WALLET)).toBeNull();
  });

  it('leave no nonce, token or message in the store', async () => {
    await store.sessions.issueChallenge(CHALLENGE);
    await store.sessions.openSession(SESSION);
    const written = await stores.readAppBytes();
    expect(written.includes(WALLET)).toBe(true);
    for (const secret of [CHALLENGE.nonce, SESSION.token, CHALLENGE.message]) {
      expect(written.includes(secret)).toBe(false);
    }
  });
});
