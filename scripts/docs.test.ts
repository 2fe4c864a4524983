import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../data/config/environment.ts';
import packageJson from '../package.json' with { type: 'json' };

const MAX_README_LINES = 150;
const FOLDERS = ['api', 'bench', 'content', 'data', 'e2e', 'indexer', 'scripts', 'site'];

async function markdownFiles(): Promise<readonly string[]> {
  const docs = await readdir('docs', { recursive: true });
  return [
    'README.md',
    'SECURITY.md',
    ...docs.filter((file) => file.endsWith('.md')).map((file) => join('docs', file)),
  ];
}

const texts = new Map(
  await Promise.all(
    (await markdownFiles()).map(async (file) => [file, await readFile(file, 'utf8')] as const),
  ),
);
const readme = texts.get('README.md') ?? '';

describe('the documentation', () => {
  it.each([...texts])('%s names only paths that exist', (file, text) => {
    const named = [
      ...text.matchAll(/`((?:api|bench|content|data|docs|e2e|indexer|scripts|site)\/[\w./-]*\w\/?)`/g),
    ];
    const linked = [...text.matchAll(/\]\((?!http|#)([^)#]+)[^)]*\)/g)];
    const paths = [
      ...named.map(([, path = '']) => path),
      ...linked.map(([, path = '']) => join(dirname(file), path)),
    ];
    expect(paths.filter((path) => path !== 'data/var' && !existsSync(path))).toEqual([]);
  });

  it.each([...texts])('%s names only commands that package.json has', (_file, text) => {
    const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(commands.filter((name) => !(name in packageJson.scripts))).toEqual([]);
  });

  it('has a short README that names every top-level folder', () => {
    expect(FOLDERS.filter((folder) => !readme.includes(`\`${folder}/\``))).toEqual([]);
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(MAX_README_LINES);
  });

  it('lists every decision in the index', async () => {
    const pages = (await readdir('docs/decisions')).filter((name) => name !== 'README.md');
    const index = texts.get('docs/decisions/README.md') ?? '';
    expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([]);
  });

  it('and .env.example name every variable that the configuration reads', async () => {
    const example = await readFile('.env.example', 'utf8');
    const configuration = texts.get('docs/configuration.md') ?? '';
    expect(VARIABLES.filter((name) => !configuration.includes(`\`${name}\``))).toEqual([]);
    expect(VARIABLES.filter((name) => !example.includes(`#${name}=`))).toEqual([]);
  });
});
