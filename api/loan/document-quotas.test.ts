// @module-tag slow
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { RateLimits } from '../../data/config/rate-limits.ts';
import { IDEMPOTENCY_HEADER } from '../../data/contract/paths.ts';
import { applyForLoan, submitContactMessage } from '../../data/contract/submissions.ts';
import { openAppStore } from '../../data/store/open-stores.ts';
import { sampleAuditRecord } from '../admin/testing/team.ts';
import { CONTACT_BODY } from '../applications/testing/sample-forms.ts';
import { samplePdf } from '../documents/testing/sample-documents.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { sendForm } from '../testing/portal-client.ts';
import { storedRows } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal, type TestPortalChanges } from '../testing/test-portal.ts';
import { sendLoan } from './testing/send-loan.ts';

const DAY_MS = 86_400_000;

let portal: TestPortal;
let sentCount = 0;
beforeEach(() => {
  sentCount = 0;
});

async function start(rateLimits: Partial<RateLimits>, changes: TestPortalChanges = {}): Promise<void> {
  const started = await startTestPortal({
    ...changes,
    rateLimits: { 'uploads-of-network': 20, ...rateLimits },
  });
  onTestFinished(() => started.close());
  portal = started;
}

/** A passport copy that is slightly larger than `bytes`. */
const newPassport = (bytes: number) =>
  new File([new Uint8Array(samplePdf({ inside: `%${'x'.repeat(bytes)}\n` }))], 'passport.pdf');

/** Sends an application with 300 kB of documents, by default from a new mailbox. @returns `accepted`, or status and code */
async function send(address: string, email?: string, headers: Readonly<Record<string, string>> = {}) {
  sentCount += 1;
  const fields = { email: email ?? `ada@${sentCount}.example.org`, referenceNumber: null };
  const changes = { ...fields, passportCopy: newPassport(300_000) };
  const { status, body } = await sendLoan(portal.port, changes, { 'X-Forwarded-For': address, ...headers });
  return status === 200 ? 'accepted' : `${status} ${body.code}`;
}

function sendHeaders(port: number, length: number, address: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': 'multipart/form-data; boundary=x',
      'Content-Length': length,
      'X-Forwarded-For': address,
    };
    const options = {
      host: '127.0.0.1',
      port,
      path: applyForLoan.path,
      method: 'POST',
      agent: false,
      headers,
    };
    const request = httpRequest(options, (response) => {
      resolve(response);
      request.destroy();
    });
    request.on('error', reject);
    request.flushHeaders();
  });
}

const countStoredBytes = () =>
  (storedRows(portal.folder).get('loan_documents') ?? [])
    .map((row) => Number(JSON.parse(row).byteLength))
    .reduce((sum, bytes) => sum + bytes, 0);

const QUOTA_REACHED = '429 document-quota';

