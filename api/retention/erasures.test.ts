// @module-tag slow
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { erasePerson } from '../../data/contract/admin-erasures.ts';
import { sampleMessage, sampleRequest, submitMessage } from '../../data/store/testing/sample-submissions.ts';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { askAs, PASSWORD, signedInAdmin } from '../admin/testing/team.ts';
import { createMailSender } from '../delivery/mail/mail-sender.ts';
import { createMailOutboxTransport } from '../delivery/mail/mail-transport.ts';
import { outboxName } from '../delivery/outbox-file.ts';
import { UNUSED_MAIL_CONTEXT } from '../delivery/testing/unused-mail-context.ts';
import type { BackupState } from '../portal-context.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { auditRecords } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const EMAIL = 'zoe.quill@example.org';
const NAME = 'Zoe Quillfeather';
const LEFTOVER = { name: 'app.db.before-20260102T030405Z.db', path: '', deleteAt: TEST_START + 1 };
const BACKED_UP_AT = TEST_START - 1_000;
/** Personal data, which the audit trail must not contain. */
const PERSONAL_DATA = /zoe|quill/i;

let portal: TestPortal;
let outboxFolder: string;
let backups: BackupState | null;
let recordedErasures: (readonly [string | null, string])[];
let ownerToken = '';
let ownerId = '';
beforeEach(async () => {
  recordedErasures = [];
  backups = { newestAt: BACKED_UP_AT, keep: 14, isScheduled: true, remote: null, leftovers: [LEFTOVER] };
  outboxFolder = temporaryFolder();
  portal = await startTestPortal({
    copies: {
      outboxFolder,
      recordErasure: async (subject, { auditRecord }) =>
        void recordedErasures.push([subject.email, auditRecord]),
      backups: () => backups,
      remoteProblem: () => null,
    },
  });
  ({ id: ownerId, token: ownerToken } = await signedInAdmin(portal.store, {
    username: 'Olga',
    at: TEST_START,
  }));
});
afterEach(() => portal.close());

const requestErasure = (body: object) =>
  askAs(portal, ownerToken, erasePerson.path, { ownPassword: PASSWORD, ...body });
const erase = async (body: object) => {
  const { status, body: text } = await requestErasure(body);
  expect(status, text).toBe(200);
  return erasePerson.response.parse(JSON.parse(text));
};
const readAuditRecords = () => auditRecords(portal.folder);

/**
 * Submits the person's message and another person's message, and writes their emails to the outbox. Also leaves an
 * unfinished outbox file for the first message.
 */
async function submitMessages(): Promise<string> {
  const { deliveries } = portal.store;
  const reference = await submitMessage(portal.store, { email: EMAIL, name: NAME, message: `I am ${NAME}.` });
  const other = await submitMessage(portal.store);
  const send = createMailSender({
    ...UNUSED_MAIL_CONTEXT,
    submissions: portal.store.submissions,
    alerts: portal.store.alerts,
    admins: portal.store.admins,
    deliveries,
    transport: createMailOutboxTransport(outboxFolder),
    ...{ from: { name: '', address: 'portal@example.com' }, teamAddress: 'team@example.com' },
    ...{ origin: 'https://portal.example.com', teamOrigin: 'https://portal.example.com' },
    ...{ decimals: async () => 6, confirmationToken: () => '', adminLinkToken: () => '', organization: null },
  });
  for (const delivery of [
    ...(await deliveries.deliveriesOf(reference)),
    ...(await deliveries.deliveriesOf(other)),
  ]) {
    if (delivery.channel === 'mail') await send(delivery, new AbortController().signal);
  }
  const [first] = await deliveries.deliveriesOf(reference);
  await writeFile(join(outboxFolder, `.${outboxName(0, first?.id ?? '', 'eml')}.unfinished`), 'half');
  return reference;
}

