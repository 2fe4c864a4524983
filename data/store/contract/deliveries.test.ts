// @module-tag slow
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DELIVERY_CHANNELS, type DeliveryAttempt, type LeasedDelivery } from '../delivery-port.ts';
import { fillStore } from '../testing/filled-store.ts';
import { adminAudit } from '../testing/sample-admins.ts';
import { FIRST_PAGE, SUBMITTED_AT, submitApplication } from '../testing/sample-submissions.ts';
import { reopenAppStore, store, useAppStore } from '../testing/test-stores.ts';

const NOW = SUBMITTED_AT + 10;
const LEASE_MS = 3_600_000;

const attempt = (changes: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  at: NOW,
  outcome: 'sent',
  providerId: 'queued as 7',
  code: null,
  error: null,
  maskedRecipient: 'a…@….com',
  latencyMs: 12,
  ...changes,
});

describe('deliveries', () => {
  useAppStore();

  const claim = (now = NOW, limit = 10) =>
    store.deliveries.claimDue({ channel: 'mail', now, leasedUntil: now + LEASE_MS, limit });
  async function claimOne(now = NOW): Promise<LeasedDelivery> {
    const [delivery] = await claim(now, 1);
    if (!delivery) throw new Error('No delivery is due.');
    return delivery;
  }

  it('are leased once, longest overdue first, up to the limit', async () => {
    const later = await submitApplication(store, { createdAt: SUBMITTED_AT + 5 });
    const earlier = await submitApplication(store);
    const first = await claim(NOW, 3);
    expect(first.map(({ referenceNumber, channel, fence }) => [referenceNumber, channel, fence])).toEqual([
      [earlier, 'mail', 1],
      [earlier, 'mail', 1],
      [later, 'mail', 1],
    ]);
    expect(await claim(NOW, 3)).toHaveLength(1);
    expect(await claim(NOW, 3)).toEqual([]);
    expect(await claim(NOW, 0)).toEqual([]);
  });

  it('are logged for every kind of subject', async () => {
    await fillStore(store);
    for (const change of ['closing', 'closed'] as const)
      await store.cards.change('card', change, adminAudit(`card.${change}`));
    const sentKinds: string[] = [];
    for (const channel of DELIVERY_CHANNELS) {
      const due = { channel, now: NOW + LEASE_MS, leasedUntil: NOW + 2 * LEASE_MS, limit: 99 } as const;
      for (const delivery of await store.deliveries.claimDue(due)) {
        await store.deliveries.recordAttempt(delivery, attempt(), { state: 'sent' });
        sentKinds.push(delivery.event.split('.')[0] ?? '');
      }
    }
    const { rows } = await store.records.list('delivery-logs', {
      ...FIRST_PAGE,
      sort: 'attemptedAt',
      limit: 99,
    });
    const loggedKinds = new Set(rows.map(({ kind }) => kind));
    expect([...loggedKinds]).toEqual(expect.arrayContaining(sentKinds));
    expect(sentKinds).toEqual(expect.arrayContaining(['stake-reminder', 'top-up', 'card']));
  });

  it('are not leased before they are due', async () => {
    await submitApplication(store);
    expect(await claim(SUBMITTED_AT - 1)).toEqual([]);
    expect(await store.deliveries.nextDueAt('mail')).toBe(SUBMITTED_AT);
    expect(await claim(SUBMITTED_AT)).toHaveLength(2);
    expect(await store.deliveries.nextDueAt('mail')).toBeNull();
  });

  it('end when they are sent or dead, and every attempt is logged', async () => {
    const referenceNumber = await submitApplication(store);
    const [one, other] = [await claimOne(), await claimOne()];
    await store.deliveries.recordAttempt(one, attempt(), { state: 'sent' });
    const refusedAttempt = attempt({ outcome: 'dead', providerId: null, code: '550', error: 'no such box' });
    await store.deliveries.recordAttempt(other, refusedAttempt, { state: 'dead' });
    expect(await claim(NOW + 1e9)).toEqual([]);
    expect(await store.deliveries.queueDepths()).toEqual([
      { channel: 'mail', state: 'dead', deliveries: 1 },
      { channel: 'telegram', state: 'waiting', deliveries: 1 },
    ]);
    const ended = await store.deliveries.deliveriesOf(referenceNumber);
    expect(ended.map(({ state, attemptCount, finishedAt }) => [state, attemptCount, finishedAt])).toEqual(
      expect.arrayContaining([
        ['sent', 1, NOW],
        ['dead', 1, NOW],
        ['waiting', 0, null],
      ]),
    );
    expect(await store.deliveries.attempts(10)).toMatchObject([
      { ...refusedAttempt, deliveryId: other.id, referenceNumber, channel: 'mail', audience: other.audience },
      { ...attempt(), deliveryId: one.id, event: 'card-application.received' },
    ]);
    expect(await store.deliveries.attempts(1)).toHaveLength(1);
  });

  it('are listed once they are dead, newest first', async () => {
    const referenceNumber = await submitApplication(store);
    expect(await store.deliveries.listDead(5)).toEqual([]);
    for (const [index, delivery] of (await claim()).entries()) {
      const failed = attempt({ at: NOW + index, outcome: 'dead' });
      await store.deliveries.recordAttempt(delivery, failed, { state: 'dead' });
    }
    const dead = [1, 0].map((index) => ({ referenceNumber, channel: 'mail', finishedAt: NOW + index }));
    expect(await store.deliveries.listDead(5)).toEqual(dead);
    expect(await store.deliveries.listDead(1)).toEqual(dead.slice(0, 1));
  });

  it('keep their message id, get a higher fence with each lease, and count an attempt only if `counts` is true', async () => {
    await submitApplication(store);
    const first = await claimOne();
    const retryOutcome = { state: 'waiting', nextAttemptAt: NOW + 50, counts: true } as const;
    await store.deliveries.recordAttempt(first, attempt({ outcome: 'unknown' }), retryOutcome);
    await claim(NOW);
    expect(await claim(NOW + 49)).toEqual([]);
    const second = await claimOne(NOW + 50);
    expect(second).toEqual({ ...first, attemptCount: 1, fence: 2 });
    await store.deliveries.recordAttempt(second, attempt({ outcome: 'retry' }), {
      ...retryOutcome,
      counts: false,
    });
    expect(await claimOne(NOW + 50)).toEqual({ ...first, attemptCount: 1, fence: 3 });
  });

  it('reject the outcome of an ended lease, and log nothing', async () => {
    await submitApplication(store);
    const staleLease = await claimOne();
    const waiting = { state: 'waiting', nextAttemptAt: NOW, counts: false } as const;
    const first = await store.deliveries.recordAttempt(staleLease, attempt({ outcome: 'unknown' }), waiting);
    expect(first).toBe('recorded');
    expect(await store.deliveries.recordAttempt(staleLease, attempt(), { state: 'sent' })).toBe('stale');
    await claim();
    expect(await store.deliveries.recordAttempt(staleLease, attempt(), { state: 'sent' })).toBe('stale');
    await store.deliveries.release(staleLease);
    expect(await claim()).toEqual([]);
    expect(await store.deliveries.attempts(10)).toHaveLength(1);
  });

  it('whose leases have expired are found, even after a restart', async () => {
    await submitApplication(store);
    const due = { channel: 'mail', now: NOW, leasedUntil: NOW, limit: 1 } as const;
    const [expired] = await store.deliveries.claimDue(due);
    await claimOne();
    const expectedLeases = [{ ...expired, leasedUntil: expect.any(Number) }];
    expect(await store.deliveries.expiredLeases(NOW)).toEqual(expectedLeases);
    await reopenAppStore();
    expect(await store.deliveries.expiredLeases(NOW + LEASE_MS - 1)).toEqual(expectedLeases);
  });

  it('are due as before when a lease is released without an attempt', async () => {
    await submitApplication(store);
    await store.deliveries.release(await claimOne());
    expect(await store.deliveries.nextDueAt('mail')).toBe(SUBMITTED_AT);
    expect(await store.deliveries.attempts(10)).toEqual([]);
  });

  it('are announced once per transaction, and only after it ends', async () => {
    let announcements = 0;
    const stop = store.deliveries.onQueued(() => {
      announcements += 1;
    });
    const submitting = submitApplication(store);
    expect(announcements).toBe(0);
    await submitting;
    await setImmediate();
    expect(announcements).toBe(1);
    stop();
    await submitApplication(store);
    await setImmediate();
    expect(announcements).toBe(1);
  });
});
