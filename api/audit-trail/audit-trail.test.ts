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
  const record = (id: string) =>
    store.recordAudit({ id, at: 1, actor: 'system', action: 'portal.started', details: {} });
  const report = async (head?: string) => trailReport(await checkAuditTrail(file, head), head);
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
    expect((await report()).isIntact).toBe(true);
  });

  it('reports the head, and a later check finds it', async () => {
    await record('a');
    const { text, isIntact } = await report();
    expect(isIntact).toBe(true);
    const head = /Head: ([0-9a-f]{64})/.exec(text)?.[1];
    await record('b');
    expect(await report(head)).toMatchObject({ isIntact: true, text: expect.stringContaining('2 records') });
  });

  it('fails when no record has the expected head', async () => {
    await record('a');
    expect((await report('0'.repeat(64))).isIntact).toBe(false);
  });
});
