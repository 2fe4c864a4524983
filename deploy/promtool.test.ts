// @module-tag debian
// @module-tag slow
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { readPanels } from './testing/board.ts';

const FOLDER = fileURLToPath(new URL('prometheus', import.meta.url));

function promtool(...args: readonly string[]) {
  return spawnSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' });
}

/** Debian's package `prometheus`, which contains promtool, takes 96 MB, so these tests run only if it is already installed. */
const isInstalled = promtool('--version').error === undefined;

it.runIf(isInstalled)('promtool accepts the alert rules, and their unit tests pass', () => {
  for (const args of [
    ['check', 'rules', 'alerts.yaml'],
    ['test', 'rules', 'alerts.test.yaml'],
  ]) {
    const { status, stdout, stderr } = promtool(...args);
    expect(status, stdout + stderr).toBe(0);
  }
});

it.runIf(isInstalled)('promtool accepts the queries of the Grafana dashboard', () => {
  const queries = readPanels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const rules = queries.map((expr, index) => ({
    record: `query:${index}`,
    expr: expr.replaceAll('$__rate_interval', '1m'),
  }));
  const folder = mkdtempSync(join(tmpdir(), 'board-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'queries.yaml');
  writeFileSync(file, stringify({ groups: [{ name: 'board', rules }] }));
  const { status, stdout, stderr } = promtool('check', 'rules', file);
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toContain(`${queries.length} rules found`);
});
