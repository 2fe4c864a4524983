import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryAttempt, LeasedDelivery } from '../delivery-port.ts';
import type { AppStore } from '../ports.ts';
import { SUBMITTED_AT, sampleApplication, sampleTerms } from '../testing/sample-submissions.ts';
import { openAppStore } from './app-store.ts';

const NOW = SUBMITTED_AT + 10;
const LEASE = 1_000;

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

describe('the deliveries', () => {
  let folder: string;
  let store: AppStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'store-'));
    store = await openAppStore(join(folder, 'app.db'));
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  async function submit(at = SUBMITTED_AT): Promise<string> {
    const outcome = await store.applications.submitApplication(
      sampleApplication({ createdAt: at }),
      sampleTerms(),
    );
    if (outcome.kind !== 'accepted') throw new Error('it is to be accepted');
    return String(outcome.answer.referenceNumber);
  }

  const claim = (now = NOW, limit = 10) =>
    store.deliveries.claimDue({ channel: 'mail', now, leasedUntil: now + LEASE, limit });

  async function claimOne(now = NOW): Promise<LeasedDelivery> {
    const [delivery] = await claim(now, 1);
    if (!delivery) throw new Error('one is to be due');
    return delivery;
  }

  it('are leased to one holder at a time, of one channel, those due longest first, up to the limit', async () => {
    const later = await submit(SUBMITTED_AT + 5);
    const earlier = await submit(SUBMITTED_AT);
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

  it('are not leased before they are due', async () => {
    await submit();
    expect(await claim(SUBMITTED_AT - 1)).toEqual([]);
    expect(await store.deliveries.nextDueAt('mail')).toBe(SUBMITTED_AT);
    expect(await claim(SUBMITTED_AT)).toHaveLength(2);
    expect(await store.deliveries.nextDueAt('mail')).toBeNull();
  });

  it('end with the try that arrives, or is refused for good, and are leased no more', async () => {
    const referenceNumber = await submit();
    const [one, other] = await claim();
    if (!one || !other) throw new Error('two are due');
    await store.deliveries.recordAttempt(one, attempt(), { state: 'sent' });
    const refused = attempt({ outcome: 'dead', providerId: null, code: '550', error: 'no such box' });
    await store.deliveries.recordAttempt(other, refused, { state: 'dead' });
    expect(await claim(NOW + 1e9)).toEqual([]);
    expect(await store.deliveries.depths()).toEqual([
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
      { ...refused, deliveryId: other.id, referenceNumber, channel: 'mail', audience: other.audience },
      { ...attempt(), deliveryId: one.id, event: 'card-application.received' },
    ]);
    expect(await store.deliveries.attempts(1)).toHaveLength(1);
  });

  it('wait for their next try, which has the same message id and a higher fence; only tries of the message count', async () => {
    await submit();
    const first = await claimOne();
    const later = { state: 'waiting', nextAttemptAt: NOW + 50, counts: true } as const;
    await store.deliveries.recordAttempt(first, attempt({ outcome: 'unknown' }), later);
    await claim(NOW);
    expect(await claim(NOW + 49)).toEqual([]);
    const second = await claimOne(NOW + 50);
    expect(second).toEqual({ ...first, attemptCount: 1, fence: 2 });
    await store.deliveries.recordAttempt(second, attempt({ outcome: 'retry' }), { ...later, counts: false });
    expect(await claimOne(NOW + 50)).toEqual({ ...first, attemptCount: 1, fence: 3 });
  });

  it('refuse the outcome of a lease that is over, and log nothing of it', async () => {
    await submit();
    const stale = await claimOne();
    const waiting = { state: 'waiting', nextAttemptAt: NOW, counts: false } as const;
    expect(await store.deliveries.recordAttempt(stale, attempt({ outcome: 'unknown' }), waiting)).toBe(
      'recorded',
    );
    expect(await store.deliveries.recordAttempt(stale, attempt(), { state: 'sent' })).toBe('stale');
    await claim();
    expect(await store.deliveries.recordAttempt(stale, attempt(), { state: 'sent' })).toBe('stale');
    await store.deliveries.release(stale);
    expect(await claim()).toEqual([]);
    expect(await store.deliveries.attempts(10)).toHaveLength(1);
  });

  it('tell whose lease has ended, also after the program was started anew', async () => {
    await submit();
    const held = await claimOne();
    expect(await store.deliveries.leasesEndedBy(NOW + LEASE - 1)).toEqual([]);
    await store.close();
    store = await openAppStore(join(folder, 'app.db'));
    expect(await store.deliveries.leasesEndedBy(NOW + LEASE)).toEqual([
      { ...held, leasedUntil: NOW + LEASE },
    ]);
  });

  it('are due as they were where a lease is given back untried', async () => {
    await submit();
    const held = await claimOne();
    await store.deliveries.release(held);
    expect(await store.deliveries.nextDueAt('mail')).toBe(SUBMITTED_AT);
    expect(await store.deliveries.attempts(10)).toEqual([]);
  });

  it('are announced once a transaction, after it', async () => {
    let heard = 0;
    const end = store.deliveries.onQueued(() => {
      heard += 1;
    });
    const submitting = submit();
    expect(heard).toBe(0);
    await submitting;
    await setImmediate();
    expect(heard).toBe(1);
    end();
    await submit();
    await setImmediate();
    expect(heard).toBe(1);
  });

  it('are looked for, and counted, by an index', async () => {
    const file = new Database(join(folder, 'app.db'), { readonly: true });
    const plan = (statement: string) => JSON.stringify(file.prepare(`explain query plan ${statement}`).all());
    const due = plan(
      "select id from deliveries where state = 'waiting' and channel = 'mail' and nextAttemptAt <= 1 order by nextAttemptAt, rowid limit 1",
    );
    expect(due).toContain('deliveries_due (state=? AND channel=? AND nextAttemptAt<?)');
    expect(due).not.toContain('TEMP B-TREE');
    const ofReference = plan(
      "select id from deliveries where referenceNumber = 'BD' order by channel, audience",
    );
    expect(ofReference).toContain('deliveries_once (referenceNumber=?)');
    file.close();
  });
});
