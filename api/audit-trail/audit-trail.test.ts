import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkAuditTrail } from '../../data/store/open-stores.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { openNewApp } from '../../data/store/testing/new-stores.ts';
import { trailReport } from './trail-report.ts';

describe('a check of the audit trail', () => {
  let folder: string;
  let file: string;
  let store: AppStore;
  const addRecord = (id: string) =>
    store.recordAudit({ id, at: 1, actor: 'system', action: 'portal.started', details: {} });
  const readReport = async (head?: string) => trailReport(await checkAuditTrail(file, head), head);
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'audit-trail-'));
    file = join(folder, 'app.db');
    store = await openNewApp(file);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('passes before the first record', async () => {
    expect((await readReport()).isIntact).toBe(true);
  });

  it('reports the head, and a later check finds it', async () => {
    await addRecord('a');
    const { text, isIntact } = await readReport();
    expect(isIntact).toBe(true);
    const head = /Head: ([0-9a-f]{64})/.exec(text)?.[1];
    await addRecord('b');
    expect(await readReport(head)).toMatchObject({
      isIntact: true,
      text: expect.stringContaining('2 records'),
    });
  });

  it('fails when no record has the expected head', async () => {
    await addRecord('a');
    expect((await readReport('0'.repeat(64))).isIntact).toBe(false);
  });
});
