import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** What the builder reads when it checks the words. */
const SOURCES = ['astro.config.mjs', 'package.json', 'tsconfig.json', 'content', 'data/model', 'site'];

let folder: string;

/** A copy of the sources, whose words can be spoilt; the packages are the repository's own. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wrong-fields-'));
  await Promise.all(SOURCES.map((source) => cp(source, join(folder, source), { recursive: true })));
  await mkdir(join(folder, 'node_modules'));
  // Not the folder as one: the builder keeps a cache in it.
  const packages = (await readdir('node_modules')).filter((name) => !name.startsWith('.'));
  await Promise.all(
    packages.map((name) => symlink(resolve('node_modules', name), join(folder, 'node_modules', name))),
  );
});
afterAll(() => rm(folder, { recursive: true }));

/** Reads the words as a build does, with one text put in the place of another. */
async function readSpoilt(file: string, from: string, to: string): Promise<{ code: number; output: string }> {
  const path = join(folder, file);
  const words = await readFile(path, 'utf8');
  expect(words).toContain(from);
  await writeFile(path, words.replace(from, to));
  const outcome = await new Promise<{ code: number; output: string }>((done) => {
    const child = execFile(
      process.execPath,
      ['node_modules/astro/bin/astro.mjs', 'sync'],
      { cwd: folder, env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' } },
      (_, stdout, stderr) =>
        done({ code: child.exitCode ?? -1, output: stripVTControlCharacters(stdout + stderr) }),
    );
  });
  await writeFile(path, words);
  return outcome;
}

describe('a wrong field of content/ ends the build, which names the file and the field', () => {
  it.each([
    [
      'a name that is not known',
      'content/faq/roadmap.yaml',
      'question: What is',
      'qestion: What is',
      'qestion',
    ],
    [
      'a fact that is not known',
      'content/team.yaml',
      'Five people',
      'Five {{peopel}}',
      'lead: There is no fact "peopel"',
    ],
    ['front matter', 'content/legal/disclaimer.mdx', 'updated:', 'updatd:', 'updated'],
  ])('%s', async (_, file, from, to, field) => {
    const { code, output } = await readSpoilt(file, from, to);
    expect(code).not.toBe(0);
    expect(output).toContain(file);
    expect(output).toContain(field);
  });
});
