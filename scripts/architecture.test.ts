import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const FORBIDDEN = [
  ['data/store/sqlite/x.ts', '../../../api/metrics/figures.ts'],
  ['data/runtime/x.ts', '../../indexer/main.ts'],
  ['data/model/x.ts', '../store/ports.ts'],
  ['data/model/x.ts', 'node:fs'],
  ['data/contract/x.ts', '../store/ports.ts'],
  ['indexer/sync/x.ts', '../../api/server.ts'],
  ['indexer/sync/x.ts', '../../site/data/request.ts'],
  ['api/metrics/x.ts', '../../indexer/chain/decode.ts'],
  ['api/metrics/x.ts', '../../site/data/request.ts'],
  ['site/islands/x.tsx', '../../data/store/ports.ts'],
  ['site/islands/x.tsx', '../../api/server.ts'],
  ['site/pages/x.astro', '../../indexer/main.ts'],
] as const;

const ALLOWED = [
  ['data/store/sqlite/x.ts', '../../model/amounts.ts'],
  ['indexer/sync/x.ts', '../../data/store/ports.ts'],
  ['api/metrics/x.ts', '../../data/contract/metrics.ts'],
  ['site/islands/x.tsx', '../../data/model/amounts.ts'],
] as const;

/** Lints a tree of one-import files under the project's own rules; answers the files where the import is refused. */
async function refusedIn(cases: readonly (readonly [file: string, imported: string])[]): Promise<string[]> {
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
    const words = [
      biome,
      'lint',
      '--only=style/noRestrictedImports',
      '--reporter=github',
      '--max-diagnostics=none',
      '.',
    ];
    const { stdout } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
    return cases.map(([file]) => file).filter((file) => stdout.includes(`/${file},line=`));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The same case under a file name of its own. */
function numbered(cases: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  return cases.map(([file, imported], index) => [file.replace('/x.', `/x${index}.`), imported]);
}

describe('arrows point down only', () => {
  it('refuses every import that points up or across', async () => {
    const cases = numbered(FORBIDDEN);
    expect(await refusedIn(cases)).toEqual(cases.map(([file]) => file));
  });

  it('lets imports that point down pass', async () => {
    expect(await refusedIn(numbered(ALLOWED))).toEqual([]);
  });
});
