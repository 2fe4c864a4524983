import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VARIABLE_NAMES } from '../data/config/environment.ts';
import { PORTAL_LIMITS } from '../data/model/portal-terms.ts';
import packageJson from '../package.json' with { type: 'json' };

const MAX_README_LINES = 150;
const FOLDERS = ['api', 'bench', 'content', 'data', 'deploy', 'e2e', 'indexer', 'scripts', 'site'];

const FILES = ['README.md', 'SECURITY.md', ...globSync('docs/**/*.md')];
const texts = new Map(FILES.map((file) => [file, readFileSync(file, 'utf8')]));
const readme = texts.get('README.md') ?? '';

describe('the documentation', () => {
  it.each([...texts])('in %s names only paths that exist', (file, text) => {
    const namedPaths = [
      ...text.matchAll(/`((?:api|bench|content|data|deploy|docs|e2e|indexer|scripts|site)\/[\w./-]*\w\/?)`/g),
    ];
    const linkMatches = [...text.matchAll(/\]\((?!http|#)([^)#]+)[^)]*\)/g)];
    const paths = [
      ...namedPaths.map(([, path = '']) => path),
      ...linkMatches.map(([, path = '']) => join(dirname(file), path)),
    ];
    expect(paths.filter((path) => path !== 'data/var' && !existsSync(path))).toEqual([]);
  });

  it.each([...texts])('in %s names only commands that package.json has', (_file, text) => {
    const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(commands.filter((name) => !(name in packageJson.scripts))).toEqual([]);
  });

  it('has a short README that names every top-level folder', () => {
    expect(FOLDERS.filter((folder) => !readme.includes(`\`${folder}/\``))).toEqual([]);
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(MAX_README_LINES);
  });

  it.each(['operations', 'security', 'team'])(
    'in docs/%s.md states the time limit for confirming a mailbox',
    (name) => {
      expect(texts.get(`docs/${name}.md`)).toContain(`${PORTAL_LIMITS.mailboxConfirmationHours} hours`);
    },
  );

  it('names only wallet tests that exist', () => {
    const listedTests = [...(texts.get('docs/wallets.md') ?? '').matchAll(/^\d+\. `(.+)`: (.+)$/gm)];
    expect(listedTests.length).toBeGreaterThan(0);
    const missing = listedTests.filter(
      ([, file = '', title = '']) => !readFileSync(file, 'utf8').includes(title),
    );
    expect(missing.map(([line]) => line)).toEqual([]);
  });

  it('lists every decision in the index', () => {
    const pages = readdirSync('docs/decisions').filter((name) => name !== 'README.md');
    const index = texts.get('docs/decisions/README.md') ?? '';
    expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([]);
  });

  it('and .env.example name every variable that the configuration reads', () => {
    const example = readFileSync('.env.example', 'utf8');
    const configuration = texts.get('docs/configuration.md') ?? '';
    expect(VARIABLE_NAMES.filter((name) => !configuration.includes(`\`${name}\``))).toEqual([]);
    expect(VARIABLE_NAMES.filter((name) => !example.includes(`#${name}=`))).toEqual([]);
  });
});