describe('the documents of a day', () => {
  it.each([
    ['/24 of IPv4', (n: number) => `10.9.8.${n}`, '10.9.9.1'],
    ['/48 of IPv6', (n: number) => `2001:db8:7:${n}00::1`, '2001:db8:8:100::1'],
  ])(
    'are limited in bytes per %s, even from different mailboxes (ASVS 5.2.4)',
    async (_network, addressAt, otherNetworkAddress) => {
      await start({ 'document-megabytes-of-network': 1 });
      const outcomes = [];
      for (let n = 1; n <= 4; n += 1) outcomes.push(await send(addressAt(n)));
      expect(outcomes).toEqual(['accepted', 'accepted', 'accepted', QUOTA_REACHED]);
      expect(await send(otherNetworkAddress)).toBe('accepted');
      const small = await sendForm(portal.port, submitContactMessage.path, CONTACT_BODY, {
        'X-Forwarded-For': addressAt(1),
      });
      expect(small.status).toBe(200);
    },
  );

  it('are limited in bytes per mailbox, under any of its addresses and from any network (ASVS 5.2.4)', async () => {
    await start({ 'document-megabytes-of-email': 1 });
    const spellings = ['ada@example.org', 'Ada@example.org', 'ada+1@example.org', 'ADA+2@example.org'];
    const outcomes = [];
    for (const [n, email] of spellings.entries()) outcomes.push(await send(`10.0.${n}.1`, email));
    expect(outcomes).toEqual(['accepted', 'accepted', 'accepted', QUOTA_REACHED]);
    expect(await send('10.0.9.1', 'bo@example.org')).toBe('accepted');
  });

  it('are limited in total bytes (ASVS 5.2.4)', async () => {
    await start({ 'document-megabytes': 1 });
    const outcomes = [];
    for (let n = 1; n <= 4; n += 1) outcomes.push(await send(`10.${n}.0.1`));
    expect(outcomes).toEqual(['accepted', 'accepted', 'accepted', '503 documents-full']);
  });

  it('stay within a limit even if their forms arrive at the same moment', async () => {
    await start({ 'document-megabytes-of-network': 1 });
    const outcomes = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => send(`10.9.8.${n}`)));
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(3);
    expect(countStoredBytes()).toBeLessThanOrEqual(1_000_000);
  });

  it('beyond a limit are refused before the client sends them, and the answer says when to retry', async () => {
    await start({ 'document-megabytes-of-network': 1 });
    for (let n = 1; n <= 3; n += 1) await send('10.9.8.1');
    await portal.pollAt(TEST_START + DAY_MS - 60_000);
    const { statusCode, headers } = await sendHeaders(portal.port, 300_000, '10.9.8.1');
    expect([statusCode, headers['retry-after']]).toEqual([429, '60']);
  });

  it('are counted from zero the next day, and old counts are deleted', async () => {
    await start({ 'document-megabytes-of-network': 1 });
    for (let n = 1; n <= 3; n += 1) await send('10.9.8.1');
    expect(await send('10.9.8.1')).toBe(QUOTA_REACHED);
    await portal.pollAt(TEST_START + DAY_MS);
    expect(await send('10.9.8.1')).toBe('accepted');
    const countUsageRows = () => storedRows(portal.folder).get('document_usage')?.length;
    // Counts of the first day: three mailboxes, the network and the total. Counts of the second day: one of each.
    expect(countUsageRows()).toBe(5 + 3);
    await portal.store.retention.deleteExpired(TEST_START + 3 * DAY_MS, 0);
    expect(countUsageRows()).toBe(0);
  });

  it('still count after they are erased and after a restart', async () => {
    await start({ 'document-megabytes-of-network': 1 });
    for (let n = 1; n <= 3; n += 1) await send('10.9.8.1', 'ada@example.org');
    await portal.store.erasures.erase({ email: 'ada@example.org', walletAddress: null }, TEST_START, () =>
      sampleAuditRecord('person.erased', TEST_START),
    );
    expect(countStoredBytes()).toBe(0);
    const file = join(portal.folder, 'restarted.db');
    await portal.store.backUp(file);
    await start({ 'document-megabytes-of-network': 1 }, { store: await openAppStore(file) });
    expect([await send('10.9.8.2'), await send('10.9.9.1')]).toEqual([QUOTA_REACHED, 'accepted']);
  });

  it('that were stored are acknowledged again if the form is retried, even beyond the limit', async () => {
    await start({ 'document-megabytes-of-network': 1 });
    const first = { [IDEMPOTENCY_HEADER]: 'quota-key-1' };
    expect(await send('10.9.8.1', 'ada@example.org', first)).toBe('accepted');
    for (let n = 1; n <= 2; n += 1) await send('10.9.8.1');
    expect(await send('10.9.8.1')).toBe(QUOTA_REACHED);
    expect(await send('10.9.8.1', 'ada@example.org', first)).toBe('accepted');
    expect(storedRows(portal.folder).get('loan_applications')).toHaveLength(3);
  });

  it('are counted under digests, which reveal neither network nor mailbox without the key', async () => {
    await start({});
    await send('10.9.8.1', 'zoe@quill.example.org');
    const rows = storedRows(portal.folder).get('document_usage') ?? [];
    expect(rows).toHaveLength(3);
    expect(rows.join()).not.toMatch(/10\.9\.8|zoe|quill/);
    for (const row of rows) expect(JSON.parse(row).subject).toMatch(/^[\da-f]{64}$/);
  });
});
