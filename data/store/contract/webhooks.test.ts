import { describe, expect, it } from 'vitest';
import { UNDO_MS } from '../../model/undo.ts';
import type { StateAfterAttempt } from '../delivery-port.ts';
import { WEBHOOK_RETENTION_MS, WEBHOOK_RETRY_MS } from '../rules/webhooks.ts';
import { adminAudit, IP_ADDRESS } from '../testing/sample-admins.ts';
import { addReviewers, submitLoan } from '../testing/sample-loans.ts';
import {
  SUBMITTED_AT,
  submitApplication,
  submitMessage,
  submitRequest,
} from '../testing/sample-submissions.ts';
import { addEndpoint } from '../testing/sample-webhooks.ts';
import { openPrograms, reopenAppStore, store, useAppStore } from '../testing/test-stores.ts';
import type { LeasedWebhook, WebhookAttempt } from '../webhook-port.ts';

const NOW = SUBMITTED_AT + 10;
const LEASE_MS = 3_600_000;

const attempt = (changes: Partial<WebhookAttempt> = {}): WebhookAttempt => ({
  at: NOW,
  outcome: 'sent',
  providerId: '200',
  code: null,
  error: null,
  latencyMs: 12,
  ...changes,
});
const failedAttempt = (at: number, code = '500') =>
  attempt({ at, outcome: 'retry', providerId: null, code, error: 'no' });
const retryAt = (nextAttemptAt: number): StateAfterAttempt => ({
  state: 'waiting',
  nextAttemptAt,
  counts: true,
});

