// @module-tag slow
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { webhookEvent } from '../../../data/contract/webhook-event.ts';
import { openAppStore } from '../../../data/store/open-stores.ts';
import type { AppStore } from '../../../data/store/ports.ts';
import { WEBHOOK_RETRY_MS } from '../../../data/store/rules/webhooks.ts';
import { openNewApp } from '../../../data/store/testing/new-stores.ts';
import { adminAudit } from '../../../data/store/testing/sample-admins.ts';
import {
  SUBMITTED_AT,
  submitApplication,
  submitMessage,
} from '../../../data/store/testing/sample-submissions.ts';
import { addEndpoint } from '../../../data/store/testing/sample-webhooks.ts';
import { temporaryFolder } from '../../../data/store/testing/temporary-folder.ts';
import { createSecretBox } from '../../admin/secret-box.ts';
import { startWebhookPeer, type WebhookPeer } from '../testing/webhook-peer.ts';
import { secretContext } from './webhook-sender.ts';
import { startWebhookWorker, type WebhookWorker, type WebhookWorkerOptions } from './webhook-worker.ts';

const box = createSecretBox(Buffer.alloc(32, 7));
const API_PAGE = new URL('../../../docs/api.md', import.meta.url);
const SECRET = 'whsec_of-the-ledger';
const sealSecret = (secret: string) => box.seal(Buffer.from(secret), secretContext('ledger'));

type IsFromPortal = (body: string, header: string, secret: string, now?: number) => boolean;

