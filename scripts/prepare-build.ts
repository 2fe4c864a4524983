import { existsSync } from 'node:fs';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { builtPrograms, type ProgramFiles, programBundles } from './bundles.ts';

/**
 * Folders that a build needs. A production installation (`npm ci --omit=dev`) lacks the packages, and a release lacks
 * all of these folders.
 */
const BUILD_TOOLS = ['node_modules/astro', 'node_modules/rolldown', 'site', 'content'];
const SITE_INDEX_FILE = 'dist/index.html';

/**
 * Builds what is out of date. Without the build tools, the portal serves the existing site in `dist/`, and runs the programs
 * from their sources unless all of them are bundled.
 * @throws {StartError} with exit code 75 if the site is missing or was built from other sources, and cannot be built now
 */
export async function prepareBuild(
  signal: AbortSignal,
): Promise<{ readonly programs: ProgramFiles; readonly isSiteNew: boolean }> {
  if (BUILD_TOOLS.every((path) => existsSync(path))) {
    const { siteStamp } = await import('./site-stamp.ts');
    const [{ bundles, files }, site] = await Promise.all([programBundles(), siteStamp()]);
    // Builders are imported only when needed, because loading them takes 0.4 s of CPU time.
    const programs = bundles.every(({ isBuilt }) => isBuilt)
      ? files
      : await (await import('./build-programs.ts')).buildProgramsIfStale();
    const isSiteNew = !site.isBuilt && (await (await import('./build-site.ts')).buildSiteIfStale(signal));
    return { programs, isSiteNew };
  }
  if (!existsSync(SITE_INDEX_FILE)) {
    throw new StartError(
      'The site is not built, and the packages that build it are not installed. Run npm run build (it installs ' +
        'them), copy dist/ and build/ from a machine that has run it, or start a release (docs/releases.md).',
      EXIT.tryAgain,
    );
  }
  // Releases and the Docker image have no `site/`. Their built site always matches their programs.
  if (
    existsSync('site') &&
    existsSync('content') &&
    !(await (await import('./site-stamp.ts')).siteStamp()).isBuilt
  ) {
    throw new StartError(
      'The site in dist/ was built from other sources, and the packages that build it are not installed. Run npm ci && ' +
        'npm run build && npm ci --omit=dev, or copy dist/ and build/ from a machine that has built these sources.',
      EXIT.tryAgain,
    );
  }
  return { programs: await builtPrograms(), isSiteNew: false };
}
