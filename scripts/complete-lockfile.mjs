// `npm run lockfile` is for after a package was added or updated. It adds an entry for each optional platform package that npm
// left out because it was not in the registry then. Without them `npm ci` fails with "Missing: … from lock file".
import { readFileSync, writeFileSync } from 'node:fs';

const OS = /^(?:darwin|linux|win32|android|freebsd|openbsd|netbsd|sunos|aix|openharmony)$/;
const CPU = /^(?:x64|arm64|arm|ia32|riscv64|ppc64|s390x|loong64|mips64el|wasm32)$/;

const file = 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));

function hasEntry(owner, name) {
  for (let at = owner; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`]?.version) return true;
    if (at === '') return false;
  }
}

function platformOf(name) {
  const parts = name.split(/[-/@]/);
  const os = parts.find((part) => OS.test(part));
  const cpu = parts.find((part) => CPU.test(part));
  const libc = parts.includes('musl') ? 'musl' : parts.includes('gnu') ? 'glibc' : undefined;
  return {
    ...(os && { os: [os] }),
    ...(cpu && { cpu: [cpu] }),
    ...(os === 'linux' && libc && { libc: [libc] }),
  };
}

let added = 0;
for (const [owner, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (hasEntry(owner, name)) continue;
    const exact = /\d+\.\d+\.\d+[\w.+-]*/.exec(version)?.[0];
    if (!exact) continue;
    lock.packages[`node_modules/${name}`] = {
      version: exact,
      ...(entry.dev && { dev: true }),
      optional: true,
      ...platformOf(name),
    };
    added += 1;
  }
}
if (added > 0) {
  const [root, ...rest] = Object.entries(lock.packages);
  rest.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  lock.packages = Object.fromEntries([root, ...rest]);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
process.stdout.write(`${added} optional packages added to ${file}\n`);
