import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { TEST_MASTER_KEY } from '../testing/test-portal.ts';
import { ERASURE_LIST, readErasures, recordErasure } from './erasure-list.ts';

it('an entry after a partly written one can be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'erasure-list-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const record = (auditRecord: string) =>
    recordErasure(
      { folder, masterKey: TEST_MASTER_KEY },
      { email: 'ada@example.com', walletAddress: null },
      { auditRecord, at: 1 },
    );
  for (const [number, stump] of ['{"at":1,"audi', '', '{'].entries()) {
    await appendFile(join(folder, ERASURE_LIST), stump);
    await record(`record ${number}`);
  }
  const { auditRecordIds } = await readErasures(folder, TEST_MASTER_KEY);
  expect(auditRecordIds).toEqual(['record 0', 'record 1', 'record 2']);
});
