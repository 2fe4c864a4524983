import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { omittedPackagesProblem } from './omitted-packages.ts';

/**
 * The files that a production installation runs, except those that match `NOT_RUN`. The builders are left out, because
 * `prepare-build` imports them only if they are installed.
 */
const PROGRAMS = [
  '{api,data,indexer}/**/*.ts',
  'scripts/{start,start-api,prepare-build,bundles,tree-stamp,preflight,omitted-packages,supervisor}.ts',
];
const NOT_RUN = /\.test\.ts$|\/testing\/|\/drizzle\.\w+\.config\.ts$/;

/** Patterns for imports that load a package. Type-only imports do not match. */
const IMPORTS = [
  /^import (?!type )(?:[^;]*? from )?'([^']+)'/gm,
  /^export (?!type )[^;]*? from '([^']+)'/gm,
  /(?<!typeof )import\('([^']+)'\)/g,
  /\bload\('([^']+)'\)/g,
];

/**
 * Packages that only the API uses and that its bundle contains. Without the bundle, a production installation lacks them. In that
 * case, the API does not detect top-ups, and an alert reports this.
 */
const BUNDLED = ['ox'];

const packageName = (specifier: string) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

it('programs import only packages that npm ci --omit=dev installs', () => {
  const files = globSync(PROGRAMS).filter((file) => !NOT_RUN.test(file));
  expect(files.length).toBeGreaterThan(300);
  const installed = new Set([...Object.keys(packageJson.dependencies), ...builtinModules]);
  const isBundled = (file: string, specifier: string) =>
    file.startsWith('api/') && BUNDLED.includes(packageName(specifier));
  const wrong = files.flatMap((file) => {
    const code = readFileSync(file, 'utf8');
    return IMPORTS.flatMap((pattern) => [...code.matchAll(pattern)])
      .map(([, specifier = '']) => specifier)
      .filter(
        (specifier) =>
          !/^(?:\.|node:)/.test(specifier) &&
          !installed.has(packageName(specifier)) &&
          !isBundled(file, specifier),
      )
      .map((specifier) => `${file}: ${specifier}`);
  });
  expect(wrong).toEqual([]);
});

it('a configuration problem names the packages that npm installed without their native code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'packages-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, '@node-rs', 'argon2-linux-x64-gnu'), { recursive: true });
  mkdirSync(join(folder, '@node-rs', 'argon2'));
  expect(omittedPackagesProblem(folder)?.message).toMatch(/^(?!.*argon2).*sharp/);
  mkdirSync(join(folder, '@img', 'sharp-linux-x64'), { recursive: true });
  expect(omittedPackagesProblem(folder)).toBeNull();
});