describe('webhooks', () => {
  useAppStore();

  const claim = (endpointId = 'ledger', now = NOW, limit = 10) =>
    store.webhooks.claimDue({ endpointId, now, leasedUntil: now + LEASE_MS, limit });
  async function claimOne(now = NOW): Promise<LeasedWebhook> {
    const [delivery] = await claim('ledger', now, 1);
    if (!delivery) throw new Error('No event is due.');
    return delivery;
  }
  const endpoint = async () => (await store.webhooks.endpoints()).find(({ id }) => id === 'ledger');
  const queuedEvents = async (endpointId = 'ledger') => {
    const deliveries = await store.webhooks.deliveries(endpointId, 100);
    return deliveries.map(({ event, referenceNumber, status }) => [event, referenceNumber, status]);
  };
  const actions = async () => (await store.auditTrail(100)).map(({ action }) => action);

  it('report each submission and decision once to every endpoint that subscribes to it', async () => {
    await addEndpoint(store, 'ledger');
    await addEndpoint(store, 'support', { types: ['contact.submitted'] });
    await addReviewers(store, 'grace', 'alan');
    const application = await submitApplication(store);
    const request = await submitRequest(store);
    const message = await submitMessage(store);
    const loan = await submitLoan(store);
    const changedAt = SUBMITTED_AT;
    const actor = (adminId: string) => ({ adminId, address: IP_ADDRESS, at: NOW });
    const refused = { referenceNumber: application, changedAt, decision: 'refused', reason: 'No.' } as const;
    await store.records.decideApplication(refused, actor('grace'));
    await store.records.decideApplication(refused, actor('grace'));
    const approved = { referenceNumber: request, changedAt, decision: 'approved', tier: 'Banker' } as const;
    await store.records.decideRequest({ ...approved, reason: null }, actor('grace'));
    const vote = { referenceNumber: loan, vote: 'approve', reason: null } as const;
    const first = await store.records.vote({ ...vote, changedAt }, actor('grace'));
    if (first.kind !== 'waiting') throw new Error('The vote was not counted.');
    await store.records.vote({ ...vote, changedAt: first.changedAt }, actor('alan'));
    const unconfirmed = await submitLoan(store, { confirmationDigest: 'd'.repeat(64), confirmBy: NOW });
    await store.retention.deleteUnconfirmed(unconfirmed, NOW);
    await store.recordAudit(adminAudit('card.frozen-by-team', { details: { cardId: 'card' } }));
    await store.recordAudit(adminAudit('card.unfrozen', { details: { cardId: 'card' } }));
    const expected = [
      ['application.submitted', application, 'received'],
      ['application.decided', application, 'refused'],
      ['verification.submitted', request, 'received'],
      ['verification.decided', request, 'approved'],
      ['contact.submitted', message, 'received'],
      ['loan.submitted', loan, 'received'],
      ['loan.decided', loan, 'approved'],
      ['loan.submitted', unconfirmed, 'received'],
      ['loan.decided', unconfirmed, 'documents-deleted'],
      ['card.frozen', 'card', 'frozen'],
      ['card.unfrozen', 'card', 'active'],
    ];
    expect((await queuedEvents()).toSorted()).toEqual(expected.toSorted());
    expect(await queuedEvents('support')).toEqual([['contact.submitted', message, 'received']]);
    const [ledger, support] = [await claim('ledger', NOW + UNDO_MS, 20), await claim('support')];
    const ids = ledger.filter(({ event }) => event === 'contact.submitted').map(({ eventId }) => eventId);
    expect(ids).toEqual(support.map(({ eventId }) => eventId));
    expect(new Set(ledger.map(({ eventId }) => eventId)).size).toBe(expected.length);
  });

  it('queue nothing for an audit record that is added twice', async () => {
    await addEndpoint(store, 'ledger');
    const record = adminAudit('card.created', { details: { cardId: 'card' } });
    await store.recordAudit(record);
    await store.recordAudit(record);
    expect(await queuedEvents()).toHaveLength(1);
  });

  it('are announced to the worker, even if no email or notice is queued with them', async () => {
    await addEndpoint(store, 'ledger');
    // Reopens the store, so that the listener is not called for events that were queued earlier.
    await reopenAppStore();
    let announcementCount = 0;
    const unlisten = store.deliveries.onQueued(() => {
      announcementCount += 1;
    });
    await store.recordAudit(adminAudit('card.created', { details: { cardId: 'card' } }));
    await expect.poll(() => announcementCount).toBeGreaterThan(0);
    unlisten();
  });

  it('are retried for a period that begins with the event, or with a later reactivation of the endpoint', async () => {
    await addEndpoint(store, 'ledger');
    const retriedSince = async () => {
      const leased = await claimOne(NOW);
      await store.webhooks.release(leased);
      return leased.retriedSince;
    };
    await submitMessage(store);
    expect(await retriedSince()).toBe(SUBMITTED_AT);
    await store.webhooks.setState('ledger', 'paused', adminAudit('webhook.paused', { at: NOW + 1 }));
    await store.webhooks.setState('ledger', 'active', adminAudit('webhook.resumed', { at: NOW + 2 }));
    expect(await retriedSince()).toBe(NOW + 2);
    const leased = await claimOne();
    const expired = await store.webhooks.expiredLeases(Number.MAX_SAFE_INTEGER);
    expect(expired.every((lease) => lease.retriedSince === leased.retriedSince)).toBe(true);
  });

  it('are queued and sent only while the endpoint is active', async () => {
    await addEndpoint(store, 'ledger');
    await submitMessage(store);
    await store.webhooks.setState('ledger', 'paused', adminAudit('webhook.paused'));
    await submitMessage(store);
    expect([await queuedEvents(), await claim(), await store.webhooks.nextDueAt('ledger')]).toEqual([
      [expect.anything()],
      [],
      null,
    ]);
    expect(await store.webhooks.sendTest('ledger', adminAudit('webhook.tested'))).toBe(false);
    await store.webhooks.setState('ledger', 'active', adminAudit('webhook.resumed'));
    expect(await store.webhooks.nextDueAt('ledger')).toBe(SUBMITTED_AT);
    expect(await claim()).toHaveLength(1);
  });

  it('are leased once, longest overdue first, and a lease ends with its outcome or when it expires', async () => {
    await addEndpoint(store, 'ledger');
    const later = await submitMessage(store, { createdAt: SUBMITTED_AT + 5 });
    const earlier = await submitMessage(store);
    const [first, second] = await claim();
    if (!first || !second) throw new Error('Too few events are due.');
    expect([first.referenceNumber, second.referenceNumber]).toEqual([earlier, later]);
    expect(await claim()).toEqual([]);
    await store.webhooks.release(second);
    const again = await claimOne();
    expect([again.id, again.fence]).toEqual([second.id, 2]);
    expect(await store.webhooks.recordAttempt(second, attempt(), { state: 'sent' })).toBe('stale');
    expect(await store.webhooks.recordAttempt(first, attempt(), { state: 'sent' })).toBe('recorded');
    await store.webhooks.recordAttempt(again, failedAttempt(NOW), retryAt(NOW + 50));
    expect(await claim('ledger', NOW + 49)).toEqual([]);
    expect(await claim('ledger', NOW + 50)).toMatchObject([{ id: second.id, attemptCount: 1 }]);
    expect(await store.webhooks.depths()).toEqual([{ state: 'leased', deliveries: 1 }]);
    expect(await store.webhooks.deliveries('ledger', 10)).toMatchObject([
      { id: second.id, code: '500', response: 'no', lastAttemptAt: NOW, latencyMs: 12 },
      { id: first.id, state: 'sent', code: '200', response: null, attemptCount: 1 },
    ]);
  });

  it('whose leases have expired are found, even after a restart', async () => {
    await addEndpoint(store, 'ledger');
    await submitMessage(store);
    const leased = await store.webhooks.claimDue({
      ...{ endpointId: 'ledger', now: NOW, limit: 1 },
      leasedUntil: NOW - 1,
    });
    await reopenAppStore();
    const expired = await store.webhooks.expiredLeases(NOW);
    expect(expired.map(({ id, fence }) => [id, fence])).toEqual(leased.map(({ id, fence }) => [id, fence]));
  });

  it('disable an endpoint that answers 410, with an audit record', async () => {
    await addEndpoint(store, 'ledger');
    await submitMessage(store);
    const gone = attempt({ outcome: 'dead', providerId: null, code: '410' });
    expect(await store.webhooks.recordAttempt(await claimOne(), gone, { state: 'dead' })).toBe('disabled');
    expect(await endpoint()).toMatchObject({ state: 'disabled' });
    expect((await actions())[0]).toBe('webhook.disabled');
    await submitMessage(store);
    expect(await queuedEvents()).toHaveLength(1);
    await store.webhooks.setState('ledger', 'active', adminAudit('webhook.resumed'));
    expect(await endpoint()).toMatchObject({ state: 'active', failingSince: null });
  });

  it('disable an endpoint that has failed for days without a success in between', async () => {
    await addEndpoint(store, 'ledger');
    await submitMessage(store);
    const fail = async (at: number) =>
      store.webhooks.recordAttempt(await claimOne(at), failedAttempt(at), retryAt(at));
    const succeed = async (at: number) =>
      store.webhooks.recordAttempt(await claimOne(at), attempt({ at }), retryAt(at));
    expect(await fail(NOW)).toBe('recorded');
    expect(await endpoint()).toMatchObject({ state: 'active', failingSince: NOW });
    await succeed(NOW + WEBHOOK_RETRY_MS);
    expect(await endpoint()).toMatchObject({ state: 'active', failingSince: null });
    const since = NOW + WEBHOOK_RETRY_MS + 1;
    expect(await fail(since)).toBe('recorded');
    expect(await fail(since + WEBHOOK_RETRY_MS - 1)).toBe('recorded');
    expect(await fail(since + WEBHOOK_RETRY_MS)).toBe('disabled');
  });

  it('do not disable an endpoint for errors of the portal', async () => {
    await addEndpoint(store, 'ledger');
    await submitMessage(store);
    for (const at of [NOW, NOW + WEBHOOK_RETRY_MS]) {
      const error = attempt({ at, outcome: 'unknown', providerId: null, code: 'internal' });
      expect(await store.webhooks.recordAttempt(await claimOne(at), error, retryAt(at))).toBe('recorded');
    }
    expect(await endpoint()).toMatchObject({ state: 'active', failingSince: null });
  });

  it('can be retried by the team unless they are being sent', async () => {
    await addEndpoint(store, 'ledger');
    await submitMessage(store);
    const leased = await claimOne();
    const retry = () => store.webhooks.retry(leased.id, adminAudit('webhook.retried', { at: NOW + 5 }));
    expect(await retry()).toBe(false);
    await store.webhooks.recordAttempt(leased, failedAttempt(NOW), { state: 'dead' });
    expect(await retry()).toBe(true);
    expect(await claim('ledger', NOW + 5)).toMatchObject([{ eventId: leased.eventId }]);
    expect(await store.webhooks.retry('unknown', adminAudit('webhook.retried'))).toBe(false);
  });

  it('send a test event only to the endpoint that is tested', async () => {
    await addEndpoint(store, 'ledger', { types: ['card.closed'] });
    await addEndpoint(store, 'support');
    expect(await store.webhooks.sendTest('ledger', adminAudit('webhook.tested'))).toBe(true);
    expect([await queuedEvents(), await queuedEvents('support')]).toEqual([[['endpoint.test', '', '']], []]);
  });

  it('keep the replaced secret until a given time, and can subscribe to other events', async () => {
    await addEndpoint(store, 'ledger');
    await store.webhooks.rollSecret('ledger', Buffer.from('new'), 99, adminAudit('webhook.rolled'));
    await store.webhooks.setTypes('ledger', ['loan.decided'], adminAudit('webhook.changed'));
    const { secret, oldSecret, ...rest } = (await endpoint()) ?? {};
    expect(Buffer.from(secret ?? []).toString()).toBe('new');
    expect(Buffer.from(oldSecret ?? []).toString()).toBe('secret of ledger');
    expect(rest).toMatchObject({ oldSecretUntil: 99, types: ['loan.decided'] });
  });

  it('are deleted with their endpoint, and changes to an unknown endpoint are not audited', async () => {
    await addEndpoint(store, 'ledger');
    await submitMessage(store);
    expect(await store.webhooks.remove('ledger', adminAudit('webhook.removed'))).toBe(true);
    expect([await store.webhooks.endpoints(), await queuedEvents()]).toEqual([[], []]);
    const before = await actions();
    expect(await store.webhooks.remove('ledger', adminAudit('webhook.removed'))).toBe(false);
    expect(await store.webhooks.setState('ledger', 'paused', adminAudit('webhook.paused'))).toBe(false);
    expect(await actions()).toEqual(before);
  });

  it('never exceed the limit of endpoints, even if several are added at the same time', async () => {
    const programs = await openPrograms(4);
    const add = (index: number) =>
      programs[index % programs.length]?.webhooks.add(
        { id: `${index}`, url: 'https://a.example', types: [], secret: Buffer.from('s'), createdAt: index },
        3,
        adminAudit('webhook.added'),
      );
    const outcomes = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(add));
    expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(3);
    expect(await store.webhooks.endpoints()).toHaveLength(3);
  });

  it('are deleted when their retention period ends', async () => {
    await addEndpoint(store, 'ledger');
    await submitMessage(store);
    const end = SUBMITTED_AT + WEBHOOK_RETENTION_MS;
    await store.retention.deleteExpired(end, 0);
    expect(await queuedEvents()).toHaveLength(1);
    await store.retention.deleteExpired(end + 1, 0);
    expect(await queuedEvents()).toEqual([]);
  });

  it('are deleted when the person is erased, so that no later attempt stores a response', async () => {
    await addEndpoint(store, 'ledger');
    await submitMessage(store, { email: 'ada@example.com' });
    await submitApplication(store, { email: 'ada@example.com' });
    const [sent, leased] = await claim();
    if (!sent || !leased) throw new Error('Too few events are due.');
    await store.webhooks.recordAttempt(sent, failedAttempt(NOW), { state: 'dead' });
    const otherMessage = await submitMessage(store, { email: 'alan@example.com' });
    const erased = await store.erasures.erase({ email: 'ada@example.com', walletAddress: null }, NOW, () =>
      adminAudit('person.erased'),
    );
    expect(erased.counts.webhookEvents).toBe(2);
    expect(await store.webhooks.recordAttempt(leased, failedAttempt(NOW), retryAt(NOW))).toBe('stale');
    expect(await store.webhooks.retry(sent.id, adminAudit('webhook.retried'))).toBe(false);
    expect(await queuedEvents()).toEqual([['contact.submitted', otherMessage, 'received']]);
  });
});
