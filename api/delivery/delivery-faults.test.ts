// @module-tag slow

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AppStore } from '../../data/store/ports.ts';
import { openNewApp } from '../../data/store/testing/new-stores.ts';
import { submitApplication } from '../../data/store/testing/sample-submissions.ts';
import { type DeliveryWorker, startDeliveryWorker } from './delivery-worker.ts';
import { messageIdOf } from './mail/message-thread.ts';
import { localMailSender, ORIGIN } from './testing/every-mail.ts';
import { fakeSender } from './testing/fake-sender.ts';
import { type ConnectionFault, type FaultyProxy, startFaultyProxy } from './testing/faulty-proxy.ts';
import { type SmtpPeer, startSmtpPeer } from './testing/smtp-peer.ts';

const NAME = 'محمد 🦆';

/** One fault during the message and one after it. `smtp-transport.test.ts` tests more faults. */
const CONNECTION_FAULTS: readonly ConnectionFault[] = [
  { at: 'body', how: 'cut' },
  { at: 'message', how: 'cut' },
];

describe('the emails about a submission', () => {
  let folder: string;
  let store: AppStore;
  let smtp: SmtpPeer;
  let faultyProxy: FaultyProxy;
  let worker: DeliveryWorker;
  /** How far the worker's clock is ahead (ms), to skip pauses. */
  let aheadMs = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'delivery-faults-'));
    store = await openNewApp(join(folder, 'app.db'));
    smtp = await startSmtpPeer();
    faultyProxy = await startFaultyProxy(smtp.port);
    const send = localMailSender(store, faultyProxy.port, 'team@example.com');
    worker = await startDeliveryWorker({
      store: store.deliveries,
      senders: {
        mail: { maskedRecipient: () => 'masked', send },
        telegram: fakeSender(),
        push: fakeSender(),
      },
      log: pino({ level: 'silent' }),
      now: () => Date.now() + aheadMs,
      retryWait: () => 20,
    });
  });
  afterAll(async () => {
    await worker.stop();
    await store.close();
    await faultyProxy.close();
    await smtp.close();
    await rm(folder, { recursive: true });
  });

  const submit = () => submitApplication(store, { name: NAME });

  async function waitForDelivery(referenceNumber: string): Promise<void> {
    const check = async () => {
      const deliveries = await store.deliveries.deliveriesOf(referenceNumber);
      // Advancing the clock during an attempt would end the attempt's lease.
      if (!deliveries.some(({ state }) => state === 'leased')) {
        aheadMs += 600_000;
        worker.wake();
      }
      return deliveries.every(({ state }) => state === 'sent');
    };
    await vi.waitUntil(check, { timeout: 60_000, interval: 50 });
  }

  /** Counts duplicate emails, and checks that each follows an attempt that was logged as unknown. */
  async function countDuplicates(referenceNumber: string): Promise<number> {
    const attempts = await store.deliveries.attempts(10_000);
    let duplicates = 0;
    for (const delivery of await store.deliveries.deliveriesOf(referenceNumber)) {
      if (delivery.channel !== 'mail') continue;
      const { id } = delivery;
      const messageId = messageIdOf(delivery, ORIGIN);
      const mails = smtp.received.filter(({ parsed }) => parsed.messageId === `<${messageId}>`);
      const ofDelivery = attempts.filter(({ deliveryId }) => deliveryId === id);
      const unknown = ofDelivery.filter(({ outcome }) => outcome === 'unknown').length;
      expect(ofDelivery.filter(({ outcome }) => outcome === 'sent')).toHaveLength(1);
      expect(mails.length).toBeGreaterThanOrEqual(1);
      expect(mails.length).toBeLessThanOrEqual(1 + unknown);
      expect(new Set(mails.map(({ parsed }) => parsed.text)).size).toBe(1);
      duplicates += mails.length - 1;
    }
    return duplicates;
  }

  it.each(CONNECTION_FAULTS)('arrive even if the connection is lost at $at ($how)', async (fault) => {
    const lost = faultyProxy.lostCount;
    faultyProxy.loseConnectionsAt(fault);
    const referenceNumber = await submit();
    await vi.waitUntil(() => faultyProxy.lostCount >= lost + 2, { timeout: 60_000 });
    faultyProxy.loseConnectionsAt(null);
    await waitForDelivery(referenceNumber);
    const duplicates = await countDuplicates(referenceNumber);
    if (fault.at !== 'message') expect(duplicates).toBe(0);
    else expect(duplicates).toBeGreaterThan(0);
    const subject = `Card application ${referenceNumber}`;
    const team = smtp.received.findLast(({ parsed }) => parsed.subject === subject);
    expect(team?.parsed.replyTo?.value).toEqual([{ name: NAME, address: 'ada@example.com' }]);
  });
});
