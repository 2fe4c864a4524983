// @module-tag slow
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { buildApiIfStale } from './build-api.ts';

const REPORT = `process.on('exit', () => {
  console.log(process.moduleLoadList.some((name) => name.includes('undici')) ? 'with a client' : 'without a client');
});`;

it('bundles the API once, as a program that starts without loading Node’s HTTP client', async () => {
  const program = await buildApiIfStale();
  expect(await buildApiIfStale()).toBe(program);
  // Users other than the one who built the program can run it.
  expect(statSync(dirname(program)).mode & 0o777).toBe(0o755);
  const preload = `data:text/javascript,${encodeURIComponent(REPORT)}`;
  const started = spawnSync(process.execPath, ['--import', preload, program, '--unknown'], {
    encoding: 'utf8',
  });
  expect(started).toMatchObject({ status: EXIT.usage, stdout: 'without a client\n' });
}, 120_000);

it('loads no module of Node that is deprecated, because Node then warns on stderr', async () => {
  const folder = dirname(await buildApiIfStale());
  const loads = (file: string) => /['"](?:node:)?punycode['"]/.test(readFileSync(join(folder, file), 'utf8'));
  expect(readdirSync(folder).filter(loads)).toEqual([]);
}, 120_000);
