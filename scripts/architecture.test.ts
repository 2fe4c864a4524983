import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CALLS } from '../data/contract/calls.ts';
import * as PATHS from '../data/contract/paths.ts';

const FORBIDDEN = [
  ['data/store/sqlite/x.ts', '../../../api/metrics/figures.ts'],
  ['data/runtime/x.ts', '../../indexer/main.ts'],
  ['data/model/x.ts', '../store/ports.ts'],
  ['data/model/x.ts', 'node:fs'],
  ['data/contract/x.ts', '../store/ports.ts'],
  ['data/store/x.ts', './sqlite/app-store.ts'],
  ['data/store/contract/x.ts', '../sqlite/app-store.ts'],
  ['data/store/sqlite/x.ts', '../postgres/app-store.ts'],
  ['data/store/postgres/x.ts', '../sqlite/app-store.ts'],
  ['indexer/sync/x.ts', '../../data/store/sqlite/index-writer.ts'],
  ['api/x.ts', '../data/store/postgres/app-store.ts'],
  ['scripts/x.ts', '../data/store/sqlite/app-store.ts'],
  ['bench/growth/x.ts', '../../data/store/sqlite/app-store.ts'],
  ['indexer/sync/x.ts', '../../api/server.ts'],
  ['indexer/sync/x.ts', '../../site/data/request.ts'],
  ['indexer/verify/x.ts', '../../data/contract/metrics.ts'],
  ['api/metrics/x.ts', '../../indexer/chain/decode.ts'],
  ['api/metrics/x.ts', '../../site/data/request.ts'],
  ['site/islands/x.tsx', '../../data/store/ports.ts'],
  ['site/islands/x.tsx', '../../api/server.ts'],
  ['site/pages/x.astro', '../../indexer/main.ts'],
] as const;

const ALLOWED = [
  ['data/store/sqlite/x.ts', '../../model/amounts.ts'],
  ['data/store/open-stores.ts', './sqlite/app-store.ts'],
  ['data/store/copy/x.ts', '../sqlite/writer-lock.ts'],
  ['data/store/postgres/x.ts', '../rules/audit-chain.ts'],
  ['data/store/testing/postgres-stores.ts', '../postgres/app-store.ts'],
  ['indexer/index-file.ts', '../data/store/sqlite/writer-lock.ts'],
  ['api/backup/x.ts', '../../data/store/sqlite/backup-file.ts'],
  ['indexer/sync/x.ts', '../../data/store/ports.ts'],
  ['indexer/verify/x.ts', '../../data/contract/paths.ts'],
  ['api/metrics/x.ts', '../../data/contract/metrics.ts'],
  ['site/islands/x.tsx', '../../data/model/amounts.ts'],
  ['site/developers/x.ts', '../../data/openapi/document.ts'],
] as const;

/** Applies the project's lint rules to files that contain one import each. @returns the files with a forbidden import */
async function forbiddenIn(cases: readonly (readonly [file: string, imported: string])[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'architecture-'));
  try {
    const rules: Record<string, unknown> = JSON.parse(await readFile('biome.json', 'utf8'));
    const { $schema: _schema, vcs: _vcs, ...portable } = rules;
    await writeFile(join(folder, 'biome.json'), JSON.stringify(portable));
    for (const [file, imported] of cases) {
      const code = `import '${imported}';\n`;
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), file.endsWith('.astro') ? `---\n${code}---\n` : code);
    }
    const biome = resolve('node_modules/@biomejs/biome/bin/biome');
    const options = ['--only=style/noRestrictedImports', '--reporter=github', '--max-diagnostics=none'];
    const args = [biome, 'lint', ...options, '.'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    return cases.map(([file]) => file).filter((file) => stdout.includes(`/${file},line=`));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function withUniqueFileNames(cases: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  return cases.map(([file, imported], index) => [file.replace('/x.', `/x${index}.`), imported]);
}

describe('the lint rule for imports', () => {
  it('rejects every import that points up or across', async () => {
    const cases = withUniqueFileNames(FORBIDDEN);
    expect(await forbiddenIn(cases)).toEqual(cases.map(([file]) => file));
  });

  it('accepts imports that point down', async () => {
    expect(await forbiddenIn(withUniqueFileNames(ALLOWED))).toEqual([]);
  });
});

const PRODUCTION = '{api,data,indexer,site,scripts}/**/*.{ts,tsx,astro,mjs}';
const isProduction = (file: string) =>
  !/\.test\.tsx?$|\/testing\//.test(file) && file !== 'data/contract/paths.ts';

/** An API path at the start of a string or after a placeholder. In an import, a dot precedes `/api/`. */
const LITERAL_API_PATH = /(?<![\w.])\/api\/\w|['"`]\/(?:healthz|readyz|metrics)\b/;
/** Code that sends a request to a URL that does not come from `apiUrl`. */
const SENDS_ELSEWHERE =
  /(?<![.\w])fetch\((?!apiUrl\()|\bnew EventSource\(\s*(?!\s|apiUrl\()|\bsendBeacon\((?!apiUrl\()|\.open\((['"])[A-Z]+\1, (?!apiUrl\()/;
/** Files that send requests elsewhere: to the site, to the development server, or to a URL or origin passed to them. */
const SENDERS_WITHOUT_API = [
  'site/components/developers/make-call.ts',
  'site/components/loan-note/pdf-download.ts',
  'site/dev/mails.astro',
  'site/islands/admin-conversation/conversation-calls.ts',
  'site/shell/search/section-search.ts',
  'site/worker/offline-page.ts',
  'site/worker/worker.ts',
];
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

describe('the API paths', () => {
  it('are written in one file only', async () => {
    const files = globSync(PRODUCTION).filter(isProduction);
    expect(files.length).toBeGreaterThan(500);
    const repeated = [];
    for (const file of files) {
      const code = (await readFile(file, 'utf8')).replaceAll(COMMENT, '');
      if (LITERAL_API_PATH.test(code)) repeated.push(file);
    }
    expect(repeated).toEqual([]);
  });

  it('are always requested through `apiUrl`, because the API can have another origin', async () => {
    const senders = [];
    for (const file of globSync('site/**/*.{ts,tsx,astro}').filter(isProduction)) {
      const code = (await readFile(file, 'utf8')).replaceAll(COMMENT, '');
      if (SENDS_ELSEWHERE.test(code)) senders.push(file);
    }
    expect(senders.toSorted()).toEqual(SENDERS_WITHOUT_API);
  });

  it.each([
    ['fetch(path)', true],
    ['fetch(apiUrl(a)); fetch(b)', true],
    ["sending.open('POST', path)", true],
    ['new EventSource(path)', true],
    ['navigator.sendBeacon(path)', true],
    ['fetch(apiUrl(a)); query.fetch()', false],
    ["sending.open('POST', apiUrl(a))", false],
    ['new EventSource(apiUrl(a))', false],
  ])('are requested without `apiUrl` in `%s`: %s', (code, isElsewhere) => {
    expect(SENDS_ELSEWHERE.test(code)).toBe(isElsewhere);
  });

  it('have at most one call per method', () => {
    const calls = CALLS.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(calls).size).toBe(calls.length);
  });

  it.each(['/api', PATHS.live, PATHS.networkHealth])('include %s', (path) => {
    expect(PATHS.isApiPath(path)).toBe(true);
  });

  it.each(['/', '/apiary', '/faq', '/API/live'])('do not include the page %s', (path) => {
    expect(PATHS.isApiPath(path)).toBe(false);
  });
});
