// @module-tag slow
import { copyFileSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readyz } from '../../data/contract/paths.ts';
import { submitContactMessage } from '../../data/contract/submissions.ts';
import { checkAuditTrail } from '../../data/store/open-stores.ts';
import { mountSmallDisk } from '../../data/store/testing/small-disk.ts';
import { CONTACT_BODY } from '../applications/testing/sample-forms.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { ask, sendForm } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

let portal: TestPortal;
let file: string;
let alerts: string[];

async function start(parent = tmpdir()): Promise<void> {
  alerts = [];
  portal = await startTestPortal({ parent, alertTeam: ({ subject }) => void alerts.push(subject) });
  onTestFinished(() => portal.close());
  file = join(portal.folder, 'app.db');
}

async function submit() {
  const { status, body } = await sendForm(portal.port, submitContactMessage.path, CONTACT_BODY);
  return { status, ...JSON.parse(body) };
}

async function readAppDbStatus(): Promise<{ status: number; why: string | undefined }> {
  const { status, body } = await ask(portal.port, readyz);
  const { missing } = JSON.parse(body) as { missing: { what: string; why: string }[] };
  return { status, why: missing.find(({ what }) => what === 'app.db')?.why };
}

describe('an app.db that is no longer the opened file', () => {
  beforeEach(() => start());

  const makeCopy = async () => {
    const copy = join(portal.folder, 'copy.db');
    await portal.store.backUp(copy);
    return copy;
  };
  const fileChanges: Readonly<Record<string, () => Promise<void> | void>> = {
    removed: () => rmSync(file),
    moved: () => renameSync(file, `${file}.moved`),
    'replaced by another file': async () => renameSync(await makeCopy(), file),
    'overwritten by a copy': async () => copyFileSync(await makeCopy(), file),
    truncated: () => truncateSync(file, 4_096),
    'without its write-ahead log': () => rmSync(`${file}-wal`),
    'with an emptied write-ahead log': () => truncateSync(`${file}-wal`),
  };

  it.each(Object.keys(fileChanges))(
    'makes the portal refuse forms, report itself not ready, and alert the team once: %s',
    async (name) => {
      expect(await submit()).toMatchObject({ status: 200 });
      await fileChanges[name]?.();
      expect(await submit()).toMatchObject({ status: 503, success: false, code: 'store-lost' });
      await portal.pollAt(TEST_START + 1);
      await portal.pollAt(TEST_START + 2);
      expect(await readAppDbStatus()).toMatchObject({ status: 503, why: expect.any(String) });
      expect(await submit()).toMatchObject({ status: 503, code: 'store-lost' });
      await expect.poll(() => alerts).toHaveLength(1);
      expect([...alerts, ...portal.logLines].join()).not.toContain(CONTACT_BODY.email);
    },
  );

  it.each(['removed', 'replaced by another file', 'without its write-ahead log'])(
    'makes the portal save the opened file next to it, with everything that was acknowledged: %s',
    async (name) => {
      await submit();
      await submit();
      await fileChanges[name]?.();
      await portal.pollAt(TEST_START + 1);
      await expect.poll(() => alerts).toHaveLength(1);
      const savedName = readdirSync(portal.folder).find((entry) => entry.startsWith('app.db.lost-')) ?? '';
      expect(await checkAuditTrail(join(portal.folder, savedName))).toMatchObject({
        records: 2,
        broken: null,
      });
    },
  );

  it('is not damaged by the write-ahead log of the opened file', async () => {
    await submit();
    const other = await makeCopy();
    await submit();
    renameSync(other, file);
    await portal.pollAt(TEST_START + 1);
    await expect.poll(() => alerts).toHaveLength(1);
    await portal.store.close();
    expect(readdirSync(portal.folder)).not.toContain('app.db-wal');
    expect(await checkAuditTrail(file)).toMatchObject({ records: 1, broken: null });
  });

  it('is noticed even if nothing is written', async () => {
    rmSync(file);
    await portal.pollAt(TEST_START + 1);
    expect((await readAppDbStatus()).why).toEqual(expect.any(String));
    await expect.poll(() => alerts).toHaveLength(1);
  });
});

const disk = await mountSmallDisk(4_194_304);
afterAll(() => disk?.close());

describe.skipIf(disk === null)('a full disk', () => {
  it('makes the portal refuse forms until there is space, report itself not ready, and alert the team once', async () => {
    await start(disk?.folder);
    const filler = join(portal.folder, 'filler');
    const fill = () => expect(() => writeFileSync(filler, Buffer.alloc(4_194_304))).toThrow('ENOSPC');
    // This form makes the write-ahead log so long that later commits need more disk space.
    expect(await submit()).toMatchObject({ status: 200 });
    fill();
    let answer = await submit();
    // The file system may have allocated blocks for the write-ahead log in advance, so the portal may still accept forms.
    for (let sent = 0; answer.status === 200 && sent < 50; sent += 1) answer = await submit();
    expect(answer).toMatchObject({ status: 503, success: false, code: 'store-full' });
    await portal.pollAt(TEST_START + 1_000);
    expect(await readAppDbStatus()).toMatchObject({ status: 503, why: expect.any(String) });
    await portal.pollAt(TEST_START + 10_000);
    expect((await readAppDbStatus()).why).toEqual(expect.any(String));
    rmSync(filler);
    await portal.pollAt(TEST_START + 20_000);
    expect((await readAppDbStatus()).why).toBeUndefined();
    expect(await submit()).toMatchObject({ status: 200 });
    fill();
    while ((await submit()).status === 200);
    await portal.pollAt(TEST_START + 30_000);
    expect((await readAppDbStatus()).why).toEqual(expect.any(String));
    expect(alerts).toHaveLength(1);
  });
});
