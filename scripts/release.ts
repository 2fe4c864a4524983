import '../data/runtime/node-version.ts';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installShutdown, runMain } from '../data/runtime/shutdown.ts';
import packageJson from '../package.json' with { type: 'json' };
import { billOfMaterials } from './bill-of-materials.ts';
import { buildProgramsIfStale } from './build-programs.ts';
import { buildSiteIfStale } from './build-site.ts';
import { productionPackages, releaseFiles, writeArchive } from './release-files.ts';

const INSTALLED_LOCKFILE = 'node_modules/.package-lock.json';
const SBOM = 'sbom.cdx.json';
const CHECKSUMS = 'SHA256SUMS';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/**
 * The time of the last commit in seconds since 1970, or SOURCE_DATE_EPOCH if that is set
 * (reproducible-builds.org/specs/source-date-epoch).
 */
function sourceDate(): number {
  const epochOverride = process.env.SOURCE_DATE_EPOCH;
  if (epochOverride) return Number(epochOverride);
  try {
    return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }));
  } catch {
    return 0;
  }
}

/** Builds the portal and writes it to one archive, which needs only Node to run. Also writes the archive's checksum. */
await runMain('release', async () => {
  const { values } = parseArgs({ options: { out: { type: 'string', default: 'release' } } });
  const shutdown = installShutdown((message) => process.stderr.write(`${message}\n`));
  await buildProgramsIfStale();
  await buildSiteIfStale(shutdown.signal);
  const date = sourceDate();
  const packages = productionPackages();
  const files = await releaseFiles(packages);
  const generatedFiles: Record<string, string> = {
    [INSTALLED_LOCKFILE]: `${JSON.stringify({ packages })}\n`,
    [SBOM]: billOfMaterials(packages, date * 1_000),
  };
  const sums = await Promise.all(
    [...files, SBOM].map(async (file) => {
      const bytes =
        generatedFiles[file] === undefined ? await readFile(file) : Buffer.from(generatedFiles[file]);
      return `${sha256(bytes)}  ${file}\n`;
    }),
  );
  generatedFiles[CHECKSUMS] = sums.join('');
  await mkdir(values.out, { recursive: true });
  const name = `${packageJson.name}-${packageJson.version}-${process.platform}-${process.arch}.tar.gz`;
  const archive = resolve(values.out, name);
  await writeArchive(archive, '.', files, generatedFiles, date);
  const bytes = await readFile(archive);
  await writeFile(`${archive}.sha256`, `${sha256(bytes)}  ${name}\n`);
  process.stdout.write(`${archive}\n${(bytes.length / 1e6).toFixed(0)} MB, ${files.length} files\n`);
  await shutdown.stop();
});
