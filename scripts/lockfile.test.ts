import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const { packages } = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string().optional(),
        integrity: z.string().optional(),
        dev: z.boolean().optional(),
        optional: z.boolean().optional(),
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

const isDevelopment = ({ dev }: { dev?: boolean | undefined }) => dev === true;

describe('the setup script', () => {
  /**
   * Runs the setup script in a new folder that contains the packages in `installed`. Instead of npm, the script runs a program
   * that exits with `npmCode`.
   */
  function runSetupScript({ installed, args = [], npmCode = '0' }: SetupCase) {
    const folder = mkdtempSync(join(tmpdir(), 'set-up-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const file of ['scripts/setup.mjs', 'package.json', 'package-lock.json'])
      cpSync(file, join(folder, file));
    mkdirSync(join(folder, 'node_modules'));
    if (installed) {
      const list = JSON.stringify({ packages: installed });
      writeFileSync(join(folder, 'node_modules', '.package-lock.json'), list);
    }
    const npm = join(folder, 'npm.cjs');
    const calls = join(folder, 'calls.txt');
    writeFileSync(calls, '');
    const record = "require('node:fs').appendFileSync('calls.txt', process.argv.slice(2).join(' ') + '\\n');";
    writeFileSync(npm, `${record} process.exit(${npmCode});`);
    const { status } = spawnSync(process.execPath, [join(folder, 'scripts/setup.mjs'), ...args], {
      env: { ...process.env, npm_execpath: npm },
    });
    return { status, calls: readFileSync(calls, 'utf8') };
  }

  interface SetupCase {
    readonly installed?: Record<string, unknown>;
    readonly args?: readonly string[];
    /** A JavaScript expression that gives npm's exit code. */
    readonly npmCode?: string;
  }

  const pick = (isPicked: (path: string) => boolean) =>
    Object.fromEntries(paths.filter(isPicked).map((path) => [path, packages[path]]));
  const production = pick((path) => !isDevelopment(packages[path] ?? {}));
  const required = pick((path) => !Object.hasOwn(packages[path] ?? {}, 'optional'));
  const changed = { ...production, 'node_modules/zod': { version: '1.0.0', integrity: 'sha512-other' } };

  it('tries only npm ci, and exits with 75 if it fails twice', () => {
    const { status, calls } = runSetupScript({ npmCode: '1' });
    expect([status, calls]).toEqual([75, expect.stringMatching(/^(ci (?!.*omit).*\n){2}$/)]);
  });

  it('runs npm ci with --prefer-offline, and repeats it without that option only after a failure', () => {
    const options = ({ calls }: { calls: string }) => calls.match(/--prefer-offline|\n/g)?.join('');
    expect(options(runSetupScript({}))).toBe('--prefer-offline\n');
    const retried = runSetupScript({ npmCode: "process.argv.includes('--prefer-offline') ? 1 : 0" });
    expect([retried.status, options(retried)]).toEqual([0, '--prefer-offline\n\n']);
  });

  it.each([
    ['everything, with optional packages', pick(() => true), []],
    ['everything that is not optional', required, []],
    ['everything that a run needs', production, ['--run']],
  ])('installs nothing if npm has already installed %s', (_case, installed, args) => {
    expect(runSetupScript({ installed, args })).toEqual({ status: 0, calls: '' });
  });

  it.each([
    ['a build or a test in a production installation', production, [], false],
    ['a run after an update in a production installation', changed, ['--run'], true],
    ['a run after an update of a complete installation', { ...required, ...changed }, ['--run'], false],
  ])('installs what is missing for %s', (_case, installed, args, isProduction) => {
    const { status, calls } = runSetupScript({ installed, args });
    expect([status, calls.split(' ')[0], calls.includes('--omit=dev')]).toEqual([0, 'ci', isProduction]);
  });
});
