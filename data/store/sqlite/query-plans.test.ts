import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { drizzle } from './drizzle.ts';
import { prepareEventStatements } from './event-statements.ts';
import { prepareIndexQueries } from './index-queries.ts';
import { openForWriting } from './open-database.ts';
import { INDEX_FILE } from './store-files.ts';

describe('queries on events', () => {
  let folder: string;
  let client: Database.Database;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'store-plans-'));
    client = openForWriting(join(folder, 'index.db'), INDEX_FILE);
  });
  afterAll(() => {
    client.close();
    rmSync(folder, { recursive: true });
  });

  /** The plan of every statement on events that a function prepares. */
  function plansOf(prepare: () => unknown): string[] {
    const prepared = vi.spyOn(client, 'prepare');
    prepare();
    const statements = prepared.mock.calls.map(([source]) => source);
    prepared.mockRestore();
    return statements
      .filter((source) => source.includes('"events"') && !source.startsWith('insert'))
      .map((source) => {
        const values = Array.from({ length: source.split('?').length - 1 }, () => null);
        const steps = client
          .prepare<null[], { detail: string }>(`explain query plan ${source}`)
          .all(...values);
        return steps.map(({ detail }) => detail).join('; ');
      });
  }

  it.each([
    ['of the reader', () => prepareIndexQueries(client), 4],
    ['of the writer', () => prepareEventStatements(client, drizzle({ client })), 9],
  ])('%s find their rows by index, and never sort a history', (_, prepare, least) => {
    const plans = plansOf(prepare);
    expect(plans.length).toBeGreaterThanOrEqual(least);
    for (const plan of plans) {
      expect(plan).toMatch(
        /SEARCH events USING (COVERING INDEX|INDEX|INTEGER PRIMARY KEY)|SCAN events USING (COVERING )?INDEX events_(provisional|ended_stakes)/,
      );
      expect(plan).not.toContain('USE TEMP B-TREE FOR ORDER BY');
    }
  });
});
