// @module-tag slow
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { buildApiIfStale } from './build-api.ts';

const REPORT = `process.on('exit', () => {
  console.log(process.moduleLoadList.some((name) => name.includes('undici')) ? 'with a client' : 'without a client');
});`;

it('bundles the API once, as a program that starts without loading Node’s HTTP client', async () => {
  const program = await buildApiIfStale();
  expect(await buildApiIfStale()).toBe(program);
  const preload = `data:text/javascript,${encodeURIComponent(REPORT)}`;
  const started = spawnSync(process.execPath, ['--import', preload, program, '--unknown'], {
    encoding: 'utf8',
  });
  expect(started).toMatchObject({ status: EXIT.usage, stdout: 'without a client\n' });
}, 120_000);