describe('an erasure', () => {
  it('has a preview that shows the stored data and how long backups keep it, and changes nothing', async () => {
    const referenceNumber = await submitMessages();
    const before = readAuditRecords().length;
    const preview = await erase({ email: EMAIL, request: 'MAIL-12', preview: true });
    expect(preview).toMatchObject({
      preview: true,
      records: [{ referenceNumber, kind: 'contact-message' }],
      counts: { contactMessages: 1, recipients: 1, cancelledDeliveries: 3 },
      otherWallets: [sampleMessage().walletAddress],
      kept: { liveCards: 0, adminAccounts: 0 },
      backups: { newestAt: new Date(BACKED_UP_AT).toISOString(), keep: 14 },
      proof: null,
    });
    expect(preview.outboxFiles).toBeGreaterThanOrEqual(2);
    expect(preview.backups.note).toContain('14 newer');
    expect(readAuditRecords()).toHaveLength(before);
    expect(await portal.store.submissions.find('contact-message', referenceNumber)).not.toBeNull();
  });

  it.each([
    ['the portal keeps 3', 3, '3 newer copies'],
    ['the portal keeps all', null, 'operator'],
  ])('says when or by whom remote copies are removed: %s', async (_case, keep, expectedText) => {
    if (backups) backups = { ...backups, remote: { newestAt: BACKED_UP_AT, keep } };
    const { proof } = await erase({ email: EMAIL, request: 'MAIL-12', preview: false });
    expect(proof?.text).toContain(expectedText);
  });

  it('reports an unreadable backup folder instead of saying that no backup holds the data', async () => {
    if (backups) backups = { ...backups, newestAt: undefined };
    const { backups: shownBackups } = await erase({ email: EMAIL, request: 'MAIL-12', preview: true });
    expect(shownBackups).toMatchObject({
      newestAt: null,
      keep: 14,
      note: expect.stringContaining('cannot be read'),
    });
  });

  it('says in its preview and its proof that the portal cannot reach dumps of a database', async () => {
    backups = null;
    const { backups: shownBackups } = await erase({ email: EMAIL, request: 'MAIL-12', preview: true });
    expect(shownBackups).toMatchObject({
      newestAt: null,
      keep: null,
      note: expect.stringContaining('database'),
    });
    const { proof } = await erase({ email: EMAIL, request: 'MAIL-12', preview: false });
    expect(proof?.text).toContain(shownBackups.note);
  });

  it('is proved even if copies of the deleted data cannot be removed yet', async () => {
    const truncateLog = vi.spyOn(portal.store.retention, 'truncateLog');
    truncateLog.mockRejectedValueOnce(new Error('the file is locked'));
    expect((await erase({ email: EMAIL, request: 'MAIL-12', preview: false })).proof).not.toBeNull();
    expect(portal.logLines.join()).toContain('the file is locked');
    backups = null;
    truncateLog.mockReturnValueOnce(new Promise(() => {}));
    expect((await erase({ email: EMAIL, request: 'MAIL-13', preview: false })).proof).not.toBeNull();
  });

  it('removes the records and the emails in the outbox, but not other people’s', async () => {
    const referenceNumber = await submitMessages();
    const { outboxFiles } = await erase({ email: EMAIL, request: 'MAIL-12', preview: false });
    expect(outboxFiles).toBe(3);
    expect(await readdir(outboxFolder)).toHaveLength(2);
    expect(await portal.store.submissions.find('contact-message', referenceNumber)).toBeNull();
    for (const file of ['app.db', 'app.db-wal'])
      expect((await readFile(join(portal.folder, file))).includes(NAME)).toBe(false);
  });

  it('is proved by a digest that nobody can reproduce without the salt', async () => {
    await submitMessages();
    const { proof } = await erase({ email: 'Zoe.Quill+x@example.org', request: 'MAIL-12', preview: false });
    if (!proof) throw new Error('There is no proof.');
    const digest = createHash('sha256').update(`${proof.salt}\n${EMAIL}\n`).digest('hex');
    expect(proof.digest).toBe(digest);
    for (const expectedText of [
      digest,
      proof.salt,
      EMAIL,
      proof.auditRecord,
      'MAIL-12',
      'Contact messages: 1',
      LEFTOVER.name,
      // Rounded up to the minute.
      '2026-01-01 00:01 UTC',
    ]) {
      expect(proof.text).toContain(expectedText);
    }
    const record = readAuditRecords().find(({ id }) => id === proof.auditRecord);
    expect(record).toMatchObject({ actor: ownerId, action: 'person.erased', address: '127.0.0.1' });
    expect(recordedErasures).toEqual([['Zoe.Quill+x@example.org', proof.auditRecord]]);
    expect(JSON.parse(record?.details ?? '')).toMatchObject({
      request: 'MAIL-12',
      subject: digest,
      records: 1,
      contactMessages: 1,
    });
    const trail = JSON.stringify(readAuditRecords());
    expect(trail).not.toContain(proof.salt);
    expect(trail).not.toMatch(PERSONAL_DATA);
    expect(portal.logLines.join()).not.toMatch(PERSONAL_DATA);
    const secondErasure = await erase({ email: EMAIL, request: 'MAIL-13', preview: false });
    expect(secondErasure.records).toEqual([]);
    expect(secondErasure.proof?.digest).not.toBe(digest);
  });

  it('of a wallet also deletes its proof of ownership', async () => {
    const { walletAddress } = sampleRequest();
    const session = { token: 'token', walletAddress, provedAt: TEST_START, expiresAt: TEST_START + 9 };
    await portal.store.sessions.openSession(session);
    const { counts } = await erase({ walletAddress, request: 'MAIL-12', preview: false });
    expect(counts).toMatchObject({ walletSessions: 1, provenWallets: 1 });
    expect(await portal.store.sessions.provenWallets()).toEqual(new Set());
  });

  it('is rejected unless it names a person, cites a request without personal data, and says whether it is a preview', async () => {
    const referenceNumber = await submitMessages();
    for (const body of [
      { request: 'MAIL-12', preview: true },
      { email: EMAIL, request: EMAIL, preview: true },
      { email: EMAIL, request: 'Zoe asked', preview: true },
      { email: EMAIL, request: 'MAIL-12' },
      { walletAddress: 'zero', request: 'MAIL-12', preview: false },
    ]) {
      const answer = await requestErasure(body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      expect(answer.body).not.toMatch(PERSONAL_DATA);
    }
    expect(await portal.store.submissions.find('contact-message', referenceNumber)).not.toBeNull();
  });

  it("needs the owner's own password, and erases nothing without it (ASVS 7.5.1)", async () => {
    const referenceNumber = await submitMessages();
    const erasure = { email: EMAIL, request: 'MAIL-12', preview: false };
    const wrong = await requestErasure({ ...erasure, ownPassword: 'a stolen session' });
    expect([wrong.status, JSON.parse(wrong.body)]).toMatchObject([403, { code: 'wrong-password' }]);
    expect((await requestErasure({ ...erasure, ownPassword: undefined })).status).toBe(400);
    expect(await portal.store.submissions.find('contact-message', referenceNumber)).not.toBeNull();
  });

  it('erases nothing when the outbox cannot be read', async () => {
    const referenceNumber = await submitMessages();
    await rm(outboxFolder, { recursive: true });
    await writeFile(outboxFolder, 'no folder');
    const answer = await requestErasure({ email: EMAIL, request: 'MAIL-12', preview: false });
    expect(answer.status).toBe(500);
    expect(await portal.store.submissions.find('contact-message', referenceNumber)).not.toBeNull();
    await rm(outboxFolder);
    await mkdir(outboxFolder);
  });
});