async function readDocumentedCheck(): Promise<IsFromPortal> {
  const page = await readFile(API_PAGE, 'utf8');
  const code = /```ts\n([^`]*isFromPortal[\s\S]*?)```/.exec(page)?.[1] ?? '';
  const url = `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(code))}`;
  return (await import(/* @vite-ignore */ url)).isFromPortal;
}

describe('webhooks', () => {
  let folder: string;
  let store: AppStore;
  let peer: WebhookPeer;
  let now: number;
  let logged: string[];
  const workers: WebhookWorker[] = [];

  beforeEach(async () => {
    folder = temporaryFolder();
    store = await openNewApp(join(folder, 'app.db'));
    peer = await startWebhookPeer();
    now = SUBMITTED_AT;
    logged = [];
    await addEndpoint(store, 'ledger', { url: peer.url, secret: sealSecret(SECRET) });
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.stop();
    await peer.close();
    await store.close();
  });

  async function start(changes: Partial<WebhookWorkerOptions> = {}): Promise<WebhookWorker> {
    const worker = await startWebhookWorker({
      store: store.webhooks,
      onQueued: (listener) => store.deliveries.onQueued(listener),
      box,
      origin: 'https://portal.example.com',
      allowsLoopback: true,
      log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
      now: () => now,
      retryWait: () => 0,
      ...changes,
    });
    workers.push(worker);
    return worker;
  }

  const newestDelivery = async (endpointId = 'ledger') => (await store.webhooks.deliveries(endpointId, 1))[0];
  const waitForResult = async (code: string, endpointId = 'ledger') => {
    await expect.poll(async () => (await newestDelivery(endpointId))?.code).toBe(code);
    return newestDelivery(endpointId);
  };
  const idsOf = ({ received }: WebhookPeer) =>
    received.map(({ body }) => webhookEvent.parse(JSON.parse(body)).id);

  it('arrive signed, in the documented form, and without personal data', async () => {
    await start();
    const referenceNumber = await submitApplication(store, {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
    });
    await peer.waitForEvents(1);
    const [event] = peer.received;
    if (!event) throw new Error('No event arrived.');
    const header = String(event.headers['blackduck-signature']);
    const isFromPortal = await readDocumentedCheck();
    expect(isFromPortal(event.body, header, SECRET, now)).toBe(true);
    expect(isFromPortal(event.body, header, SECRET, now + 300_000)).toBe(true);
    expect(isFromPortal(event.body, header, SECRET, now + 301_000)).toBe(false);
    expect(isFromPortal(event.body, header, 'whsec_another', now)).toBe(false);
    expect(isFromPortal(event.body.replace('received', 'approved'), header, SECRET, now)).toBe(false);
    expect(webhookEvent.strict().parse(JSON.parse(event.body))).toMatchObject({
      type: 'application.submitted',
      created: new Date(SUBMITTED_AT).toISOString(),
      data: {
        kind: 'card-application',
        referenceNumber,
        status: 'received',
        url: `https://portal.example.com/admin/dashboard#overview?record=${referenceNumber}`,
      },
    });
    expect(event.body).not.toMatch(/Ada|Lovelace|example\.com"|FKkj5p/);
    expect(event.headers['content-type']).toBe('application/json');
    expect(await waitForResult('200')).toMatchObject({ state: 'sent', response: null });
  });

  it('are documented with an example that follows the schema', async () => {
    const page = await readFile(API_PAGE, 'utf8');
    const [, example = ''] = /```json\n(\{\s+"id": "evt_[\s\S]*?)```/.exec(page) ?? [];
    expect(webhookEvent.strict().safeParse(JSON.parse(example)).success).toBe(true);
  });

  it('are also signed with the replaced secret until it expires', async () => {
    await store.webhooks.rollSecret(
      'ledger',
      sealSecret('whsec_new'),
      now + 1_000,
      adminAudit('webhook.rolled'),
    );
    await start();
    await submitMessage(store);
    await peer.waitForEvents(1);
    await waitForResult('200');
    now += 1_000;
    await submitMessage(store);
    await peer.waitForEvents(2);
    const isFromPortal = await readDocumentedCheck();
    const accepted = peer.received.map(({ body, headers }) => {
      const header = String(headers['blackduck-signature']);
      return [SECRET, 'whsec_new'].map((secret) => isFromPortal(body, header, secret, now));
    });
    expect(accepted).toEqual([
      [true, true],
      [false, true],
    ]);
  });

  it('are retried with the same id and body after an error, a lost connection and a timeout', async () => {
    peer.answerNext({ status: 500, body: `broken for ann@example.com\n${'x'.repeat(5_000)}` }, 'cut', 'hang');
    await start({ timeoutMs: 3_000 });
    await submitMessage(store);
    await peer.waitForEvents(4);
    expect(await waitForResult('200')).toMatchObject({ state: 'sent', attemptCount: 4 });
    expect(new Set(peer.received.map(({ body }) => body)).size).toBe(1);
    expect(await store.webhooks.endpoints()).toMatchObject([{ state: 'active', failingSince: null }]);
  });

  it.each([
    [{ status: 500, body: `no ann@example.com\n${'x'.repeat(5_000)}` }, '500'],
    ['cut', 'ECONNRESET'],
    ['hang', 'ETIMEDOUT'],
  ] as const)('show the team a short reason for a failure: %j', async (answer, code) => {
    peer.answerNext(answer);
    await start({ timeoutMs: answer === 'hang' ? 200 : 30_000, retryWait: () => 60_000 });
    await submitMessage(store);
    const failed = await waitForResult(code);
    expect(failed?.state).toBe('waiting');
    expect(failed?.response?.length).toBeGreaterThan(5);
    expect(failed?.response?.length).toBeLessThanOrEqual(200);
    expect(failed?.response).not.toContain('ann@');
  });

  it('fail permanently after three days of failures', async () => {
    peer.answerNext({ status: 500 });
    await start();
    now = SUBMITTED_AT + WEBHOOK_RETRY_MS;
    await submitMessage(store);
    expect(await waitForResult('500')).toMatchObject({ state: 'dead', attemptCount: 1 });
  });

  it('are retried when their endpoint is enabled again, even if they are older than three days', async () => {
    peer.answerNext({ status: 502 });
    await submitMessage(store);
    now = SUBMITTED_AT + 2 * WEBHOOK_RETRY_MS;
    await store.webhooks.setState('ledger', 'active', adminAudit('webhook.resumed', { at: now }));
    await start();
    await peer.waitForEvents(2);
    expect(await waitForResult('200')).toMatchObject({ state: 'sent', attemptCount: 2 });
  });

  it('never disable an endpoint whose secret cannot be decrypted', async () => {
    const other = createSecretBox(Buffer.alloc(32, 8));
    now = SUBMITTED_AT + WEBHOOK_RETRY_MS;
    await submitMessage(store);
    await start({ box: other });
    expect(await waitForResult('internal')).toMatchObject({ state: 'dead' });
    expect(await store.webhooks.endpoints()).toMatchObject([{ state: 'active', failingSince: null }]);
    expect(peer.received).toEqual([]);
  });

  it('are sent one at a time to an endpoint that fails', async () => {
    peer.answerNext({ status: 500 });
    const worker = await start({ retryWait: () => 60_000 });
    await submitMessage(store);
    await waitForResult('500');
    await worker.stop();
    peer.answerNext('hang');
    for (let count = 0; count < 3; count += 1) await submitMessage(store);
    await start();
    await peer.waitForEvents(2);
    await expect
      .poll(async () => store.webhooks.depths())
      .toEqual([
        { state: 'leased', deliveries: 1 },
        { state: 'waiting', deliveries: 3 },
      ]);
    await peer.close();
  });

  it('disable an endpoint that responds with 410, while other endpoints still get events', async () => {
    const other = await startWebhookPeer();
    await addEndpoint(store, 'other', {
      url: other.url,
      secret: box.seal(Buffer.from('s'), secretContext('other')),
    });
    peer.answerNext({ status: 410 });
    await start();
    await submitMessage(store);
    await waitForResult('410');
    await waitForResult('200', 'other');
    await submitMessage(store);
    await other.waitForEvents(2);
    expect(peer.received).toHaveLength(1);
    await other.close();
  });

  it('do not wait for an endpoint that hangs', async () => {
    const other = await startWebhookPeer();
    await addEndpoint(store, 'other', {
      url: other.url,
      secret: box.seal(Buffer.from('s'), secretContext('other')),
    });
    peer.answerNext(...Array.from({ length: 10 }, () => 'hang' as const));
    await start();
    for (let count = 0; count < 10; count += 1) await submitMessage(store);
    await other.waitForEvents(10);
    // At most 4 deliveries may be in flight for one endpoint.
    expect(peer.received.length).toBeLessThanOrEqual(4);
    await peer.close();
    await other.close();
  });

  it('do not follow redirects', async () => {
    const target = await startWebhookPeer();
    peer.answerNext({ status: 307, location: target.url });
    await start({ retryWait: () => 60_000 });
    await submitMessage(store);
    expect(await waitForResult('307')).toMatchObject({ state: 'waiting' });
    expect(target.received).toEqual([]);
    await target.close();
  });

  it.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'are never sent to %s outside of a trial',
    async (host) => {
      await addEndpoint(store, 'inner', {
        url: `http://${host}:${peer.port}/`,
        secret: box.seal(Buffer.from('s'), secretContext('inner')),
      });
      await start({ allowsLoopback: false, retryWait: () => 60_000 });
      await submitMessage(store);
      const refused = await waitForResult('private-address', 'inner');
      expect(refused?.response).not.toContain('127.0.0.1');
      expect(peer.received).toEqual([]);
    },
  );

  it('keep their id even if the receiver is down and the portal is killed while it sends them', async () => {
    const { port } = peer;
    await peer.close();
    const worker = await start();
    await submitMessage(store);
    await waitForResult('ECONNREFUSED');
    await worker.stop();
    // Claims a delivery and does not release it, as if the process were killed.
    const claim = { endpointId: 'ledger', now, leasedUntil: now + 60_000, limit: 1 };
    const [leased] = await store.webhooks.claimDue(claim);
    await store.close();
    store = await openAppStore(join(folder, 'app.db'));
    peer = await startWebhookPeer(port);
    await start();
    await peer.waitForEvents(1);
    expect(idsOf(peer)).toEqual([leased?.eventId]);
  });

  it('leave no secret in the log', async () => {
    peer.answerNext({ status: 500 }, 'cut');
    await start();
    await submitMessage(store);
    await peer.waitForEvents(3);
    await waitForResult('200');
    expect(logged).not.toEqual([]);
    expect(logged.join('\n')).not.toMatch(/whsec_|v1=|\/hook/);
  });
});
