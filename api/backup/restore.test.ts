// @module-tag slow
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../../data/runtime/exit-codes.ts';
import { programFile } from '../../data/runtime/testing/child-programs.ts';
import { checkAuditTrail, openAppStore } from '../../data/store/open-stores.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { openNewApp } from '../../data/store/testing/new-stores.ts';
import { addReviewers, submitLoan } from '../../data/store/testing/sample-loans.ts';
import { sampleAnswer } from '../../data/store/testing/sample-messages.ts';
import { SUBMITTED_AT, sampleRequest, submitMessage } from '../../data/store/testing/sample-submissions.ts';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { PasswordHasher } from '../admin/passwords.ts';
import { cheapHash, passwordHash, sampleAuditRecord, signedInAdmin } from '../admin/testing/team.ts';
import { recordErasure } from '../retention/erasure-list.ts';
import { TEST_MASTER_KEY } from '../testing/test-portal.ts';
import { backupsIn, keptFilePath, takeBackup } from './backups.ts';
import { withTag } from './copy-tag.ts';
import { restoreBackup } from './restore-copy.ts';
import { restoreReport } from './restore-report.ts';

const NOW = Date.now();
const { walletAddress } = sampleRequest();
const ZOES_EMAIL = 'zoe.quill@example.org';

let folder: string;
let file: string;
let store: AppStore;
let ada: { readonly id: string; readonly token: string };
beforeEach(async () => {
  folder = temporaryFolder();
  file = join(folder, 'app.db');
  store = await openNewApp(file);
  ada = await signedInAdmin(store, { username: 'Ada', at: NOW });
  // Each restore hashes a random password, in case it must lock an account. A cheap hash takes a hundredth of the time.
  vi.spyOn(PasswordHasher.prototype, 'hash').mockImplementation((password) => cheapHash(password));
});
afterEach(() => vi.restoreAllMocks());

const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, [programFile('api/backup/restore.ts'), ...args], {
    env: { ...process.env, DATA_DIR: folder, DOCUMENT_KEY: TEST_MASTER_KEY.bytes.toString('base64') },
  });
const listBackups = () => backupsIn(join(folder, 'backups'));
async function backUp(): Promise<string> {
  const write = withTag((target) => store.backUp(target), TEST_MASTER_KEY);
  const { path } = await takeBackup({ folder: join(folder, 'backups'), keep: 2, now: NOW, backUp: write });
  return path;
}
/** Restores a copy in this process, which is much faster than running the program. @returns the report */
async function restoreStore(path = listBackups()[0]?.path ?? '', force?: string): Promise<string> {
  await store.close();
  try {
    const options = { folder, masterKey: TEST_MASTER_KEY, force };
    return restoreReport(await restoreBackup(path, options));
  } finally {
    store = await openAppStore(file);
  }
}
const restoreAuditDetails = async () =>
  (await store.auditTrail(99)).find(({ action }) => action === 'store.restored')?.details;
const readAda = () => store.admins.byName('Ada');
const addPasskey = (id: string) =>
  store.admins.addPasskey(
    { id, adminId: ada.id, name: id, publicKey: '{}', counter: 0, createdAt: NOW },
    9,
    '',
    sampleAuditRecord('admin.passkey-added', NOW),
  );
async function invite(id: string): Promise<void> {
  const invitation = {
    ...({ id, kind: 'invitation', email: `${id}@example.org`, username: null, role: 'owner' } as const),
    ...{ createdBy: ada.id, createdAt: NOW, expiresAt: NOW + 99_999_999 },
  };
  await store.admins.offerLink(invitation, id, false, sampleAuditRecord('admin.invited', NOW));
}
async function loseFile(): Promise<void> {
  await store.close();
  rmSync(file);
}
async function changePassword(): Promise<void> {
  const change = { passwordHash: 'a newer hash', keep: null, removeSecondFactors: false };
  await store.admins.setPassword(ada.id, change, sampleAuditRecord('admin.password-changed', NOW));
}
async function erase(email: string): Promise<void> {
  const id = randomUUID();
  const subject = { email, walletAddress: null };
  await recordErasure({ folder, masterKey: TEST_MASTER_KEY }, subject, { auditRecord: id, at: NOW });
  await store.erasures.erase(subject, NOW, () => ({ ...sampleAuditRecord('person.erased', NOW), id }));
}

