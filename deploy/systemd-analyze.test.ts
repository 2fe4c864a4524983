// @module-tag debian
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('systemd', import.meta.url));
/** The highest exposure level that the test accepts, multiplied by 10, as `systemd-analyze` expects it. */
const MAX_EXPOSURE = 25;

function analyze(...args: readonly string[]) {
  // The trailing colon adds systemd's default unit folders.
  const env = { PATH: process.env.PATH, SYSTEMD_UNIT_PATH: `${FOLDER}:` };
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

it.each(['portal', 'api', 'indexer'])('systemd accepts the %s unit and its sandbox', (name) => {
  const unit = `${FOLDER}/blackduck-${name}.service`;
  expect(analyze('verify', '--man=no', unit)).toEqual({ status: 0, stdout: '', stderr: '' });
  const security = analyze('security', '--offline=yes', `--threshold=${MAX_EXPOSURE}`, '--no-pager', unit);
  expect(security.status, security.stdout.trimEnd().split('\n').at(-1) ?? security.stderr).toBe(0);
});
