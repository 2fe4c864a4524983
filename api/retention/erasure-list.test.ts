import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { TEST_MASTER_KEY } from '../testing/test-portal.ts';
import { ERASURE_LIST, mergeErasures, readErasures, recordErasure } from './erasure-list.ts';

const SUBJECT = { email: 'ada@example.com', walletAddress: null };

it('an erasure list keeps its order when it is merged into another one, even if the clock was wrong', async () => {
  const [folder, copyFolder] = [temporaryFolder(), temporaryFolder()];
  for (const [auditRecord, at] of [
    ['first', 9],
    ['second', 1],
  ] as const)
    await recordErasure({ folder: copyFolder, masterKey: TEST_MASTER_KEY }, SUBJECT, { auditRecord, at });
  await mergeErasures(folder, [await readFile(join(copyFolder, ERASURE_LIST), 'utf8')]);
  expect((await readErasures(folder, TEST_MASTER_KEY)).erasuresOf(SUBJECT)).toEqual(['first', 'second']);
});

it('an erasure can be read even if the entry before it was only partly written', async () => {
  const folder = temporaryFolder();
  const record = (auditRecord: string) =>
    recordErasure({ folder, masterKey: TEST_MASTER_KEY }, SUBJECT, { auditRecord, at: 1 });
  for (const [number, stump] of ['{"at":1,"audi', '', '{'].entries()) {
    await appendFile(join(folder, ERASURE_LIST), stump);
    await record(`record ${number}`);
  }
  const { auditRecordIds } = await readErasures(folder, TEST_MASTER_KEY);
  expect(auditRecordIds).toEqual(['record 0', 'record 1', 'record 2']);
});
