// Installs the packages before `npm start`, `npm test` and the other commands. Because nothing is installed yet, this program
// runs on the system's Node (20 or newer) with built-in modules only. To find out what is installed, it reads
// `node_modules/.package-lock.json`, which npm writes. File times would not help, because they change with every clone.
//
// With `--run`, a production installation (`npm ci --omit=dev`) is enough, and no development packages are added to it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 20;
/** The major version of Node on which the programs run. On Linux and Windows, npm installs it with the other packages. */
const PROGRAM_MAJOR = 24;
const CONFIGURATION_ERROR = 78;
const TRY_AGAIN = 75;

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function fail(code, message) {
  process.stderr.write(`setup: ${message}\n`);
  process.exit(code);
}

/** The packages in a lockfile, by path; null if there is no lockfile. */
function packagesIn(lockfile) {
  try {
    const { '': _portal, ...packages } = JSON.parse(readFileSync(join(root, lockfile), 'utf8')).packages;
    return packages;
  } catch {
    return null;
  }
}

const major = Number(process.versions.node.split('.')[0]);
if (major < NEEDED_MAJOR) {
  fail(
    CONFIGURATION_ERROR,
    `Node ${NEEDED_MAJOR} or newer is required, but this is Node ${process.versions.node}.`,
  );
}

const lockedPackages = packagesIn('package-lock.json');
if (lockedPackages === null) fail(CONFIGURATION_ERROR, 'package-lock.json cannot be read.');
const installedPackages = packagesIn('node_modules/.package-lock.json');
const isProduction =
  process.argv.includes('--run') &&
  installedPackages !== null &&
  !Object.values(installedPackages).some(({ dev }) => dev);

/** Optional packages may be missing: npm leaves out those for other platforms, or all of them with --omit=optional. */
const isInstalled = ([path, { version, integrity, dev, devOptional, optional }]) =>
  installedPackages?.[path] === undefined
    ? optional || devOptional || (isProduction && dev)
    : installedPackages[path].version === version && installedPackages[path].integrity === integrity;

if (!Object.entries(lockedPackages).every(isInstalled)) {
  const npm = process.env.npm_execpath;
  if (!npm) fail(CONFIGURATION_ERROR, 'run this through npm: npm start, npm test or npm run setup.');
  process.stdout.write('Installing the packages …\n');
  // Never `npm install`, which also installs packages without a hash in the lockfile.
  const args = [npm, 'ci', '--loglevel=error', '--no-audit', '--no-fund'];
  if (isProduction) args.push('--omit=dev');
  const install = (options, stderr) =>
    spawnSync(process.execPath, [...args, ...options], { cwd: root, stdio: ['inherit', 'inherit', stderr] })
      .status === 0;
  // `--prefer-offline` saves a request for every package that npm has cached. npm fails if its cached list of a package's
  // versions is too old for the lockfile. In that case, npm runs again without the option.
  if (!install(['--prefer-offline'], 'ignore') && !install([], 'inherit')) {
    fail(
      TRY_AGAIN,
      'the packages that package-lock.json lists could not be installed. Check that npm can reach its registry, then try again.',
    );
  }
}

if (major < PROGRAM_MAJOR && !existsSync(join(root, 'node_modules/.bin/node'))) {
  fail(
    CONFIGURATION_ERROR,
    `npm did not install Node ${PROGRAM_MAJOR}, and this is Node ${process.versions.node}. Install Node ${PROGRAM_MAJOR}, or run ` +
      'npm ci --omit=dev without --omit=optional.',
  );
}
