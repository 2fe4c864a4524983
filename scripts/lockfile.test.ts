import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const { packages } = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        integrity: z.string().optional(),
        optionalDependencies: z.record(z.string(), z.string()).optional(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
const paths = Object.keys(packages).filter((path) => path !== '');

describe('the lockfile', () => {
  it('has a SHA-512 hash for every package', () => {
    expect(paths.length).toBeGreaterThan(500);
    expect(paths.filter((path) => !/^sha512-[\w+/]{86}==$/.test(packages[path]?.integrity ?? ''))).toEqual(
      [],
    );
  });

  it('has every optional package, so that npm ci accepts it on each platform', () => {
    const locked = new Set(
      paths.map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
    );
    const optional = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    expect(optional.length).toBeGreaterThan(50);
    expect(optional.filter((name) => !locked.has(name))).toEqual([]);
  });
});

describe('the set-up', () => {
  /** Runs the set-up in a new folder, with a program in place of npm that exits with `npmCode`. */
  function setUp(npmCode: number) {
    const folder = mkdtempSync(join(tmpdir(), 'set-up-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const file of ['scripts/setup.mjs', 'package.json', 'package-lock.json'])
      cpSync(file, join(folder, file));
    mkdirSync(join(folder, 'node_modules'));
    const npm = join(folder, 'npm.cjs');
    const record = "require('node:fs').appendFileSync('calls.txt', process.argv[2] + '\\n');";
    writeFileSync(npm, `${record} process.exit(${npmCode});`);
    const { status } = spawnSync(process.execPath, [join(folder, 'scripts/setup.mjs')], {
      env: { ...process.env, npm_execpath: npm },
    });
    const calls = readFileSync(join(folder, 'calls.txt'), 'utf8').trim().split('\n');
    return { status, calls, isDone: existsSync(join(folder, 'node_modules', '.setup-stamp')) };
  }

  it('installs only what the lockfile lists: if npm ci fails, it exits and installs nothing else', () => {
    expect(setUp(1)).toEqual({ status: 75, calls: ['ci'], isDone: false });
    expect(setUp(0)).toEqual({ status: 0, calls: ['ci'], isDone: true });
  });
});
