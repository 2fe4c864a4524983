// @module-tag slow
import { execFile, fork, spawn } from 'node:child_process';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RemoteCopyConfig } from '../../../data/config/remote-copy-variables.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { EXIT } from '../../../data/runtime/exit-codes.ts';
import { API_PROGRAM, CHILD_ENV, programFile } from '../../../data/runtime/testing/child-programs.ts';
import { checkAuditTrail, openAppStore } from '../../../data/store/open-stores.ts';
import type { AppStore } from '../../../data/store/ports.ts';
import { openNewApp } from '../../../data/store/testing/new-stores.ts';
import { documentsOf, sampleDocuments, submitLoan } from '../../../data/store/testing/sample-loans.ts';
import { submitMessage } from '../../../data/store/testing/sample-submissions.ts';
import { temporaryFolder } from '../../../data/store/testing/temporary-folder.ts';
import { sampleAuditRecord, signedInAdmin } from '../../admin/testing/team.ts';
import { openDocument, sealDocument } from '../../documents/sealed-document.ts';
import { recordErasure } from '../../retention/erasure-list.ts';
import { ask } from '../../testing/portal-client.ts';
import { TEST_MASTER_KEY } from '../../testing/test-portal.ts';
import { takeBackup } from '../backups.ts';
import { withTag } from '../copy-tag.ts';
import { restoreSealedCopy } from '../restore-copy.ts';
import { startBucket, type TestBucket } from '../testing/bucket.ts';
import { RemoteCopies } from './remote-copies.ts';
import type { SealedCopy } from './remote-restore.ts';
import { createS3Store } from './s3-store.ts';

const NOW = Date.now();
const DOCUMENT_KEY = TEST_MASTER_KEY.bytes.toString('base64');
const ZOES_EMAIL = 'zoe.quill@example.org';

let bucket: TestBucket;
let folder: string;
let store: AppStore;
let identityFile: string;
let recipient: string;
beforeEach(async () => {
  bucket = await startBucket();
  const identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
  // The format of the files that age-keygen writes.
  identityFile = join(temporaryFolder(), 'key.txt');
  writeFileSync(identityFile, `# created: today\n# public key: ${recipient}\n${identity}\n`);
  folder = temporaryFolder();
  store = await openNewApp(join(folder, 'app.db'));
});

const childEnv = (dataDir: string) => ({
  ...CHILD_ENV,
  ...bucket.env,
  DATA_DIR: dataDir,
  DOCUMENT_KEY,
  BACKUP_RECIPIENT: recipient,
});
const run = (dataDir: string, command: 'backup' | 'restore', ...args: string[]) =>
  promisify(execFile)(process.execPath, [programFile(`api/backup/${command}.ts`), ...args], {
    env: childEnv(dataDir),
  });
async function takeLocalBackup(): Promise<void> {
  const write = withTag((target) => store.backUp(target), TEST_MASTER_KEY);
  await takeBackup({ folder: join(folder, 'backups'), keep: 9, now: NOW, backUp: write });
}
async function sendCopies(target: RemoteCopyConfig['target'] = bucket.config): Promise<void> {
  const config = { recipients: [recipient], target };
  const log = pino({ enabled: false });
  const backupsFolder = join(folder, 'backups');
  await new RemoteCopies({ config, folder, backupsFolder, now: Date.now, log }).send();
}
/** Backs up as `npm run backup` does, but in this process, which is much faster. */
async function backUp(): Promise<void> {
  await takeLocalBackup();
  await sendCopies();
}
/** Restores from the bucket as `npm run restore` does, but in this process. */
const restoreSealed = (requestedCopy: string, options: Pick<SealedCopy, 'identityFile'> = { identityFile }) =>
  restoreSealedCopy(
    { requestedCopy, bucket: createS3Store(bucket.config), excludedLists: [], ...options },
    { folder, masterKey: TEST_MASTER_KEY },
  );
const remoteCopies = () => bucket.storedFiles().filter((name) => /app-\w+\.tar\.age.*object$/.test(name));

