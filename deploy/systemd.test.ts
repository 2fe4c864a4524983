import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { API_MEMORY_FLAGS } from '../api/memory-flags.ts';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { LOCK_WAIT_MS } from '../data/store/postgres/migrate.ts';
import { INDEXER_MEMORY_FLAGS } from '../indexer/memory-flags.ts';
import { READY_TIMEOUT_MS, STOP_TIMEOUT_MS } from '../scripts/supervisor.ts';

const FOLDER = fileURLToPath(new URL('systemd', import.meta.url));
const UNITS = ['blackduck-portal', 'blackduck-api', 'blackduck-indexer'] as const;

/** The values of a setting, read from a unit and from the file that all units share. */
function settings(unit: (typeof UNITS)[number], name: string): readonly string[] {
  const files = [`${unit}.service`, 'blackduck-.service.d/service.conf'];
  const text = files.map((file) => readFileSync(`${FOLDER}/${file}`, 'utf8')).join('\n');
  return [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

describe.each(UNITS)('the unit %s', (unit) => {
  it('restarts after every error except those that a restart cannot fix', () => {
    expect(settings(unit, 'Restart')).toEqual(['on-failure']);
    expect(settings(unit, 'RestartPreventExitStatus')).toEqual([`${EXIT.usage} ${EXIT.configuration}`]);
    // 0 turns the start limit off, so systemd retries for as long as a database is down.
    expect(settings(unit, 'StartLimitIntervalSec')).toEqual(['0']);
  });

  it('allows enough time for two programs to start one after the other', () => {
    expect(settings(unit, 'TimeoutStartSec').map(Number)).toEqual([expect.any(Number)]);
    expect(Number(settings(unit, 'TimeoutStartSec')[0]) * 1_000).toBeGreaterThan(2 * READY_TIMEOUT_MS);
  });

  it('allows its programs enough time to stop', () => {
    const programs = unit === 'blackduck-portal' ? 3 : 1;
    expect(Number(settings(unit, 'TimeoutStopSec')[0]) * 1_000).toBeGreaterThan(programs * STOP_TIMEOUT_MS);
  });
});

it('npm start gives a program more time to start than its migration waits for locks', () => {
  expect(READY_TIMEOUT_MS).toBeGreaterThan(LOCK_WAIT_MS);
});

it('the units start the programs with the flags of npm start', () => {
  const commandOf = (program: string, flags: readonly string[]) => [
    ['/usr/bin/env node', ...flags, program].join(' '),
  ];
  expect(settings('blackduck-portal', 'ExecStart')).toEqual(commandOf('scripts/start.ts', []));
  expect(settings('blackduck-api', 'ExecStart')).toEqual(commandOf('scripts/start-api.ts', API_MEMORY_FLAGS));
  expect(settings('blackduck-indexer', 'ExecStart')).toEqual(
    commandOf('indexer/main.ts', INDEXER_MEMORY_FLAGS),
  );
});
