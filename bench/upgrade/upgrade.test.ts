// @module-tag slow
import { createReadStream, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { unpackTar } from 'modern-tar/fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTACT_BODY } from '../../api/applications/testing/sample-forms.ts';
import { sendForm } from '../../api/testing/portal-client.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { programFile } from '../../data/runtime/testing/child-programs.ts';
import { checkAuditTrail } from '../../data/store/open-stores.ts';
import { type RunningPortal, startPrograms } from './programs.ts';
import { RELEASE_DATA, type RecordedData, readVisibleData, signIn } from './visible-data.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Milliseconds, for three programs that start on a busy machine. */
const TIMEOUT_MS = 240_000;

let folder: string;
let recorded: RecordedData;
let portal: RunningPortal | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
  await pipeline(createReadStream(RELEASE_DATA), createGunzip(), unpackTar(folder));
  recorded = JSON.parse(readFileSync(join(folder, 'recorded.json'), 'utf8'));
  portal = await startPrograms(programFile, folder);
}, TIMEOUT_MS);

afterAll(async () => {
  await portal?.stop();
  await rm(folder, { recursive: true });
}, TIMEOUT_MS);

function runningPortal(): RunningPortal {
  if (!portal) throw new Error('The portal did not start.');
  return portal;
}

describe('the data of the last release', () => {
  it('is that of the newest release in the changelog', () => {
    const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
    // If the changelog has no release yet, the recorded data is from an earlier state of the current version.
    const [newest] = /(?<=^## )\d+\.\d+\.\d+/m.exec(read('CHANGELOG.md')) ?? [];
    expect(recorded.version).toBe(newest ?? JSON.parse(read('package.json')).version);
  });

  it('is complete with the current programs: sign-in, figures, records, documents and deliveries', async () => {
    const visibleData = await readVisibleData(runningPortal(), await signIn(runningPortal()));
    // In the recorded version, messages to support had no state. After the upgrade they are open.
    const records = recorded.shown.records.map((record) =>
      record[0] === 'contacts' ? [...record.slice(0, 3), 'open'] : record,
    );
    expect(visibleData).toEqual({ ...recorded.shown, records });
    expect(visibleData.records).toHaveLength(3);
    expect(visibleData.documents.map(([, , status]) => status?.slice(0, 4))).toEqual(['200 ', '200 ']);
    expect(visibleData.figures.movements.length).toBeGreaterThan(0);
  });

  it('keeps its audit trail, which the current programs continue', async () => {
    const { status } = await sendForm(runningPortal().port, PATHS.submitContactMessage, CONTACT_BODY);
    expect(status).toBe(200);
    const trail = await checkAuditTrail(join(folder, 'app.db'), recorded.trailHead);
    expect(trail).toMatchObject({ broken: null, isExpectedHeadFound: true });
    expect(trail.head).not.toBe(recorded.trailHead);
  });
});
