import { describe, expect, it } from 'vitest';
import type { AlertRecipient } from '../alert-port.ts';
import { openPrograms, reopenAppStore, store, useAppStore } from '../testing/test-stores.ts';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const ALERT = {
  id: 'index-behind-20260102T030405000Z',
  code: 'index-behind',
  startedAt: AT,
  detail: 'The index is 200 slots behind.',
  notifiedAt: AT + 300_000,
};
const BOTH_RECIPIENTS: readonly AlertRecipient[] = [
  { channel: 'mail', recipient: null },
  { channel: 'telegram', recipient: '-100' },
];

const queuedMessages = async (id = ALERT.id) =>
  (await store.deliveries.deliveriesOf(id)).map(({ event, channel, recipient, audience, createdAt }) => [
    event,
    channel,
    recipient,
    audience,
    createdAt,
  ]);

describe('an alert', () => {
  useAppStore();

  it('is stored with its messages, and is open until it ends', async () => {
    expect(await store.alerts.listOpen()).toEqual([]);
    expect(await store.alerts.begin(ALERT, BOTH_RECIPIENTS)).toBe(true);
    const open = { ...ALERT, endedAt: null, reminders: 0 };
    expect(await store.alerts.listOpen()).toEqual([open]);
    expect(await queuedMessages()).toEqual([
      ['alert.begun', 'mail', null, 'team', ALERT.notifiedAt],
      ['alert.begun', 'telegram', '-100', 'team', ALERT.notifiedAt],
    ]);
    await reopenAppStore();
    expect(await store.alerts.listOpen()).toEqual([open]);
    const end = { id: ALERT.id, endedAt: AT + 900_000, notifiedAt: AT + 1_200_000 };
    expect(await store.alerts.end(end, BOTH_RECIPIENTS.slice(0, 1))).toBe(true);
    expect(await store.alerts.listOpen()).toEqual([]);
    expect(await store.alerts.find(ALERT.id)).toEqual({ ...open, endedAt: end.endedAt });
    expect(await queuedMessages()).toContainEqual(['alert.ended', 'mail', null, 'team', end.notifiedAt]);
    expect(await queuedMessages()).toHaveLength(3);
  });

  it('is the only open alert with its code, and may be followed by another once it has ended', async () => {
    await store.alerts.begin(ALERT, BOTH_RECIPIENTS);
    const later = { ...ALERT, id: 'index-behind-20260102T040000000Z', startedAt: AT + 3_355_000 };
    expect(await store.alerts.begin(later, BOTH_RECIPIENTS)).toBe(false);
    expect(await queuedMessages(later.id)).toEqual([]);
    expect(await store.alerts.begin({ ...ALERT, id: 'disk-low@x', code: 'disk-low' }, [])).toBe(true);
    await store.alerts.end({ id: ALERT.id, endedAt: AT + 1, notifiedAt: AT + 2 }, []);
    expect(await store.alerts.begin(later, BOTH_RECIPIENTS)).toBe(true);
    expect((await store.alerts.listOpen()).map(({ code }) => code)).toEqual(['disk-low', 'index-behind']);
  });

  it('sends each reminder once, and no message after it has ended', async () => {
    await store.alerts.begin(ALERT, []);
    const reminder = { id: ALERT.id, detail: 'Now 900.', notifiedAt: AT + 86_400_000, reminders: 0 };
    expect(await store.alerts.remind(reminder, BOTH_RECIPIENTS)).toBe(true);
    expect(await store.alerts.remind(reminder, BOTH_RECIPIENTS)).toBe(false);
    expect(await store.alerts.remind({ ...reminder, reminders: 1 }, BOTH_RECIPIENTS.slice(1))).toBe(true);
    expect(await store.alerts.find(ALERT.id)).toMatchObject({ detail: 'Now 900.', reminders: 2 });
    expect((await queuedMessages()).map(([event, channel]) => `${event} ${channel}`).toSorted()).toEqual([
      'alert.lasts:1 mail',
      'alert.lasts:1 telegram',
      'alert.lasts:2 telegram',
    ]);
    const end = { id: ALERT.id, endedAt: AT + 9, notifiedAt: AT + 9 };
    expect(await store.alerts.end(end, [])).toBe(true);
    expect(await store.alerts.end(end, BOTH_RECIPIENTS)).toBe(false);
    expect(await store.alerts.remind({ ...reminder, reminders: 2 }, BOTH_RECIPIENTS)).toBe(false);
    expect(await queuedMessages()).toHaveLength(3);
  });

  it('begins once if several programs report it at the same time', async () => {
    const programs = await openPrograms(3);
    const begun = await Promise.all(
      programs.map(({ alerts }, index) =>
        alerts.begin({ ...ALERT, id: `index-behind@${index}` }, BOTH_RECIPIENTS),
      ),
    );
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(await store.alerts.listOpen()).toHaveLength(1);
    expect((await store.deliveries.queueDepths()).map(({ deliveries }) => deliveries)).toEqual([1, 1]);
  });

  it('wakes the delivery worker, and is claimed and logged like a message about a record', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unlisten = store.deliveries.onQueued(resolve);
    await store.alerts.begin(ALERT, BOTH_RECIPIENTS);
    await promise;
    unlisten();
    const claim = { channel: 'mail', now: ALERT.notifiedAt, leasedUntil: AT + 1e9, limit: 5 } as const;
    const [delivery] = await store.deliveries.claimDue(claim);
    if (!delivery) throw new Error('No delivery is due.');
    const attempt = {
      at: ALERT.notifiedAt + 1,
      outcome: 'sent',
      providerId: null,
      code: null,
      error: null,
      maskedRecipient: 't…@….com',
      latencyMs: 4,
    } as const;
    await store.deliveries.recordAttempt(delivery, attempt, { state: 'sent' });
    const log = await store.records.list('delivery-logs', {
      sort: 'attemptedAt',
      order: 'desc',
      limit: 5,
      filters: {},
      from: null,
      before: null,
      search: null,
      after: null,
    });
    expect(log.rows).toMatchObject([{ kind: 'alert', event: 'alert.begun', referenceNumber: ALERT.id }]);
  });
});
