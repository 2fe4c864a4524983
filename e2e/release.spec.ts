import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'playwright/test';
import packageJson from '../package.json' with { type: 'json' };
import { openDashboard } from './dashboard-page.ts';
import { isAlive } from './portal.ts';
import { acceptTerms } from './visitor.ts';

const MB = 1e6;

/** How long (ms) it may take to build and start a release on a busy machine. */
const TEST_TIMEOUT_MS = 300_000;
const POLL = { timeout: 120_000 };

let folder: string;
let archive: string;
/** The folder of the unpacked release. */
let root: string;
test.beforeAll(() => {
  test.setTimeout(TEST_TIMEOUT_MS);
  folder = mkdtempSync(join(tmpdir(), 'release-'));
  archive = writeRelease();
  execFileSync('tar', ['--extract', `--file=${archive}`, `--directory=${folder}`]);
  root = join(folder, `${packageJson.name}-${packageJson.version}`);
});
test.afterAll(() => rmSync(folder, { recursive: true }));

function writeRelease(): string {
  const out = join(folder, 'out');
  execFileSync(process.execPath, ['scripts/release.ts', '--out', out]);
  const [archiveName = ''] = readdirSync(out).filter((file) => file.endsWith('.tar.gz'));
  execFileSync('sha256sum', ['--check', '--quiet', `${archiveName}.sha256`], { cwd: out });
  return join(out, archiveName);
}

test('a release starts in an empty folder with nothing but Node, prints what runs where, shows figures that change with demo actors, and leaves no process after SIGTERM', async ({
  page,
}) => {
  test.setTimeout(TEST_TIMEOUT_MS);
  expect(statSync(archive).size).toBeLessThan(60 * MB);
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: root });
  const child = spawn(process.execPath, ['scripts/start.ts'], {
    cwd: root,
    // With an empty PATH, no other program can be found, not even npm.
    env: {
      PATH: '',
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      PORT: '0',
      LEDGER_PORT: '0',
      LEDGER_ACTORS: 'on',
      DISK_RESERVE_MB: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let processes: readonly number[] = [];
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  try {
    await expect.poll(() => child.exitCode !== null || output.includes('Ready in'), POLL).toBe(true);
    const url = /Site, API\s+(http:\S+?),/.exec(output)?.[1] ?? output;
    // The programs run from the bundles in the archive, not from their sources.
    processes = [...output.matchAll(/ pid (\d+)/g)].map(([, pid]) => Number(pid));
    const commands = processes.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
    expect(
      commands.map((line) => line.includes(join(root, 'build'))),
      output,
    ).toEqual([true, true, true]);
    expect(output).toContain('embedded ledger');
    expect(output).toContain('not a market price');
    const response = await fetch(`${url}/staking`);
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining(`"${url}/staking"`),
    ]);
    await expect.poll(async () => (await fetch(`${url}/api/staking/total`)).status, POLL).toBe(200);
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, POLL).toBe(200);
    await acceptTerms(page.context());
    const dashboard = await openDashboard(page, url);
    const figures = () => Promise.all(['Vault Balance', 'Total Staked'].map(dashboard.figure));
    const before = await figures();
    await expect.poll(figures).not.toEqual(before);
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
  expect(child.exitCode).toBe(0);
  expect(processes.map(isAlive)).toEqual([false, false, false]);
});

test('the bill of materials of a release lists each of its packages with its hash', () => {
  const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
  const installedPackages = Object.entries<{ version: string }>(
    readJson('node_modules/.package-lock.json').packages,
  );
  const { bomFormat, components, dependencies } = readJson('sbom.cdx.json');
  expect(bomFormat).toBe('CycloneDX');
  const listedComponents = new Map<string, { hashes: unknown[] }>(
    components.map((one: { name: string; version: string }) => [`${one.name}@${one.version}`, one]),
  );
  expect(installedPackages.length).toBeGreaterThan(150);
  const unlisted = installedPackages.filter(
    ([path, { version }]) =>
      listedComponents.get(`${path.split('node_modules/').at(-1)}@${version}`)?.hashes.length !== 1,
  );
  expect(unlisted).toEqual([]);
  const refs = new Set(dependencies.map(({ ref }: { ref: string }) => ref));
  expect(refs.size).toBe(listedComponents.size + 1);
});