describe('a restore', () => {
  it('is refused while the portal runs, and lists the backups if none is named', async () => {
    await backUp();
    await expect(run('latest')).rejects.toMatchObject({ code: EXIT.tryAgain });
    expect((await run()).stdout).toContain(listBackups()[0]?.name);
  });

  it('records the audit trail heads of the backup and of the replaced file, and keeps that file', async () => {
    const copy = await backUp();
    const { head: copyHead } = await checkAuditTrail(copy);
    await store.recordAudit(sampleAuditRecord('x.done', NOW));
    const { head: replacedHead } = await checkAuditTrail(file);
    await store.close();
    const { stdout: output } = await run('latest');
    store = await openAppStore(file);
    expect(await restoreAuditDetails()).toMatchObject({
      copy: basename(copy),
      copyHead,
      replacedHead,
      isForced: false,
    });
    for (const part of [copyHead, replacedHead, basename(copy)]) expect(output).toContain(part);
    expect(await checkAuditTrail(file)).toMatchObject({ broken: null, records: 3 });
    const kept = readdirSync(folder).find((name) => name.startsWith('app.db.before-')) ?? '';
    expect((await checkAuditTrail(join(folder, kept))).head).toBe(replacedHead);
  });

  it('ends every session and every pending sign-in challenge', async () => {
    const session = { token: 'token', walletAddress, provedAt: NOW, expiresAt: NOW + 99_999_999 };
    await store.sessions.openSession(session);
    const challenge = {
      nonce: 'nonce',
      message: 'm',
      walletAddress,
      issuedAt: NOW,
      expiresAt: NOW + 99_999_999,
    };
    await store.sessions.issueChallenge(challenge);
    await store.admins.addChallenge('passkey', { purpose: 'sign-in', adminId: null }, NOW, NOW + 99_999_999);
    await backUp();
    expect(await store.admins.sessions(null, NOW, 0)).toHaveLength(1);
    await restoreStore();
    expect(await store.admins.sessions(null, NOW, 0)).toEqual([]);
    expect(await store.sessions.sessionByToken('token', NOW)).toBeNull();
    expect(await store.sessions.consumeChallenge(challenge, NOW)).toBe('used');
    expect(await store.admins.consumeChallenge('passkey', NOW)).toBeNull();
    expect(await restoreAuditDetails()).toMatchObject({ sessionsEnded: 2 });
  });

  it('keeps the password of an account that did not change', async () => {
    await backUp();
    await restoreStore();
    expect((await readAda())?.passwordHash).toBe(await passwordHash());
    expect(await restoreAuditDetails()).toMatchObject({ accountsLocked: 0 });
  });

  it.each(['changed since the backup', 'may have changed, because the replaced file is lost'])(
    'locks an account that %s, until the operator sets a new password',
    async (reason) => {
      await backUp();
      await changePassword();
      if (reason !== 'changed since the backup') await loseFile();
      const output = await restoreStore();
      const hash = (await readAda())?.passwordHash;
      expect([await passwordHash(), 'a newer hash']).not.toContain(hash);
      expect(hash).toMatch(/^\$argon2id\$/);
      expect(output).toContain('npm run admin -- reset-password --username Ada');
      expect(await restoreAuditDetails()).toMatchObject({ accountsLocked: 1 });
    },
  );

  it.each([
    ['that were removed since the backup', [], ['kept']],
    ['that may have been removed, because the replaced file is lost', ['lost'], []],
  ])('removes the passkeys %s, and locks their account', async (_case, lostFiles, keptPasskeys) => {
    for (const id of ['kept', 'removed']) await addPasskey(id);
    await backUp();
    await store.admins.removePasskey(ada.id, 'removed', '', sampleAuditRecord('admin.passkey-removed', NOW));
    if (lostFiles.length > 0) await loseFile();
    const output = await restoreStore();
    expect((await store.admins.passkeysOf(ada.id)).map(({ id }) => id)).toEqual(keptPasskeys);
    const passkeysRemoved = 2 - keptPasskeys.length;
    expect(output).toMatch(new RegExp(`Passkeys removed, .*: ${passkeysRemoved}\n`));
    expect(await restoreAuditDetails()).toMatchObject({ passkeysRemoved, accountsLocked: 1 });
  });

  it.each([
    ['that were withdrawn since the backup', [], ['kept']],
    ['that may have been used, because the replaced file is lost', ['lost'], []],
  ])('ends the one-time links %s', async (_case, lostFiles, keptLinks) => {
    for (const id of ['kept', 'withdrawn']) await invite(id);
    await backUp();
    await store.admins.withdrawLink('withdrawn', sampleAuditRecord('admin.link-withdrawn', NOW));
    if (lostFiles.length > 0) await loseFile();
    const output = await restoreStore();
    expect((await store.admins.links()).map(({ id }) => id)).toEqual(keptLinks);
    const linksEnded = 2 - keptLinks.length;
    expect(output).toMatch(new RegExp(`Team invitations .*: ${linksEnded}\n`));
    expect(await restoreAuditDetails()).toMatchObject({ linksEnded });
  });

  it('from the running portal’s own copy of a lost file keeps all passwords, passkeys and links', async () => {
    await changePassword();
    await addPasskey('kept');
    await invite('kept');
    rmSync(file);
    const lost = keptFilePath(file, 'lost', NOW);
    await withTag((target) => store.copyLostStore(target), TEST_MASTER_KEY)(lost);
    await restoreStore(lost);
    expect(await readAda()).toMatchObject({ passwordHash: 'a newer hash', passkeys: 1 });
    expect(await store.admins.linkOf('kept', NOW)).not.toBeNull();
  });

  it('over a file of a newer version locks the account, and reports that the changes in that file are unknown', async () => {
    await backUp();
    await store.close();
    const newer = new Database(file);
    newer.pragma('user_version = 99');
    newer.close();
    const output = await restoreStore();
    expect(output).toMatch(/^WARNING: the replaced file /m);
    expect(await restoreAuditDetails()).toMatchObject({
      accountsLocked: 1,
      erasuresLost: null,
      replacedHead: null,
    });
  });

  it('restores no rights that an owner withdrew: accounts stay deactivated, roles stay lowered', async () => {
    const { id: eve } = await signedInAdmin(store, { username: 'Eve', role: 'reviewer', at: NOW });
    await backUp();
    await store.admins.changeRole(eve, 'viewer', sampleAuditRecord('admin.role-changed', NOW));
    await store.admins.disable(eve, sampleAuditRecord('admin.disabled', NOW));
    await restoreStore();
    expect(await store.admins.byName('Eve')).toMatchObject({ role: 'viewer', disabledAt: NOW });
  });

  it('repeats only the erasures recorded since the backup', async () => {
    const before = await submitMessage(store, { email: 'early@example.org' });
    await erase('early@example.org');
    const returned = await submitMessage(store, { email: 'early@example.org' });
    const zoes = await submitMessage(store, { email: ZOES_EMAIL });
    await backUp();
    await erase('Zoe.Quill+x@example.org');
    const output = await restoreStore();
    const findMessage = (reference: string) => store.submissions.find('contact-message', reference);
    expect([await findMessage(before), await findMessage(zoes)]).toEqual([null, null]);
    expect(await findMessage(returned)).not.toBeNull();
    expect(await restoreAuditDetails()).toMatchObject({ erasuresRepeated: 1 });
    expect(`${output}${JSON.stringify(await store.auditTrail(99))}`).not.toMatch(/zoe/i);
  });

  it.each([
    ['an erasure that an earlier restore repeated', true],
    ['an erasure that an earlier restore had no data for', false],
  ])('does not repeat %s, because the person may have returned', async (_case, isStored) => {
    if (isStored) await submitMessage(store, { email: ZOES_EMAIL });
    const first = await backUp();
    await erase(ZOES_EMAIL);
    await restoreStore();
    const returned = await submitMessage(store, { email: ZOES_EMAIL });
    await backUp();
    await restoreStore();
    expect(await store.submissions.find('contact-message', returned)).not.toBeNull();
    expect(await restoreAuditDetails()).toMatchObject({ erasuresRepeated: 0 });
    await restoreStore(first);
    expect(await restoreAuditDetails()).toMatchObject({
      erasuresRepeated: Number(isStored),
      erasuresLost: 0,
    });
  });

  it('does not repeat an erasure that failed at first and then succeeded', async () => {
    const subject = { email: ZOES_EMAIL, walletAddress: null };
    const failed = { auditRecord: randomUUID(), at: NOW };
    await recordErasure({ folder, masterKey: TEST_MASTER_KEY }, subject, failed);
    await erase(ZOES_EMAIL);
    const returned = await submitMessage(store, { email: ZOES_EMAIL });
    await backUp();
    await restoreStore();
    expect(await store.submissions.find('contact-message', returned)).not.toBeNull();
    expect(await restoreAuditDetails()).toMatchObject({ erasuresRepeated: 0 });
  });

  it.each([
    ['that were confirmed or decided since', [], ['confirmed', 'decided']],
    [
      'that may have been confirmed, because the replaced file is lost',
      ['lost'],
      ['confirmed', 'decided', 'neither'],
    ],
  ])(
    'keeps documents past their deletion time only for loan applications %s',
    async (_case, lostFiles, keptNames) => {
      const confirmBy = NOW + 1_000;
      const references = new Map<string, string>();
      for (const name of ['confirmed', 'decided', 'neither']) {
        references.set(name, await submitLoan(store, { confirmBy, confirmationDigest: name }));
      }
      await backUp();
      await store.submissions.confirmMailbox('confirmed', NOW);
      await addReviewers(store, 'one', 'two');
      let changedAt = SUBMITTED_AT;
      for (const adminId of ['one', 'two']) {
        const referenceNumber = references.get('decided') ?? '';
        const voted = { referenceNumber, changedAt, vote: 'approve', reason: null } as const;
        const outcome = await store.records.vote(voted, { adminId, address: '::1', at: NOW });
        if ('changedAt' in outcome) ({ changedAt } = outcome);
      }
      if (lostFiles.length > 0) await loseFile();
      await restoreStore();
      expect(await restoreAuditDetails()).toMatchObject({ confirmationsKept: keptNames.length });
      const due = new Set(await store.retention.unconfirmedApplicationsDue(confirmBy));
      expect([...references].filter(([, one]) => !due.has(one)).map(([name]) => name)).toEqual(keptNames);
      // If the replaced file is lost, so is the confirmation in it. The link then confirms the mailbox as if for the first time.
      const kind = keptNames.length === 2 ? 'again' : 'confirmed';
      expect((await store.submissions.confirmMailbox('confirmed', NOW)).kind).toBe(kind);
    },
  );

  it('repeats an erasure of a wallet', async () => {
    await store.sessions.openSession({
      token: 't',
      walletAddress,
      provedAt: NOW,
      expiresAt: NOW + 99_999_999,
    });
    await backUp();
    const auditRecord = randomUUID();
    const subject = { email: null, walletAddress };
    await recordErasure({ folder, masterKey: TEST_MASTER_KEY }, subject, { auditRecord, at: NOW });
    await restoreStore();
    expect(await store.sessions.provenWallets()).toEqual(new Set());
  });

  it.each([
    ['a mailbox', { email: ZOES_EMAIL, walletAddress: null }],
    ['a wallet', { email: null, walletAddress }],
  ])('repeats an erasure of %s that has only reminders', async (_case, subject) => {
    await store.subscriptions.request(
      {
        id: 'reminder',
        subject: walletAddress,
        channel: 'mail',
        target: 'Zoe.Quill+x@example.org',
        requestedAt: NOW,
        fromSlot: null,
      },
      { perChannel: 1, perAddress: 1, since: 0 },
    );
    await backUp();
    await recordErasure({ folder, masterKey: TEST_MASTER_KEY }, subject, {
      auditRecord: randomUUID(),
      at: NOW,
    });
    await restoreStore();
    expect(await store.subscriptions.find('reminder')).toBeNull();
    expect(await restoreAuditDetails()).toMatchObject({ erasuresRepeated: 1 });
  });

  it('repeats an erasure of a mailbox that only wrote about another person’s record', async () => {
    const referenceNumber = await submitMessage(store);
    await store.conversations.receive(sampleAnswer(referenceNumber, { sender: 'Zoe.Quill+x@example.org' }));
    await backUp();
    await erase(ZOES_EMAIL);
    await restoreStore();
    expect(await store.conversations.messagesOf(referenceNumber)).toEqual([]);
  });

  it('repeats an erasure of a mailbox that only has an invitation to the team', async () => {
    const invitation = { id: 'link', kind: 'invitation', username: null, role: 'viewer' } as const;
    const times = { createdAt: NOW, expiresAt: NOW + 99_999_999 };
    const link = { ...invitation, ...times, email: 'Zoe.Quill+x@example.org', createdBy: ada.id };
    await store.admins.offerLink(link, 'token', true, sampleAuditRecord('admin.invited', NOW));
    await store.admins.withdrawLink('link', sampleAuditRecord('admin-link.withdrawn', NOW));
    await backUp();
    await erase(ZOES_EMAIL);
    await restoreStore();
    expect(await store.deliveries.deliveriesOf('link')).toMatchObject([
      { recipient: null, state: 'settled' },
    ]);
  });

  it.each([
    [
      'with an altered row',
      (client: Database.Database) => client.exec("update admins set username = 'Mallory'"),
    ],
    [
      'with an altered trail',
      (client: Database.Database) => {
        for (const { name } of client
          .prepare<[], { name: string }>("select name from sqlite_schema where type = 'trigger'")
          .all())
          client.exec(`drop trigger "${name}"`);
        client.exec("update audit_records set actor = 'nobody'");
      },
    ],
  ])('of a copy %s is refused unless it is forced with the copy’s name', async (_case, tamper) => {
    const copy = await backUp();
    const client = new Database(copy);
    tamper(client);
    client.close();
    await store.recordAudit(sampleAuditRecord('x.done', NOW));
    const before = await checkAuditTrail(file);
    for (const force of [undefined, 'latest', 'app-20200101T000000Z.db'])
      await expect(restoreStore(copy, force)).rejects.toMatchObject({ exitCode: EXIT.failure });
    expect(await checkAuditTrail(file)).toEqual(before);
    expect(readdirSync(folder).filter((name) => /partial|before/.test(name))).toEqual([]);
    await restoreStore(copy, basename(copy));
    expect(await restoreAuditDetails()).toMatchObject({ isForced: true });
  });

  it('of an older copy under the name of a newer one is refused unless it is forced', async () => {
    const older = await backUp();
    const renamed = join(folder, 'backups', 'app-29990101T000000Z.db');
    for (const suffix of ['', '.tag']) renameSync(`${older}${suffix}`, `${renamed}${suffix}`);
    await expect(restoreStore()).rejects.toMatchObject({ exitCode: EXIT.failure });
    await store.close();
    await run(renamed, '--force', basename(renamed));
    store = await openAppStore(file);
    expect(await restoreAuditDetails()).toMatchObject({ isForced: true });
  });
});
