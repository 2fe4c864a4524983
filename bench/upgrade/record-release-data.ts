import '../../data/runtime/node-version.ts';
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import Database from 'better-sqlite3';
import { simpleParser } from 'mailparser';
import { packTar } from 'modern-tar/fs';
import { askAs } from '../../api/admin/testing/team.ts';
import { CONTACT_BODY, V2_FORM_BODY } from '../../api/applications/testing/sample-forms.ts';
import { sendLoan } from '../../api/loan/testing/send-loan.ts';
import { sendForm } from '../../api/testing/portal-client.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { withTempFolder } from '../temp-folder.ts';
import { OWNER, type RunningPortal, startPrograms } from './programs.ts';
import { bodyOf, RELEASE_DATA, type RecordedData, readVisibleData, signIn } from './visible-data.ts';

const STORE_FILES = ['app.db', 'index.db', 'ledger.db'];
const POLL_INTERVAL_MS = 200;

/**
 * Waits for the email that asks the loan applicant to confirm the mailbox, and returns its token. A portal without a mail server
 * writes the email to a file.
 */
async function waitForConfirmationToken(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'outbox', 'mail');
  for (;;) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.endsWith('.eml')) continue;
      const { text = '' } = await simpleParser(await readFile(join(folder, name)));
      const token = /#token=([\w-]{43})/.exec(text)?.[1];
      if (token !== undefined) return token;
    }
    await setTimeout(POLL_INTERVAL_MS);
  }
}

/** @returns what the portal shows once every email is sent */
async function fillPortal(portal: RunningPortal, dataDir: string): Promise<RecordedData['shown']> {
  const { port } = portal;
  bodyOf(await sendForm(port, PATHS.adminSetup, OWNER));
  const token = await signIn(portal);
  bodyOf(await sendForm(port, PATHS.submitContactMessage, CONTACT_BODY));
  const { referenceNumber } = bodyOf(await sendForm(port, PATHS.submitApplicationV2, V2_FORM_BODY));
  const { body: loan } = await sendLoan(port);
  if (!loan.success) throw new Error(loan.error);
  // Confirms the mailbox, because the documents of an unconfirmed applicant are deleted after two days.
  const confirmation = { token: await waitForConfirmationToken(dataDir) };
  bodyOf(await sendForm(port, PATHS.confirmMailbox, confirmation));
  const record = bodyOf(await askAs(portal, token, `${PATHS.adminRecord}?reference=${referenceNumber}`));
  const decisionRequest = { referenceNumber, changedAt: record.record.changedAt, decision: 'in-review' };
  bodyOf(await askAs(portal, token, PATHS.decideApplication, decisionRequest));
  for (;;) {
    const visibleData = await readVisibleData(portal, token);
    if (visibleData.deliveries.waiting === 0) return visibleData;
    await setTimeout(POLL_INTERVAL_MS);
  }
}

/** The hash of the newest record in the audit trail, as printed by the recorded version's own verification program. */
async function readTrailHead(root: string, dataDir: string): Promise<string> {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
  const program = join(root, 'api/audit-trail/main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd: dataDir, env });
  const [head] = /\b[0-9a-f]{64}\b/.exec(stdout) ?? [];
  if (head === undefined) throw new Error(`The audit trail has no head: ${stdout}`);
  return head;
}

function mergeWriteAheadLog(file: string): void {
  const client = new Database(file);
  client.pragma('journal_mode = DELETE');
  client.exec('vacuum');
  client.close();
}

/** `npm run release:data`: records the data of this version, or of a version in another folder, for the upgrade test. */
await withTempFolder(async (dataDir) => {
  const root = resolve(process.argv[2] ?? '.');
  const portal = await startPrograms((program) => join(root, program), dataDir);
  const visibleData = await fillPortal(portal, dataDir).finally(() => portal.stop());
  for (const name of STORE_FILES) mergeWriteAheadLog(join(dataDir, name));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const recorded: RecordedData = {
    version,
    shown: visibleData,
    trailHead: await readTrailHead(root, dataDir),
  };
  await writeFile(join(dataDir, 'recorded.json'), JSON.stringify(recorded));
  const sources = [...STORE_FILES, 'recorded.json'].map((target) => ({
    type: 'file' as const,
    source: join(dataDir, target),
    target,
  }));
  await pipeline(packTar(sources), createGzip({ level: 9 }), createWriteStream(RELEASE_DATA));
  process.stdout.write(`Recorded the data of version ${version} in ${RELEASE_DATA}\n`);
});
