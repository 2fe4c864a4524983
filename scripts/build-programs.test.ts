// @module-tag slow
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { buildProgramsIfStale } from './build-programs.ts';

const PROBE = `import { registerHooks } from 'node:module';
registerHooks({
  load: (url, context, next) => {
    if (url.endsWith('/api.mjs')) console.log(url);
    return next(url, context);
  },
});
process.on('exit', () => {
  console.log(process.moduleLoadList.some((name) => name.includes('undici')) ? 'with a client' : 'without a client');
});`;

it('builds the bundles once, and start-api.ts runs the API’s bundle, which does not load Node’s HTTP client', async () => {
  const { api } = await buildProgramsIfStale();
  expect((await buildProgramsIfStale()).api).toBe(api);
  // Users other than the one who built the program must be able to run it.
  expect(statSync(dirname(api)).mode & 0o777).toBe(0o755);
  const preload = `data:text/javascript,${encodeURIComponent(PROBE)}`;
  const started = spawnSync(process.execPath, ['--import', preload, 'scripts/start-api.ts', '--unknown'], {
    encoding: 'utf8',
  });
  expect(started).toMatchObject({
    status: EXIT.usage,
    stdout: `${pathToFileURL(api).href}\nwithout a client\n`,
    stderr: 'api: Unknown option --unknown. The only option is --api-only.\n',
  });
});

it('bundles the program that reads emails, including its thread, next to the API', async () => {
  const { api } = await buildProgramsIfStale();
  const [file = ''] = globSync(join(dirname(api), 'read-mail-program-*.mjs'));
  expect(readFileSync(api, 'utf8')).toContain(basename(file));
  const program = fork(file, { serialization: 'advanced' });
  program.send(Buffer.from('Subject: Hello\n\nHere it is.'));
  const [answer] = await once(program, 'message');
  expect(answer).toMatchObject({ mail: { subject: 'Hello', text: 'Here it is.' } });
});

it('no bundle loads the deprecated `punycode`, because Node would print a warning to stderr', async () => {
  const { api, indexer } = await buildProgramsIfStale();
  const modules = [api, indexer].flatMap((file) => globSync(join(dirname(file), '*.mjs')));
  const loads = (file: string) => /['"](?:node:)?punycode['"]/.test(readFileSync(file, 'utf8'));
  expect(modules.filter(loads)).toEqual([]);
});
