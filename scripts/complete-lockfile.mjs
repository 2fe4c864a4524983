// Run `npm run lockfile` after you add or update a package. If there is a node_modules folder, npm omits other platforms'
// optional packages from the lockfile, and `npm ci` fails on those platforms. So this program resolves all packages in a
// temporary folder. Every package must have an integrity hash, because npm does not verify a package without a hash.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LOCKFILE = 'package-lock.json';

/** Locked packages without a hash, and optional dependencies that are not locked. */
function unverifiedPackages({ packages }) {
  const hasEntry = (owner, name) => {
    for (let base = owner; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
      if (packages[`${base === '' ? '' : `${base}/`}node_modules/${name}`]) return true;
      if (base === '') return false;
    }
  };
  return Object.entries(packages).flatMap(([path, { integrity, optionalDependencies = {} }]) => [
    ...(path !== '' && !integrity ? [path] : []),
    ...Object.keys(optionalDependencies).filter((name) => !hasEntry(path, name)),
  ]);
}

const folder = mkdtempSync(join(tmpdir(), 'lockfile-'));
try {
  const lock = JSON.parse(readFileSync(LOCKFILE, 'utf8'));
  for (const [path, { integrity }] of Object.entries(lock.packages)) {
    if (path !== '' && !integrity) delete lock.packages[path];
  }
  writeFileSync(join(folder, LOCKFILE), JSON.stringify(lock));
  for (const file of ['package.json', '.npmrc']) copyFileSync(file, join(folder, file));
  const args = ['install', '--package-lock-only', '--ignore-scripts'];
  const { status } = spawnSync(process.execPath, [process.env.npm_execpath, ...args], {
    cwd: folder,
    stdio: 'inherit',
  });
  const resolved = readFileSync(join(folder, LOCKFILE), 'utf8');
  const missing = status === 0 ? unverifiedPackages(JSON.parse(resolved)) : [];
  if (status !== 0 || missing.length > 0) {
    const reason =
      status === 0 ? `These packages are not locked or have no hash: ${missing.join(', ')}` : 'npm failed.';
    process.stderr.write(`${LOCKFILE} is unchanged. ${reason}\n`);
    process.exitCode = 1;
  } else copyFileSync(join(folder, LOCKFILE), LOCKFILE);
} finally {
  rmSync(folder, { recursive: true });
}
