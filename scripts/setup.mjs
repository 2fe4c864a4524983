// Installs the packages before `npm start`, `npm test` and the other commands. Because nothing is installed yet, this program
// runs on the system's Node (20 or newer) with built-in modules only. A digest of package.json and package-lock.json shows
// whether the installation is current. File times would not show it, because they change with every clone.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 20;
const CONFIGURATION_ERROR = 78;
const TRY_AGAIN = 75;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.setup-stamp');

function fail(code, message) {
  process.stderr.write(`set-up: ${message}\n`);
  process.exit(code);
}

if (Number(process.versions.node.split('.')[0]) < NEEDED_MAJOR) {
  fail(CONFIGURATION_ERROR, `Node ${NEEDED_MAJOR} or newer is needed; this is ${process.versions.node}.`);
}

const stamp = createHash('sha256')
  .update(readFileSync(join(root, 'package.json')))
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  const npm = process.env.npm_execpath;
  if (!npm) fail(CONFIGURATION_ERROR, 'run this through npm: npm start, npm test or npm run setup.');
  process.stdout.write('Installing the packages …\n');
  // Never `npm install`, which also installs packages without a hash in the lockfile.
  const args = [npm, 'ci', '--loglevel=error', '--no-audit', '--no-fund'];
  if (spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status !== 0) {
    fail(
      TRY_AGAIN,
      'the packages that package-lock.json lists could not be installed. Check that npm reaches its registry, then try again.',
    );
  }
  writeFileSync(stampFile, stamp);
}
