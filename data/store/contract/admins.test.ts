// @module-tag slow
import { describe, expect, it } from 'vitest';
import type { AdminLink } from '../admin-link-port.ts';
import type { AttemptRule } from '../admin-port.ts';
import {
  addAdminWithTotp,
  adminAudit,
  IP_ADDRESS,
  SIGNED_IN_AT,
  sampleAdmin,
  signIn,
} from '../testing/sample-admins.ts';
import { reopenAppStore, store, useAppStore } from '../testing/test-stores.ts';

const MINUTE_MS = 60_000;
const NOW = SIGNED_IN_AT + MINUTE_MS;

describe('the team', () => {
  useAppStore();

  const add = (username: string, changes?: Parameters<typeof sampleAdmin>[1]) =>
    store.admins.add(sampleAdmin(username, changes), adminAudit('admin.added'));
  const openSessions = async (adminId: string | null = null) =>
    (await store.admins.sessions(adminId, NOW, 0)).map(({ id }) => id);
  const actions = async () => (await store.auditTrail(99)).map(({ action }) => action);

  describe('an account', () => {
    it('is stored with every field, even after a restart, and is found by its name in upper or lower case', async () => {
      await store.admins.createFirst(sampleAdmin('Ada'), adminAudit('admin.created'));
      await add('bo', { email: null, role: 'viewer', addedBy: 'Ada', createdAt: SIGNED_IN_AT + 1 });
      await reopenAppStore();
      const ada = { id: 'Ada', username: 'Ada', email: 'Ada@example.com', role: 'owner' };
      const stored = { createdAt: SIGNED_IN_AT, disabledAt: null, hasTotp: false, passkeys: 0 };
      expect(await store.admins.byName('aDA')).toEqual({
        ...ada,
        ...stored,
        passwordHash: 'hash of Ada',
        totp: null,
      });
      expect(await store.admins.all()).toMatchObject([ada, { id: 'bo', email: null, role: 'viewer' }]);
      expect(await store.admins.byId('no one')).toBeNull();
      expect(await actions()).toEqual(['admin.added', 'admin.created']);
    });

    it('is not demoted or deactivated if it is the last owner who may sign in', async () => {
      await add('ada');
      await add('bo');
      const { admins } = store;
      expect(await admins.changeRole('no one', 'viewer', adminAudit('x'))).toBe('unknown');
      expect(await admins.disable('bo', adminAudit('admin.disabled'))).toBe('changed');
      expect(await admins.changeRole('ada', 'viewer', adminAudit('x'))).toBe('last-owner');
      expect(await admins.disable('ada', adminAudit('x'))).toBe('last-owner');
      expect(await admins.enable('bo', adminAudit('admin.enabled'))).toBe('changed');
      expect(await admins.changeRole('ada', 'viewer', adminAudit('admin.changed'))).toBe('changed');
      expect(await actions()).not.toContain('x');
    });
  });

  describe('a one-time link', () => {
    const invitation = (changes: object = {}) =>
      ({
        id: crypto.randomUUID(),
        kind: 'invitation',
        email: 'eve@example.com',
        username: null,
        role: 'viewer',
        createdBy: 'ada',
        createdAt: SIGNED_IN_AT,
        expiresAt: NOW,
        ...changes,
      }) as const;
    const resetLink: AdminLink = {
      id: 'reset',
      kind: 'password-reset',
      email: null,
      adminId: 'bo',
      removeSecondFactors: true,
      createdBy: 'ada',
      createdAt: SIGNED_IN_AT,
      expiresAt: NOW,
    };
    const offer = (link: AdminLink, token: string, isMailed = false) =>
      store.admins.offerLink(link, token, isMailed, adminAudit('offered'));
    const join = (token: string, name = 'eve') =>
      store.admins.joinByLink(token, sampleAdmin(name), adminAudit('joined'));

    it('is found by its token until it expires, even after a restart, and the email is queued with it', async () => {
      await add('ada');
      const link = invitation();
      expect(await offer(link, 'one', true)).toBe('offered');
      await reopenAppStore();
      const { admins } = store;
      expect(await admins.linkOf('one', NOW - 1)).toEqual(link);
      expect([await admins.linkOf('one', NOW), await admins.linkOf('two', 0)]).toEqual([null, null]);
      expect(await store.deliveries.deliveriesOf(link.id)).toMatchObject([{ recipient: link.email }]);
      await admins.sweepAdminData(NOW, 0);
      expect(await admins.links()).toEqual([]);
    });

    it('replaces the earlier one for the same address or account', async () => {
      await add('ada');
      await add('bo');
      const other = invitation({ id: 'other', email: 'other@example.com' });
      const newer = { ...resetLink, id: 'newer' };
      for (const link of [
        invitation(),
        other,
        invitation({ id: 'again', email: 'EVE@example.com' }),
        resetLink,
        newer,
      ]) {
        await offer(link, link.id);
      }
      const remaining = (await store.admins.links()).map(({ id }) => id);
      expect(remaining.toSorted()).toEqual(['again', 'newer', 'other']);
      expect(await store.admins.linkOf('newer', 0)).toEqual(newer);
    });

    it('is not created for a taken name or an unknown account', async () => {
      await add('ada');
      expect(await offer(invitation({ username: 'ADA' }), 'one')).toBe('name-taken');
      expect(await offer(resetLink, 'one')).toBe('unknown');
      expect([await store.admins.links(), await actions()]).toEqual([[], ['admin.added']]);
    });

    it('can be used only once, and not with a name that is taken', async () => {
      await add('ada');
      await offer(invitation(), 'one');
      expect(await join('one', 'аda')).toBe('name-taken');
      expect((await Promise.all([join('one'), join('one', 'eva')])).toSorted()).toEqual(['added', 'ended']);
      expect(await actions()).toEqual(['joined', 'offered', 'admin.added']);
    });

    it('resets a password once, and removes the second factors if the link says so', async () => {
      await add('ada');
      await addAdminWithTotp(store, 'bo', ['code']);
      await offer(resetLink, 'one');
      const use = () => store.admins.resetByLink('one', 'another', adminAudit('reset'));
      expect([await use(), await use()]).toEqual([true, false]);
      expect(await store.admins.byId('bo')).toMatchObject({ passwordHash: 'another', hasTotp: false });
      expect(await join('one')).toBe('ended');
    });

    it('cancels its waiting email when it ends, and the email does not count as failed', async () => {
      await add('ada');
      const [withdrawn, replaced, current] = [
        invitation(),
        invitation({ email: 'bo@example.com' }),
        invitation({ email: 'bo@example.com' }),
      ];
      for (const link of [withdrawn, replaced, current]) await offer(link, link.id, true);
      await store.admins.withdrawLink(withdrawn.id, adminAudit('withdrawn'));
      const claim = { channel: 'mail', now: NOW, leasedUntil: NOW + 1, limit: 9 } as const;
      expect(await store.deliveries.claimDue(claim)).toMatchObject([{ referenceNumber: current.id }]);
      for (const { id } of [withdrawn, replaced])
        expect(await store.deliveries.deliveriesOf(id)).toMatchObject([{ state: 'settled' }]);
    });

    it('ends when its account is deactivated, and when the owner who created it loses the role', async () => {
      for (const name of ['ada', 'bo', 'cy']) await add(name);
      const { admins } = store;
      await offer(resetLink, 'of bo');
      await offer(invitation({ createdBy: 'cy' }), 'by cy');
      await admins.disable('bo', adminAudit('x'));
      expect((await admins.links()).map(({ createdBy }) => createdBy)).toEqual(['cy']);
      await admins.changeRole('cy', 'viewer', adminAudit('x'));
      expect(await admins.links()).toEqual([]);
    });
  });

  describe('a passkey', () => {
    const passkey = (id: string, adminId: string) => ({
      ...{ id, adminId, name: 'Phone', publicKey: '{}', counter: 0, createdAt: SIGNED_IN_AT },
    });
    const addPasskey = (id: string, adminId: string, limit = 2) =>
      store.admins.addPasskey(passkey(id, adminId), limit, '', adminAudit('added'));

    it('has a challenge that can be used once, and not after it expires', async () => {
      const { admins } = store;
      const challenge = { purpose: 'register', adminId: 'ada' } as const;
      for (const text of ['one', 'two']) await admins.addChallenge(text, challenge, NOW - 9, NOW);
      await reopenAppStore();
      const both = await Promise.all([1, 2].map(() => store.admins.consumeChallenge('one', NOW - 1)));
      expect(both.filter((one) => one !== null)).toEqual([challenge]);
      expect(await store.admins.consumeChallenge('two', NOW)).toBeNull();
    });

    it('loses expired challenges when another challenge is added', async () => {
      const { admins } = store;
      const challenge = { purpose: 'sign-in', adminId: null } as const;
      await admins.addChallenge('expired', challenge, NOW - 9, NOW);
      await admins.addChallenge('valid', challenge, NOW - 9, NOW + 1);
      await admins.addChallenge('newest', challenge, NOW, NOW + 9);
      expect(await admins.consumeChallenge('expired', NOW - 1)).toBeNull();
      expect(await admins.consumeChallenge('valid', NOW)).toEqual(challenge);
      expect(await admins.consumeChallenge('newest', NOW)).toEqual(challenge);
    });

    it('belongs to one account, which can have only a few, and ends the account’s other sessions when added or removed', async () => {
      for (const name of ['ada', 'bo']) await add(name);
      await signIn(store, 'ada');
      expect([
        await addPasskey('k1', 'ada'),
        await addPasskey('k1', 'bo'),
        await addPasskey('k2', 'ada'),
      ]).toEqual(['added', 'taken', 'added']);
      expect(await addPasskey('k3', 'ada')).toBe('full');
      expect(await openSessions('ada')).toEqual([]);
      expect(await store.admins.byId('ada')).toMatchObject({ passkeys: 2, hasTotp: false });
      expect(await store.admins.passkey('k1')).toEqual({ ...passkey('k1', 'ada'), lastUsedAt: null });
      for (const id of ['one', 'two'])
        await signIn(store, 'ada', { kind: 'passkey', id: 'k2', counter: 0 }, { id });
      const remove = (adminId: string) =>
        store.admins.removePasskey(adminId, 'k1', 'one', adminAudit('removed'));
      expect(await remove('bo')).toBe(false);
      expect((await openSessions('ada')).toSorted()).toEqual(['one', 'two']);
      expect(await remove('ada')).toBe(true);
      expect(await openSessions('ada')).toEqual(['one']);
      expect((await store.admins.passkeysOf('ada')).map(({ id }) => id)).toEqual(['k2']);
    });

    it('opens a session if its counter increases or stays at zero, and is required to sign in', async () => {
      await add('ada');
      await addPasskey('k1', 'ada');
      const signInWithCounter = (counter: number) =>
        signIn(store, 'ada', { kind: 'passkey', id: 'k1', counter });
      expect([
        await signInWithCounter(0),
        await signInWithCounter(0),
        await signInWithCounter(7),
        await signInWithCounter(7),
        await signInWithCounter(0),
      ]).toEqual([...['opened', 'opened', 'opened'], ...['refused', 'refused']]);
      expect(await signIn(store, 'ada')).toBe('refused');
      expect(await signIn(store, 'ada', { kind: 'passkey', id: 'other', counter: 9 })).toBe('refused');
      expect(await store.admins.passkey('k1')).toMatchObject({ counter: 7, lastUsedAt: SIGNED_IN_AT });
    });
  });

  describe('a session', () => {
    it('is open for its token until it ends, expires or is unused for too long', async () => {
      await add('ada');
      await signIn(store, 'ada', null, { id: 'one' });
      const touch = (now: number, unusedSince = 0) =>
        store.admins.touchSession('token of one', now, unusedSince);
      const active = { sessionId: 'one', admin: { id: 'ada', username: 'ada', role: 'owner' } };
      expect(await touch(NOW)).toEqual(active);
      expect((await store.admins.sessions('ada', NOW, 0))[0]?.lastSeenAt).toBe(NOW);
      expect(await touch(NOW, NOW)).toBeNull();
      expect(await touch(SIGNED_IN_AT + 60 * MINUTE_MS)).toBeNull();
      expect(await store.admins.endSessions({ id: 'one' }, adminAudit('session.ended'))).toBe(1);
      expect(await store.admins.endSessions({ id: 'one' }, adminAudit('x'))).toBe(0);
      expect(await touch(NOW)).toBeNull();
      expect(await actions()).not.toContain('x');
    });

    it('is not opened if the password was changed, the second factor is missing or the account is deactivated', async () => {
      await add('bo');
      await addAdminWithTotp(store, 'ada', []);
      expect(await signIn(store, 'ada')).toBe('refused');
      expect(await signIn(store, 'bo', { kind: 'totp', step: 5 })).toBe('refused');
      const change = { passwordHash: 'another', keep: null, removeSecondFactors: false };
      await store.admins.setPassword('bo', change, adminAudit('password.changed'));
      expect(await signIn(store, 'bo')).toBe('refused');
      await store.admins.disable('ada', adminAudit('admin.disabled'));
      expect(await signIn(store, 'ada', { kind: 'totp', step: 5 })).toBe('refused');
      expect(await openSessions()).toEqual([]);
    });

    it('ends when the password is changed; the session that made the change stays open, and its address stays known', async () => {
      await add('ada');
      for (const id of ['one', 'two']) await signIn(store, 'ada', null, { id });
      const keep = { session: 'two', address: IP_ADDRESS };
      const change = { passwordHash: 'another', keep, removeSecondFactors: false };
      expect(await store.admins.setPassword('ada', change, adminAudit('password.changed'))).toBe(true);
      expect(await openSessions('ada')).toEqual(['two']);
      expect(await store.admins.isKnownAddress('ada', IP_ADDRESS, SIGNED_IN_AT - 1)).toBe(true);
      await store.admins.setPassword('ada', { ...change, keep: null }, adminAudit('password.changed'));
      expect(await openSessions('ada')).toEqual([]);
      expect(await store.admins.isKnownAddress('ada', IP_ADDRESS, 0)).toBe(false);
    });

    it('ends when its admin is deactivated, or when the admin ends all sessions but one', async () => {
      for (const admin of ['ada', 'bo']) {
        await add(admin);
        for (const id of ['one', 'two']) await signIn(store, admin, null, { id: `${admin} ${id}` });
      }
      await store.admins.endSessions({ adminId: 'ada', exceptId: 'ada one' }, adminAudit('session.ended'));
      expect((await openSessions()).toSorted()).toEqual(['ada one', 'bo one', 'bo two']);
      await store.admins.disable('bo', adminAudit('admin.disabled'));
      expect(await openSessions()).toEqual(['ada one']);
    });

    it('is deleted once it has ended, and its address is kept for a separate period', async () => {
      await add('ada');
      await signIn(store, 'ada', null, { id: 'one' });
      await store.admins.sweepAdminData(SIGNED_IN_AT, SIGNED_IN_AT - 1);
      expect(await openSessions()).toEqual(['one']);
      expect(await store.admins.isKnownAddress('ada', IP_ADDRESS, 0)).toBe(true);
      await store.admins.sweepAdminData(SIGNED_IN_AT + 60 * MINUTE_MS, SIGNED_IN_AT);
      expect(await store.admins.sessions('ada', 0, 0)).toEqual([]);
      expect(await store.admins.isKnownAddress('ada', IP_ADDRESS, 0)).toBe(false);
    });
  });

  describe('a second factor', () => {
    it('can be confirmed only with the newest unconfirmed secret', async () => {
      await add('ada');
      const { admins } = store;
      const [first, second] = [Buffer.from('first'), Buffer.from('second')];
      for (const secret of [first, second]) await admins.offerTotp('ada', secret, adminAudit('totp.offered'));
      const confirm = (sealedSecret: Buffer) =>
        admins.confirmTotp(
          'ada',
          { sealedSecret, step: 1, recoveryCodes: ['code'], keptSessionId: '' },
          adminAudit('totp.confirmed'),
        );
      expect([await confirm(first), await confirm(second), await confirm(second)]).toEqual([
        false,
        true,
        false,
      ]);
      expect(await admins.offerTotp('ada', first, adminAudit('x'))).toBe(false);
      expect(await admins.byId('ada')).toMatchObject({
        hasTotp: true,
        totp: { lastStep: 1, confirmedAt: SIGNED_IN_AT },
      });
      expect(Buffer.from((await admins.byId('ada'))?.totp?.sealedSecret ?? [])).toEqual(second);
    });

    it('accepts each code once, and then no earlier code', async () => {
      await addAdminWithTotp(store, 'ada', ['code']);
      const use = (step: number) => signIn(store, 'ada', { kind: 'totp', step });
      expect([await use(1), await use(3), await use(3), await use(2)]).toEqual([
        'refused',
        'opened',
        'refused',
        'refused',
      ]);
      const recover = () => signIn(store, 'ada', { kind: 'recovery', code: 'code' });
      expect(await store.admins.isRecoveryCode('ada', 'code')).toBe(true);
      expect([await recover(), await recover()]).toEqual(['opened', 'refused']);
      expect(await store.admins.isRecoveryCode('ada', 'code')).toBe(false);
    });

    it('can get new recovery codes, or be removed, with an unused code; removal ends the other sessions', async () => {
      await addAdminWithTotp(store, 'ada', ['a', 'b']);
      const { admins } = store;
      for (const [step, id] of [
        [2, 'one'],
        [3, 'two'],
      ] as const)
        await signIn(store, 'ada', { kind: 'totp', step }, { id });
      const renew = (code: string) =>
        admins.renewRecoveryCodes('ada', { kind: 'recovery', code }, ['c'], adminAudit('codes.renewed'));
      expect([await renew('a'), await renew('b')]).toEqual([true, false]);
      expect(await admins.recoveryCodesLeft('ada')).toBe(1);
      const remove = (code: string) =>
        admins.removeTotp('ada', { kind: 'recovery', code }, 'one', adminAudit('totp.removed'));
      expect(await remove('a')).toBe(false);
      expect((await openSessions('ada')).toSorted()).toEqual(['one', 'two']);
      expect(await remove('c')).toBe(true);
      expect(await openSessions('ada')).toEqual(['one']);
      expect(await admins.byId('ada')).toMatchObject({ hasTotp: false, totp: null });
      expect(await admins.recoveryCodesLeft('ada')).toBe(0);
    });
  });

  describe('failed sign-ins', () => {
    const rule = (changes: Partial<AttemptRule> = {}): AttemptRule => ({
      subject: 'account:ada',
      delayAfter: (failures) => (failures < 2 ? 0 : failures * MINUTE_MS),
      blocks: true,
      ...changes,
    });
    const count = (now: number, ...rules: readonly AttemptRule[]) =>
      store.admins.countAttempt(rules.length === 0 ? [rule()] : rules, now, 0);
    const notBlocked = { blockedUntil: null, isExempt: false };

    it('block further attempts for a time, during which nothing is counted', async () => {
      expect([await count(NOW), await count(NOW)]).toEqual([notBlocked, notBlocked]);
      const blocked = { blockedUntil: NOW + 2 * MINUTE_MS, isExempt: false };
      expect([await count(NOW), await count(NOW + MINUTE_MS)]).toEqual([blocked, blocked]);
      expect(await count(NOW + 2 * MINUTE_MS)).toEqual(notBlocked);
      expect(await count(NOW + 2 * MINUTE_MS)).toMatchObject({ blockedUntil: NOW + 5 * MINUTE_MS });
    });

    it('do not block an attempt that is exempt from the delay', async () => {
      for (const _ of [1, 2]) await count(NOW);
      const exemptRule = rule({ blocks: false });
      expect(await count(NOW, exemptRule, rule({ subject: 'address:1' }))).toEqual({
        blockedUntil: null,
        isExempt: true,
      });
    });

    it('can be forgiven one by one or forgotten together, and do not count when they are old', async () => {
      for (const _ of [1, 2]) await count(NOW);
      await store.admins.forgiveAttempt([rule()]);
      expect(await count(NOW)).toEqual(notBlocked);
      await store.admins.forgetFailures('account:ada');
      for (const _ of [1, 2]) expect(await count(NOW)).toEqual(notBlocked);
      expect(await store.admins.countAttempt([rule()], NOW, NOW + 1)).toEqual(notBlocked);
      await store.admins.sweepAdminData(NOW + 1, 0);
      for (const _ of [1, 2]) expect(await count(NOW)).toEqual(notBlocked);
    });

    it('block for the usual delay, counted from now, if the clock was set back', async () => {
      for (const _ of [1, 2]) await count(NOW + 60 * MINUTE_MS);
      const blocked = { blockedUntil: NOW + 2 * MINUTE_MS, isExempt: false };
      expect([await count(NOW), await count(NOW + MINUTE_MS)]).toEqual([blocked, blocked]);
    });

    it('count as one attack until they are forgotten', async () => {
      const flagAttack = () => store.admins.flagAttack('account:ada', 2, adminAudit('attack.began'));
      await count(NOW);
      expect(await flagAttack()).toBe(false);
      await count(NOW);
      expect([await flagAttack(), await flagAttack()]).toEqual([true, false]);
      await store.admins.forgetFailures('account:ada');
      for (const _ of [1, 2]) await count(NOW);
      expect(await flagAttack()).toBe(true);
      expect(await actions()).toEqual(['attack.began', 'attack.began']);
    });
  });
});
