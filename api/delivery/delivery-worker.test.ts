// @module-tag slow
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AttemptOutcome } from '../../data/model/delivery-states.ts';
import type { LoggedAttempt } from '../../data/store/delivery-port.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { openNewApp } from '../../data/store/testing/new-stores.ts';
import { SUBMITTED_AT, submitApplication } from '../../data/store/testing/sample-submissions.ts';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { MAX_ATTEMPTS } from './backoff.ts';
import { type DeliveryWorker, startDeliveryWorker, type WorkerOptions } from './delivery-worker.ts';
import type { SendOutcome } from './send-outcome.ts';
import { type FakeSender, fakeSender, SENT_OUTCOME } from './testing/fake-sender.ts';

const HOUR_MS = 3_600_000;
const TRY_LATER: SendOutcome = { kind: 'retry', code: '451', error: 'try later' };
const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'ETIMEDOUT', error: 'no response' };
const UNREACHABLE: SendOutcome = { kind: 'pause', reason: 'unreachable', code: 'EDNS', error: 'no host' };
const BAD_TOKEN = {
  kind: 'pause',
  reason: 'refused',
  code: '401',
  error: 'Unauthorized',
} as const satisfies SendOutcome;

describe('the delivery worker', () => {
  let store: AppStore;
  let now: number;
  let mail: FakeSender;
  let telegram: FakeSender;
  let logged: string[];
  const workers: DeliveryWorker[] = [];

  beforeEach(async () => {
    store = await openNewApp(join(temporaryFolder(), 'app.db'));
    now = SUBMITTED_AT;
    [mail, telegram] = [fakeSender(), fakeSender()];
    logged = [];
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.stop();
    await store.close();
  });

  async function start(changes: Partial<WorkerOptions> = {}): Promise<DeliveryWorker> {
    const worker = await startDeliveryWorker({
      store: store.deliveries,
      senders: { mail, telegram, push: fakeSender() },
      log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
      now: () => now,
      monotonicNow: () => now,
      random: () => 0.5,
      ...changes,
    });
    workers.push(worker);
    return worker;
  }

  const submit = () => submitApplication(store, { createdAt: now });

  const attempts = () => store.deliveries.attempts(1_000);
  const states = async () => (await store.deliveries.queueDepths()).map(({ state }) => state);
  async function waitForLog(count: number): Promise<readonly LoggedAttempt[]> {
    await expect.poll(async () => (await attempts()).length, { interval: 5 }).toBeGreaterThanOrEqual(count);
    return (await attempts()).toReversed();
  }
  function advance(worker: DeliveryWorker, milliseconds: number): void {
    now += milliseconds;
    worker.wake();
  }
  const stop = (worker: DeliveryWorker) => {
    workers.splice(workers.indexOf(worker), 1);
    return worker.stop();
  };

  it('postpones confirmations beyond the daily limit for their domain or for all domains, even after a restart', async () => {
    const rateLimits = { confirmations: 3, 'confirmations-of-domain': 2 };
    const confirmationOutcomes = async () =>
      (await attempts()).filter(({ audience }) => audience === 'applicant').map(({ outcome }) => outcome);
    const apply = (email: string) => submitApplication(store, { email, createdAt: now });
    const first = await start({ rateLimits });
    for (const name of ['a', 'b', 'c']) await apply(`${name}@flooded.example`);
    await waitForLog(8);
    await expect.poll(confirmationOutcomes).toHaveLength(2);
    await stop(first);
    const second = await start({ rateLimits });
    await apply('d@other.example');
    await apply('e@another.example');
    await waitForLog(13);
    await expect.poll(confirmationOutcomes).toHaveLength(3);
    advance(second, 23 * HOUR_MS);
    await expect.poll(async () => (await store.deliveries.nextDueAt('mail')) ?? 0).toBeGreaterThan(now);
    expect(await confirmationOutcomes()).toHaveLength(3);
    advance(second, HOUR_MS + 1);
    await waitForLog(15);
    expect(await confirmationOutcomes()).toHaveLength(5);
  });

  it('delivers a new submission at once, over every channel', async () => {
    await start();
    const referenceNumber = await submit();
    const log = await waitForLog(3);
    expect(log.map(({ channel, audience, outcome }) => [channel, audience, outcome])).toEqual(
      expect.arrayContaining([
        ['mail', 'applicant', 'sent'],
        ['mail', 'team', 'sent'],
        ['telegram', 'team', 'sent'],
      ]),
    );
    expect(log.every((line) => line.referenceNumber === referenceNumber)).toBe(true);
    expect(await store.deliveries.queueDepths()).toEqual([]);
  });

  it('retries a message when it is due, under the same message id', async () => {
    mail.setNextOutcomes(TRY_LATER, UNKNOWN, TRY_LATER);
    await submit();
    await start({ now: Date.now, retryWait: () => 1 });
    const log = await waitForLog(6);
    const outcomes = log.map(({ outcome }) => outcome).toSorted();
    expect(outcomes).toEqual(['retry', 'retry', 'sent', 'sent', 'sent', 'unknown']);
    expect(new Set(mail.deliveries.map(({ messageId }) => messageId)).size).toBe(2);
  });

  it('fails a message after its last attempt, not counting attempts on an unreachable channel', async () => {
    mail.setNextOutcomes(UNREACHABLE, ...Array.from({ length: 2 * MAX_ATTEMPTS }, () => TRY_LATER));
    const referenceNumber = await submit();
    const worker = await start();
    await waitForLog(2);
    const statesLater = async () => {
      advance(worker, 6 * HOUR_MS);
      return new Set(await states());
    };
    await expect.poll(statesLater, { interval: 5 }).toEqual(new Set(['dead']));
    const stored = await store.deliveries.deliveriesOf(referenceNumber);
    expect(stored.filter(({ channel }) => channel === 'mail')).toMatchObject([
      { state: 'dead', attemptCount: MAX_ATTEMPTS },
      { state: 'dead', attemptCount: MAX_ATTEMPTS },
    ]);
    const dead = (await attempts()).filter(({ outcome }) => outcome === 'dead');
    expect(dead.map(({ channel }) => channel)).toEqual(['mail', 'mail']);
  });

  it('fails a permanently rejected message at once, and delivers the others', async () => {
    mail.setNextOutcomes({ kind: 'dead', code: '550', error: 'no such box' });
    await submit();
    await start();
    const outcomes = (await waitForLog(3)).map(({ outcome, code }) => [outcome, code]);
    expect(outcomes).toContainEqual(['dead', '550']);
    expect(outcomes.filter(([outcome]) => outcome === 'sent')).toHaveLength(2);
  });

  it('logs an unknown outcome if the sender throws', async () => {
    telegram.setNextOutcomes(new Error('a defect'));
    await submit();
    await start();
    const failed = expect.objectContaining({ channel: 'telegram', outcome: 'unknown' });
    expect(await waitForLog(3)).toContainEqual(failed);
  });

  it('pauses a channel when its credentials are rejected, and probes it with one uncounted attempt', async () => {
    telegram.setNextOutcomes(BAD_TOKEN, BAD_TOKEN);
    for (let count = 0; count < 5; count += 1) await submit();
    const worker = await start();
    await waitForLog(11);
    expect(worker.pauses()).toEqual(new Map([['telegram', 'refused']]));
    expect(telegram.deliveries).toHaveLength(1);
    advance(worker, HOUR_MS);
    await telegram.waitForAttempts(2);
    await waitForLog(12);
    expect(telegram.deliveries).toHaveLength(2);
    expect(await store.deliveries.queueDepths()).toEqual([
      { channel: 'telegram', state: 'waiting', deliveries: 5 },
    ]);
    advance(worker, HOUR_MS);
    await waitForLog(17);
    expect(worker.pauses()).toEqual(new Map());
    expect(new Set(telegram.deliveries.map(({ attemptCount }) => attemptCount))).toEqual(new Set([0]));
  });

  it('waits as long as the peer requests', async () => {
    telegram.setNextOutcomes({
      kind: 'pause',
      reason: 'busy',
      code: '429',
      error: 'slow down',
      retryAfterMs: 7_000,
    });
    await submit();
    const worker = await start();
    await waitForLog(3);
    advance(worker, 6_999);
    await submit();
    await waitForLog(5);
    expect(telegram.deliveries).toHaveLength(1);
    advance(worker, 1);
    await waitForLog(7);
    expect(telegram.deliveries).toHaveLength(3);
  });

  it('ends a pause on time even if the clock is set back meanwhile', async () => {
    let elapsed = 0;
    telegram.setNextOutcomes({ ...BAD_TOKEN, retryAfterMs: 7_000 });
    await submit();
    const worker = await start({ monotonicNow: () => elapsed });
    await waitForLog(3);
    now -= HOUR_MS;
    elapsed = 7_000;
    await submit();
    await waitForLog(6);
    expect(telegram.deliveries).toHaveLength(2);
    expect(worker.pauses()).toEqual(new Map());
  });

  it('sends up to four emails at the same time, but only one notice', async () => {
    const { promise: slow, resolve: finish } = Promise.withResolvers<SendOutcome>();
    mail.setNextOutcomes(...Array.from({ length: 20 }, () => slow));
    telegram.setNextOutcomes(slow);
    for (let count = 0; count < 6; count += 1) await submit();
    await start();
    await mail.waitForAttempts(4);
    await telegram.waitForAttempts(1);
    expect(mail.deliveries).toHaveLength(4);
    expect(telegram.deliveries).toHaveLength(1);
    finish(SENT_OUTCOME);
    await waitForLog(18);
  });

  it('finishes messages in flight before it stops, and starts no new ones', async () => {
    const { promise: slow, resolve: finish } = Promise.withResolvers<SendOutcome>();
    mail.setNextOutcomes(slow);
    await submit();
    const worker = await start();
    await mail.waitForAttempts(2);
    const stopping = stop(worker);
    await submit();
    worker.wake();
    finish(SENT_OUTCOME);
    await stopping;
    const states = (await store.deliveries.queueDepths()).map(({ state }) => state);
    expect(states).not.toContain('leased');
    expect((await attempts()).filter(({ channel }) => channel === 'mail')).toHaveLength(2);
    expect(mail.deliveries).toHaveLength(2);
  });

  it('aborts a message that does not finish before the shutdown timeout, and keeps it queued', async () => {
    mail.setNextOutcomes(new Promise<SendOutcome>(() => {}));
    await submit();
    const worker = await start();
    await mail.waitForAttempts(2);
    await telegram.waitForAttempts(1);
    await waitForLog(2);
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const stopping = stop(worker);
    await vi.advanceTimersByTimeAsync(6_000);
    vi.useRealTimers();
    await stopping;
    expect(await store.deliveries.queueDepths()).toEqual([
      { channel: 'mail', state: 'waiting', deliveries: 1 },
    ]);
    expect(await attempts()).toHaveLength(2);
  });

  it('aborts an attempt that takes too long', async () => {
    mail.setNextOutcomes(new Promise<SendOutcome>(() => {}));
    await submit();
    await start({ sendTimeoutMs: 20 });
    expect(await waitForLog(3)).toContainEqual(
      expect.objectContaining({ outcome: 'retry', code: 'ETIMEDOUT' }),
    );
  });

  it('reclaims leases from an earlier process, and logs their attempts as unknown', async () => {
    await submit();
    const lease = { channel: 'mail', now, leasedUntil: now + HOUR_MS, limit: 1 } as const;
    const [abandoned] = await store.deliveries.claimDue(lease);
    await start();
    const log = await waitForLog(4);
    const outcomes = log.filter(({ deliveryId }) => deliveryId === abandoned?.id);
    expect(outcomes.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['unknown', 'interrupted'],
      ['sent', null],
    ]);
  });

  it('logs sent messages when the store can be used again, and sends each only once', async () => {
    const down = new StoreUnavailableError('The database server is starting.');
    const record = vi.spyOn(store.deliveries, 'recordAttempt');
    for (let failure = 0; failure < 3; failure += 1) record.mockRejectedValueOnce(down);
    await submit();
    await start();
    expect((await waitForLog(3)).map(({ outcome }) => outcome)).toEqual(['sent', 'sent', 'sent']);
    expect([mail.deliveries.length, telegram.deliveries.length]).toEqual([2, 1]);
  });

  it('can be stopped while the store cannot be used, and leaves sent messages leased', async () => {
    vi.spyOn(store.deliveries, 'recordAttempt').mockRejectedValue(new StoreUnavailableError('It is down.'));
    await submit();
    const worker = await start();
    await mail.waitForAttempts(2);
    await telegram.waitForAttempts(1);
    await stop(worker);
    expect(await states()).toEqual(['leased', 'leased']);
  });

  it('stops trying to log a sent message when its lease ends', async () => {
    let elapsed = 0;
    const down = new StoreUnavailableError('It is down.');
    const record = vi.spyOn(store.deliveries, 'recordAttempt').mockRejectedValue(down);
    await submit();
    await start({ monotonicNow: () => elapsed, leaseMs: HOUR_MS });
    await expect.poll(() => new Set(record.mock.calls.map(([{ id }]) => id)).size).toBe(3);
    elapsed = HOUR_MS;
    const failures = () => logged.filter((line) => JSON.parse(line).err?.type === down.name);
    await expect.poll(() => failures().length).toBe(3);
    expect(await states()).toEqual(['leased', 'leased']);
  });

  it('waits nine times as long as a delivery took, if a submission arrived meanwhile', async () => {
    let elapsed = 0;
    const claimDue = vi.spyOn(store.deliveries, 'claimDue');
    const { promise: slow, resolve: finish } = Promise.withResolvers<SendOutcome>();
    telegram.setNextOutcomes(slow);
    await submit();
    const worker = await start({ monotonicNow: () => elapsed });
    await waitForLog(2);
    elapsed = 10;
    await submit();
    await waitForLog(4);
    elapsed = 50;
    finish(SENT_OUTCOME);
    await waitForLog(5);
    const polls = () => claimDue.mock.calls.filter(([{ channel }]) => channel === 'telegram').length;
    const before = polls();
    elapsed = 499;
    worker.wake();
    expect(polls()).toBe(before);
    elapsed = 500;
    worker.wake();
    await waitForLog(6);
    expect(telegram.deliveries).toHaveLength(2);
  });

  it('reports the channel and the outcome of each logged attempt', async () => {
    const reportedOutcomes: [string, AttemptOutcome][] = [];
    mail.setNextOutcomes(UNKNOWN);
    await submit();
    await start({ onAttempt: (channel, outcome) => reportedOutcomes.push([channel, outcome]) });
    await waitForLog(3);
    await expect.poll(() => reportedOutcomes.length).toBe(3);
    expect(reportedOutcomes).toEqual(
      expect.arrayContaining([
        ['mail', 'unknown'],
        ['mail', 'sent'],
        ['telegram', 'sent'],
      ]),
    );
  });

  it('logs no personal data', async () => {
    mail.setNextOutcomes(TRY_LATER, UNREACHABLE);
    telegram.setNextOutcomes(new Error('cannot write to ada@example.com'));
    await submit();
    const worker = await start();
    await waitForLog(3);
    await stop(worker);
    expect(logged).not.toEqual([]);
    expect(logged.join('\n')).not.toMatch(/Ada|Lovelace|ada@example|@ada/);
  });
});
