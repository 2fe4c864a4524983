// @module-tag slow
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder: string;

/** Creates a folder with the site's sources and a copy of its content that the test can change. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wrong-fields-'));
  await cp('content', join(folder, 'content'), { recursive: true });
  await Promise.all(
    ['site', 'data', 'node_modules', 'tsconfig.json', 'package.json'].map((name) =>
      symlink(resolve(name), join(folder, name)),
    ),
  );
  await writeFile(
    join(folder, 'astro.config.mjs'),
    "import mdx from '@astrojs/mdx';\nexport default { srcDir: './site', cacheDir: './cache', integrations: [mdx()] };\n",
  );
});
afterAll(() => rm(folder, { recursive: true }));

async function replaceIn(file: string, from: string, to: string): Promise<void> {
  const path = join(folder, file);
  const source = await readFile(path, 'utf8');
  expect(source).toContain(from);
  await writeFile(path, source.replace(from, to));
}

function syncContent(): Promise<{ code: number | null; output: string }> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      ['node_modules/astro/bin/astro.mjs', 'sync'],
      { cwd: folder, env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' } },
      (_, stdout, stderr) =>
        done({ code: child.exitCode, output: stripVTControlCharacters(stdout + stderr) }),
    );
  });
}

it('the build fails for invalid fields, and names the file and line of each', async () => {
  await replaceIn('content/faq/roadmap/plans.mdx', 'question:', 'qestion:');
  await replaceIn('content/faq/staking/lock.mdx', 'How long', 'How {{longg}}');
  await replaceIn('content/faq/staking/yield.mdx', 'order: 20', 'order: first');
  const { code, output } = await syncContent();
  expect(code).not.toBe(0);
  expect(output.match(/content\/faq\/\S+ \w+ .*/g)).toEqual([
    'content/faq/roadmap/plans.mdx:2 qestion is not a known field',
    'content/faq/roadmap/plans.mdx:2 question is missing',
    expect.stringMatching(/staking\/lock\.mdx:2 question .*"longg"/),
    expect.stringMatching(/staking\/yield\.mdx:3 order /),
  ]);
});
