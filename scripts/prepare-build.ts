import { existsSync } from 'node:fs';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { bundledApi } from './bundled-api.ts';

/** What a build needs. A production installation (`npm ci --omit=dev`) and a release leave it out. */
const BUILD_TOOLS = ['node_modules/astro', 'node_modules/rolldown', 'site', 'content'];
const SITE = 'dist/index.html';

/**
 * Builds what is stale. Where the build tools are not installed, the portal runs on the site that `dist/` has, and on the
 * API's sources if there is no bundle of them.
 * @throws {StartError} code 75 if there is no site and it cannot be built
 */
export async function prepareBuild(
  signal: AbortSignal,
): Promise<{ readonly apiProgram: string; readonly isSiteNew: boolean }> {
  if (BUILD_TOOLS.every((path) => existsSync(path))) {
    const [{ buildApiIfStale }, { buildSiteIfStale }] = await Promise.all([
      import('./build-api.ts'),
      import('./build-site.ts'),
    ]);
    return { apiProgram: await buildApiIfStale(), isSiteNew: await buildSiteIfStale(signal) };
  }
  if (!existsSync(SITE)) {
    throw new StartError(
      'The site is not built, and the packages that build it are not installed. Run npm run build, which installs ' +
        'them, copy dist/ and build/ from a machine on which it ran, or start a release (docs/releases.md).',
      EXIT.tryAgain,
    );
  }
  const { program, isBuilt } = await bundledApi();
  return { apiProgram: isBuilt ? program : 'api/main.ts', isSiteNew: false };
}
