// @module-tag debian
import { execFileSync } from 'node:child_process';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../data/store/testing/temporary-folder.ts';
import { seal, tarArchive, toWebStream, unseal } from './sealed-file.ts';

const NEVER_ABORTED = new AbortController().signal;

it('the public tools “age” and “tar” can read a copy encrypted for a key from “age-keygen”', async () => {
  const folder = temporaryFolder();
  const keyFile = join(folder, 'key.txt');
  execFileSync('age-keygen', ['-o', keyFile], { stdio: 'ignore' });
  const recipient = /age1\w+/.exec(readFileSync(keyFile, 'utf8'))?.[0] ?? '';
  const files = { 'app.db': 'x'.repeat(200_000), 'app.db.tag': 'tag\n' };
  const entries = Object.entries(files).map(([target, content]) => ({
    type: 'content' as const,
    target,
    content,
  }));
  const path = join(folder, 'copy.tar.age');
  await seal(tarArchive(entries), { path, name: 'copy' }, [recipient], NEVER_ABORTED);
  const archive = join(folder, 'copy.tar');
  execFileSync('age', ['--decrypt', '--identity', keyFile, '--output', archive, path]);
  for (const [name, content] of Object.entries(files))
    expect(
      execFileSync('tar', ['--extract', '--to-stdout', '--file', archive, name], { encoding: 'utf8' }),
    ).toBe(content);
});

it('a file encrypted with the public tool “age” can be read', async () => {
  const folder = temporaryFolder();
  const keyFile = join(folder, 'key.txt');
  execFileSync('age-keygen', ['-o', keyFile], { stdio: 'ignore' });
  const [recipient = ''] = /age1\w+/.exec(readFileSync(keyFile, 'utf8')) ?? [];
  const [identity = ''] = /AGE-SECRET-KEY-\w+/.exec(readFileSync(keyFile, 'utf8')) ?? [];
  writeFileSync(join(folder, 'clear'), 'content');
  execFileSync('age', ['-r', recipient, '-o', join(folder, 'sealed'), join(folder, 'clear')]);
  const sealed = toWebStream(createReadStream(join(folder, 'sealed')));
  expect(await text(await unseal(sealed, [identity]))).toBe('content');
});
