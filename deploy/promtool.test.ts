// @module-tag debian
// @module-tag slow
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('prometheus', import.meta.url));

function promtool(...args: readonly string[]) {
  return spawnSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' });
}

/** Debian's package `prometheus` has it. It takes 96 MB, so only machines that have it anyway run this test. */
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
