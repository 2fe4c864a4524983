// @module-tag slow
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { prometheus, readyz } from '../../data/contract/paths.ts';
import { applyForLoan, submitContactMessage } from '../../data/contract/submissions.ts';
import { sampleAuditRecord } from '../admin/testing/team.ts';
import { CONTACT_BODY } from '../applications/testing/sample-forms.ts';
import { samplePdf } from '../documents/testing/sample-documents.ts';
import { sendLoan } from '../loan/testing/send-loan.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { ask, sendForm } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const RESERVE_BYTES = 1_000_000_000;
/** Below the reserve even with the space that the migrations of a new `app.db` leave inside the file. */
const TOO_FEW_BYTES = RESERVE_BYTES - 1_000_000;

let portal: TestPortal;
let stubbedFreeBytes: number | Error;
let alerts: string[];
let seconds: number;
let reserveBytes: number;

beforeEach(async () => {
  reserveBytes = RESERVE_BYTES;
  await startPortal();
});

async function startPortal(): Promise<void> {
  stubbedFreeBytes = RESERVE_BYTES;
  alerts = [];
  seconds = 0;
  const freeBytes = async () => {
    if (typeof stubbedFreeBytes !== 'number') throw stubbedFreeBytes;
    return stubbedFreeBytes;
  };
  portal = await startTestPortal({
    disk: { freeBytes, reserveBytes },
    alertTeam: ({ subject, text }) => void alerts.push(`${subject} ${text}`),
  });
  const started = portal;
  onTestFinished(() => started.close());
}

async function setFreeBytes(bytes: number | Error): Promise<void> {
  stubbedFreeBytes = bytes;
  seconds += 1;
  await portal.pollAt(TEST_START + seconds * 1_000);
}

let sentCount = 0;
async function upload(): Promise<string> {
  sentCount += 1;
  const { status, body } = await sendLoan(portal.port, {
    email: `ada@${sentCount}.example.org`,
    referenceNumber: null,
  });
  return status === 200 ? 'accepted' : `${status} ${body.code}`;
}

async function readWarnings(): Promise<readonly string[]> {
  const { status, body } = await ask(portal.port, readyz);
  expect(status).toBe(200);
  return JSON.parse(body).warnings.map(({ what }: { what: string }) => what);
}

async function readDiskMetrics(): Promise<readonly (string | undefined)[]> {
  const { body } = await ask(portal.port, prometheus);
  return [
    /^portal_disk_free_bytes (.*)$/m.exec(body)?.[1],
    /^portal_documents_paused (.*)$/m.exec(body)?.[1],
  ];
}

const PAUSED_OUTCOME = '503 documents-paused';

describe('the portal on a nearly full disk', () => {
  it('accepts small forms but no documents below the reserve, warns in /readyz, and alerts the team once', async () => {
    expect([await upload(), await readWarnings()]).toEqual(['accepted', []]);
    expect(await readDiskMetrics()).toEqual([String(RESERVE_BYTES), '0']);
    await setFreeBytes(TOO_FEW_BYTES);
    expect([await upload(), await readWarnings()]).toEqual([PAUSED_OUTCOME, ['disk']]);
    expect(await readDiskMetrics()).toEqual([String(TOO_FEW_BYTES), '1']);
    expect((await sendForm(portal.port, submitContactMessage.path, CONTACT_BODY)).status).toBe(200);
    await setFreeBytes(RESERVE_BYTES * 2);
    expect([await upload(), await readWarnings()]).toEqual(['accepted', []]);
    await setFreeBytes(0);
    expect(await upload()).toBe(PAUSED_OUTCOME);
    expect(alerts).toHaveLength(1);
  });

  it('accepts documents again only once a tenth more than the reserve is free', async () => {
    await setFreeBytes(TOO_FEW_BYTES);
    await setFreeBytes(RESERVE_BYTES * 1.05);
    expect(await upload()).toBe(PAUSED_OUTCOME);
    await setFreeBytes(RESERVE_BYTES * 1.1);
    expect(await upload()).toBe('accepted');
  });

  it('stops an upload that is arriving, and removes what arrived (ASVS 5.2.4)', async () => {
    const socket = connect({ host: '127.0.0.1', port: portal.port });
    const answer = text(socket);
    const file = 'Content-Disposition: form-data; name="passportCopy"; filename="a.pdf"';
    socket.write(
      `POST ${applyForLoan.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 9000000\r\n\r\n--x\r\n${file}\r\n\r\n${'a'.repeat(100_000)}`,
    );
    const countSpooledFiles = async () => (await readdir(join(portal.folder, 'uploads'))).length;
    await vi.waitUntil(async () => (await countSpooledFiles()) === 1, { timeout: 60_000 });
    await setFreeBytes(TOO_FEW_BYTES);
    socket.write('a'.repeat(100_000));
    expect(await answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*"code":"documents-paused"/);
    await vi.waitUntil(async () => (await countSpooledFiles()) === 0, { timeout: 60_000 });
  });

  it('accepts documents if deleted documents left enough reusable space inside app.db', async () => {
    const large = samplePdf({ inside: `%${'x'.repeat(2_000_000)}\n` });
    const passportCopy = new File([new Uint8Array(large)], 'passport.pdf');
    expect((await sendLoan(portal.port, { passportCopy })).status).toBe(200);
    await setFreeBytes(TOO_FEW_BYTES);
    expect(await upload()).toBe(PAUSED_OUTCOME);
    await portal.store.erasures.erase({ email: 'ada@example.com', walletAddress: null }, TEST_START, () =>
      sampleAuditRecord('person.erased', TEST_START),
    );
    await setFreeBytes(TOO_FEW_BYTES + RESERVE_BYTES * 0.1);
    expect(await upload()).toBe('accepted');
    // Uploads in progress and the write-ahead log need space on the disk itself.
    await setFreeBytes(RESERVE_BYTES / 2 - 1);
    expect(await upload()).toBe(PAUSED_OUTCOME);
  });

  it('accepts no documents while the free space cannot be read, warns, and alerts the team', async () => {
    await setFreeBytes(new Error('EIO'));
    expect([await upload(), await readWarnings()]).toEqual([PAUSED_OUTCOME, ['disk']]);
    expect(await readDiskMetrics()).toEqual([undefined, '1']);
    expect(alerts).toHaveLength(1);
    await setFreeBytes(RESERVE_BYTES * 2);
    expect([await upload(), await readWarnings()]).toEqual(['accepted', []]);
  });

  it('does not watch the disk if no reserve is set', async () => {
    reserveBytes = 0;
    await startPortal();
    await setFreeBytes(new Error('EIO'));
    expect([await upload(), await readWarnings()]).toEqual(['accepted', []]);
    await setFreeBytes(0);
    expect([await upload(), await readWarnings(), alerts]).toEqual(['accepted', [], []]);
  });
});