async function submitDocuments(content: Buffer): Promise<string> {
  const documents = sampleDocuments().map((document) => ({
    ...document,
    ...sealDocument(TEST_MASTER_KEY, document.id, content),
  }));
  return submitLoan(store, {}, documents);
}
const digest = (content: Buffer) => hash('sha256', content);
/** The digests of the documents, because Vitest takes seconds to compare megabytes. */
async function documentDigests(restored: AppStore, reference: string): Promise<readonly string[]> {
  const digests: string[] = [];
  for (const { id } of await documentsOf(restored, reference)) {
    const sealed = await restored.submissions.readDocument(id);
    if (sealed) digests.push(digest(openDocument(TEST_MASTER_KEY, id, sealed)));
  }
  return digests;
}
async function erase(email: string): Promise<void> {
  const id = randomUUID();
  const subject = { email, walletAddress: null };
  await recordErasure({ folder, masterKey: TEST_MASTER_KEY }, subject, { auditRecord: id, at: NOW });
  await store.erasures.erase(subject, NOW, () => ({ ...sampleAuditRecord('person.erased', NOW), id }));
}

it('a portal can be restored from a copy that a command stored, and recorded erasures are repeated', async () => {
  const zoes = await submitMessage(store, { email: ZOES_EMAIL });
  await takeLocalBackup();
  await erase(ZOES_EMAIL);
  const copyFolder = temporaryFolder();
  await sendCopies({ kind: 'command', program: 'cp', args: ['-t', copyFolder], timeoutMs: 60_000 });
  await store.close();
  const names = readdirSync(copyFolder);
  expect(names.toSorted().map((name) => name.replace(/-\w+/, ''))).toEqual([
    'app.tar.age',
    'erasures.jsonl.age',
  ]);
  const copy = join(copyFolder, names.find((name) => name.startsWith('app-')) ?? '');
  folder = temporaryFolder();
  await run(folder, 'restore', copy, '--identity', identityFile);
  store = await openAppStore(join(folder, 'app.db'));
  expect(await store.submissions.find('contact-message', zoes)).toBeNull();
  expect(readFileSync(join(folder, 'erasures.jsonl'), 'utf8')).not.toBe('');
});

