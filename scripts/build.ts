import '../data/runtime/node-version.ts';
import { parseArgs } from 'node:util';
import { apiOriginProblem, crossOriginSiteOf } from '../data/config/api-origin.ts';
import { parseEnvironment } from '../data/config/environment.ts';
import { loadEnvFile, problemsText } from '../data/config/read-config.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { installShutdown, runMain } from '../data/runtime/shutdown.ts';
import { buildProgramsIfStale } from './build-programs.ts';
import { buildSiteIfStale } from './build-site.ts';
import { type StaticOrigins, writeStaticSite } from './static-site.ts';

const USAGE = 'npm run build -- [--static [--out FOLDER]]';

function readArguments(args: readonly string[]): { readonly staticFolder: string | null } {
  try {
    const options = { static: { type: 'boolean' }, out: { type: 'string' } } as const;
    const { static: isStatic = false, out } = parseArgs({ args: [...args], options }).values;
    if (!isStatic && out !== undefined) throw new Error('--out requires --static.');
    return { staticFolder: isStatic ? (out ?? 'dist-static') : null };
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : error}\n${USAGE}`, EXIT.usage);
  }
}

/** The two origins of a static site. @throws {StartError} with exit code 78 if one is missing or invalid */
async function readOrigins(): Promise<StaticOrigins> {
  loadEnvFile();
  const { PUBLIC_ORIGIN, PUBLIC_API_ORIGIN } = process.env;
  const outcome = parseEnvironment({ PUBLIC_ORIGIN, PUBLIC_API_ORIGIN });
  const problem = outcome.ok ? await apiOriginProblem(outcome.config) : null;
  const problems = outcome.ok ? [] : [...outcome.problems];
  if (problem) problems.push(problem);
  if (!PUBLIC_API_ORIGIN)
    problems.push({
      variable: 'PUBLIC_API_ORIGIN',
      message: 'is not set. A static site needs the API’s origin.',
    });
  const site = outcome.ok ? crossOriginSiteOf(outcome.config) : null;
  if (site === null || !PUBLIC_API_ORIGIN || problems.length > 0)
    throw new StartError(problemsText(problems), EXIT.configuration);
  return { site, api: PUBLIC_API_ORIGIN };
}

await runMain('build', async () => {
  const { staticFolder } = readArguments(process.argv.slice(2));
  const origins = staticFolder === null ? null : await readOrigins();
  const shutdown = installShutdown((message) => process.stderr.write(`${message}\n`));
  await buildProgramsIfStale();
  process.stdout.write((await buildSiteIfStale(shutdown.signal)) ? 'Site built.\n' : 'Site is up to date.\n');
  if (staticFolder !== null && origins !== null) {
    await writeStaticSite('dist', staticFolder, origins);
    process.stdout.write(
      `Static site for ${origins.site} written to ${staticFolder}, with its API at ${origins.api}.\n`,
    );
  }
  await shutdown.stop();
});
