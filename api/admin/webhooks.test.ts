// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { webhookDeliveries, webhookEndpoints } from '../../data/contract/admin-webhooks.ts';
import { WEBHOOK_EVENT_TYPES, WEBHOOK_LIMITS } from '../../data/model/webhooks.ts';
import { submitMessage } from '../../data/store/testing/sample-submissions.ts';
import { FakeIndex, TEST_START } from '../testing/fake-index.ts';
import { auditRecords } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { askAs, PASSWORD, signedInAdmin } from './testing/team.ts';

const ENDPOINT_URL = 'https://receiver.example/hook?key=1';

let portal: TestPortal;
let ownerToken: string;
beforeEach(async () => {
  portal = await startTestPortal();
  ({ token: ownerToken } = await signedInAdmin(portal.store, { username: 'Olga', at: TEST_START }));
});
afterEach(() => portal.close());

async function post(call: string, body: object): Promise<[number, Record<string, unknown>]> {
  const response = await askAs(portal, ownerToken, `/api/admin/webhooks/${call}`, body);
  return [response.status, JSON.parse(response.body)];
}
const getJson = async (path: string) => JSON.parse((await askAs(portal, ownerToken, path)).body);
const listEndpoints = async () =>
  webhookEndpoints.response.parse(await getJson(webhookEndpoints.path)).endpoints;
const listDeliveries = async (id: string) =>
  webhookDeliveries.response.parse(await getJson(`${webhookDeliveries.path}?endpoint=${id}`)).deliveries;

async function addEndpoint(changes: object = {}): Promise<{ readonly id: string; readonly secret: string }> {
  const added = { url: ENDPOINT_URL, types: ['contact.submitted'], ownPassword: PASSWORD, ...changes };
  const [status, { id, secret }] = await post('add', added);
  expect(status).toBe(200);
  return { id: String(id), secret: String(secret) };
}