describe('a copy in a bucket', () => {
  it('restores a lost portal on a new machine: audit trail, accounts, records and documents', async () => {
    await signedInAdmin(store, { username: 'Ada', at: NOW });
    const content = randomBytes(300_000);
    const loan = await submitDocuments(content);
    await store.recordAudit(sampleAuditRecord('x.done', NOW));
    await run(folder, 'backup');
    const trail = await checkAuditTrail(join(folder, 'app.db'));
    await store.close();
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });

    folder = temporaryFolder();
    const { stdout: list } = await run(folder, 'restore', '--from', 's3');
    expect(list).toMatch(/^ {2}app-\w+\.tar\.age {2}[1-9]\d+ bytes$/m);
    await run(folder, 'restore', '--from', 's3', 'latest', '--identity', identityFile);
    const restoredTrail = await checkAuditTrail(join(folder, 'app.db'));
    expect(restoredTrail).toMatchObject({ broken: null, records: trail.records + 1 });
    const restored = await openAppStore(join(folder, 'app.db'));
    const record = (await restored.auditTrail(99)).find(({ action }) => action === 'store.restored');
    expect(record?.details).toMatchObject({ copyHead: trail.head, isForced: false });
    expect(await documentDigests(restored, loan)).toEqual([digest(content), digest(content)]);
    expect(await restored.admins.byName('Ada')).not.toBeNull();
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
    await restored.close();
    store = await openAppStore(join(folder, 'app.db'));
  });

  it('does not bring back a person erased after it was made, even on a new machine', async () => {
    const kept = await submitMessage(store, { email: 'ada@example.org' });
    const zoes = await submitMessage(store, { email: ZOES_EMAIL });
    await backUp();
    await erase(ZOES_EMAIL);
    // Also sends the list of erasures, which a running portal would have sent at once.
    await backUp();
    const [older] = remoteCopies().toSorted();
    await store.close();

    folder = temporaryFolder();
    const name = /app-\w+\.tar\.age/.exec(older ?? '')?.[0] ?? '';
    await restoreSealed(name);
    store = await openAppStore(join(folder, 'app.db'));
    expect(await store.submissions.find('contact-message', kept)).not.toBeNull();
    expect(await store.submissions.find('contact-message', zoes)).toBeNull();
    expect(readFileSync(join(folder, 'erasures.jsonl'), 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('can be restored after a key change: with both keys, or with the new key but without the older lists', async () => {
    const zoes = await submitMessage(store, { email: ZOES_EMAIL });
    await takeLocalBackup();
    await erase(ZOES_EMAIL);
    await sendCopies();
    const oldKey = readFileSync(identityFile, 'utf8');
    const identity = await generateX25519Identity();
    recipient = await identityToRecipient(identity);
    writeFileSync(identityFile, `${identity}\n`);
    // The copy was made before the erasure, so without this file, only the list sent with the old key has the erasure.
    rmSync(join(folder, 'erasures.jsonl'));
    await sendCopies();
    await store.close();

    folder = temporaryFolder();
    const refusal: unknown = await restoreSealed('latest').catch((error: unknown) => error);
    expect(refusal).toMatchObject({ exitCode: EXIT.failure });
    const [, list = ''] = /--without-list (\S+age)/.exec(String(refusal)) ?? [];
    const restoreOptions = ['--identity', identityFile, '--without-list', list];
    const { stdout } = await run(folder, 'restore', '--from', 's3', 'latest', ...restoreOptions);
    expect(stdout).toContain(list);
    store = await openAppStore(join(folder, 'app.db'));
    expect(await store.submissions.find('contact-message', zoes)).not.toBeNull();
    await store.close();
    folder = temporaryFolder();
    writeFileSync(identityFile, `${identity}\n${oldKey}`);
    await restoreSealed('latest');
    store = await openAppStore(join(folder, 'app.db'));
    expect(await store.submissions.find('contact-message', zoes)).toBeNull();
  });

  it('cannot be restored without the private key, and the attempt changes nothing', async () => {
    await backUp();
    const { head } = await checkAuditTrail(join(folder, 'app.db'));
    await store.close();
    writeFileSync(identityFile, await generateX25519Identity());
    for (const [options, exitCode] of [
      [{ identityFile: undefined }, EXIT.usage],
      [{ identityFile: '/missing' }, EXIT.configuration],
      [{ identityFile }, EXIT.failure],
    ] as const)
      await expect(restoreSealed('latest', options)).rejects.toMatchObject({ exitCode });
    expect((await checkAuditTrail(join(folder, 'app.db'))).head).toBe(head);
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
    store = await openAppStore(join(folder, 'app.db'));
  });

  it('is not listed if the program is killed during the upload, and is complete after the next run', async () => {
    // Two documents of this size are larger than one upload part of 8 MiB.
    const content = randomBytes(4_500_000);
    const loan = await submitDocuments(content);
    const child = spawn(process.execPath, [programFile('api/backup/backup.ts')], {
      env: childEnv(folder),
      stdio: 'ignore',
    });
    const exited = once(child, 'exit');
    bucket.alterRequest = ({ url = '' }, body) => {
      if (!url.includes('partNumber=2')) return body;
      child.kill('SIGKILL');
      return null;
    };
    await exited;
    expect(await createS3Store(bucket.config).list()).toEqual([]);

    bucket.alterRequest = (_, body) => body;
    await backUp();
    expect(remoteCopies()).toHaveLength(1);
    await store.close();
    folder = temporaryFolder();
    await restoreSealed('latest');
    store = await openAppStore(join(folder, 'app.db'));
    expect(await documentDigests(store, loan)).toEqual([digest(content), digest(content)]);
  });

  it('is sent by the running portal, whose metrics include its age', async () => {
    const child = fork(API_PROGRAM, ['--api-only'], {
      env: { ...childEnv(temporaryFolder()), PORT: '0', LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const exited = once(child, 'exit');
    const [{ details }] = await once(child, 'message');
    const port = Number(details.port);
    const metrics = async () => (await ask(port, PATHS.prometheus)).body;
    await expect.poll(metrics).toMatch(/^portal_backup_remote_age_seconds \d/m);
    expect(await metrics()).toMatch(/^portal_backup_remote_failures_total 0$/m);
    expect(remoteCopies()).toHaveLength(1);
    child.kill('SIGTERM');
    await exited;
  });

  it('that cannot be sent leaves the backup on this machine, and the exit code says to try again', async () => {
    bucket.alterRequest = () => null;
    await expect(run(folder, 'backup')).rejects.toMatchObject({ code: EXIT.tryAgain });
    expect(readdirSync(join(folder, 'backups')).filter((name) => name.endsWith('.db'))).toHaveLength(1);
    expect(readdirSync(join(folder, 'backups')).filter((name) => name.includes('outgoing'))).toEqual([]);
  });
});