describe('an owner', () => {
  it('adds an endpoint, and sees its secret only once', async () => {
    const { id, secret } = await addEndpoint({
      types: ['loan.decided', 'contact.submitted', 'loan.decided'],
    });
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(await listEndpoints()).toEqual([
      {
        ...{ id, url: ENDPOINT_URL, types: ['loan.decided', 'contact.submitted'], state: 'active' },
        createdAt: new Date(TEST_START).toISOString(),
        ...{ failingSince: null, oldSecretUntil: null },
      },
    ]);
    const [stored] = await portal.store.webhooks.endpoints();
    expect(Buffer.from(stored?.secret ?? []).includes(secret)).toBe(false);
  });

  it('cannot add a URL with http or with credentials, an invalid URL, or an endpoint without known events', async () => {
    const valid = { url: ENDPOINT_URL, types: ['loan.decided'], ownPassword: PASSWORD };
    for (const [changes, expectedCode] of [
      [{ url: 'http://receiver.example/' }, 'webhook-url'],
      [{ url: 'https://ann:secret@receiver.example/' }, 'webhook-url'],
      [{ url: 'http://127.0.0.1:9/' }, 'webhook-url'],
      [{ url: 'receiver' }, 'invalid-body'],
      [{ url: 'file:///etc/passwd' }, 'invalid-body'],
      [{ types: [] }, 'invalid-body'],
      [{ types: ['card.burned'] }, 'invalid-body'],
    ] as const) {
      const [status, { code }] = await post('add', { ...valid, ...changes });
      expect([changes, status, code]).toEqual([changes, 400, expectedCode]);
    }
    expect(await listEndpoints()).toEqual([]);
  });

  it('needs their own password to add an endpoint or to roll a secret', async () => {
    const { id } = await addEndpoint();
    const body = { url: ENDPOINT_URL, types: ['loan.decided'], ownPassword: 'wrong' };
    const [added, { code }] = await post('add', body);
    const [rolled] = await post('roll-secret', { id, ownPassword: 'wrong' });
    expect([added, code, rolled]).toEqual([403, 'wrong-password', 403]);
    expect(await listEndpoints()).toMatchObject([{ oldSecretUntil: null }]);
  });

  it('cannot add more endpoints than the limit', async () => {
    for (let count = 0; count < WEBHOOK_LIMITS.endpoints; count += 1) await addEndpoint();
    const body = { url: ENDPOINT_URL, types: ['loan.decided'], ownPassword: PASSWORD };
    const [status, { code }] = await post('add', body);
    expect([status, code]).toEqual([409, 'too-many-webhooks']);
  });

  it('rolls the secret, and the old one stays valid for a day', async () => {
    const { id, secret } = await addEndpoint();
    const [, rolled] = await post('roll-secret', { id, ownPassword: PASSWORD });
    expect(rolled.secret).toMatch(/^whsec_/);
    expect(rolled.secret).not.toBe(secret);
    const until = new Date(TEST_START + 86_400_000).toISOString();
    expect(await listEndpoints()).toMatchObject([{ oldSecretUntil: until }]);
  });

  it('changes, pauses, resumes and removes an endpoint, each recorded in the audit trail without the URL', async () => {
    const { id } = await addEndpoint();
    await post('change', { id, types: WEBHOOK_EVENT_TYPES });
    expect((await listEndpoints())[0]?.types).toEqual(WEBHOOK_EVENT_TYPES);
    await post('pause', { id });
    expect(await listEndpoints()).toMatchObject([{ state: 'paused' }]);
    const [status, { code }] = await post('test', { id });
    expect([status, code]).toEqual([409, 'webhook-not-active']);
    await post('resume', { id });
    expect(await listEndpoints()).toMatchObject([{ state: 'active' }]);
    await post('remove', { id });
    expect(await listEndpoints()).toEqual([]);
    const records = auditRecords(portal.folder).filter(({ action }) => action.startsWith('webhook.'));
    expect(records.map(({ action }) => action)).toEqual([
      'webhook.added',
      'webhook.changed',
      'webhook.paused',
      'webhook.resumed',
      'webhook.removed',
    ]);
    expect(JSON.stringify(records)).not.toMatch(/key=1|whsec_/);
  });

  it('sends a test event, sees it among the other deliveries, and retries it', async () => {
    const { id } = await addEndpoint();
    const referenceNumber = await submitMessage(portal.store, { createdAt: TEST_START - 1 });
    expect((await post('test', { id }))[0]).toBe(200);
    const [test, message] = await listDeliveries(id);
    expect(test).toMatchObject({
      type: 'endpoint.test',
      referenceNumber: null,
      state: 'waiting',
      attempts: 0,
    });
    expect(message).toMatchObject({ type: 'contact.submitted', referenceNumber });
    expect((await post('retry', { delivery: test?.id }))[0]).toBe(200);
    const [status, { code }] = await post('retry', { delivery: 'unknown' });
    expect([status, code]).toEqual([409, 'webhook-not-retryable']);
  });

  it('cannot change, pause, resume, remove or test an unknown endpoint', async () => {
    for (const call of ['change', 'pause', 'resume', 'remove', 'test']) {
      const body = { id: 'we_0123456789abcdef', ...(call === 'change' && { types: ['loan.decided'] }) };
      const [status, { code }] = await post(call, body);
      expect([call, status, code]).toEqual([call, 404, 'no-such-webhook']);
    }
  });
});

describe('on the embedded ledger at a local address', () => {
  it('an endpoint may use http on loopback, and nowhere else', async () => {
    await portal.close();
    portal = await startTestPortal({ index: new FakeIndex(), chain: 'embedded-ledger', publicOrigin: null });
    ({ token: ownerToken } = await signedInAdmin(portal.store, { username: 'Olga', at: TEST_START }));
    await addEndpoint({ url: 'http://localhost:9/hook' });
    const inner = { url: 'http://10.0.0.1/', types: ['loan.decided'], ownPassword: PASSWORD };
    const [status, { code }] = await post('add', inner);
    expect([status, code]).toEqual([400, 'webhook-url']);
  });
});
