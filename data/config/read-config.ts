import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EXIT, type ExitCode, StartError } from '../runtime/exit-codes.ts';
import { makePrivate, setPrivateUmask } from '../runtime/private-files.ts';
import { type PortalConfig, parseEnvironment } from './environment.ts';
import type { ConfigProblem } from './variable-types.ts';

export function problemsText(problems: readonly ConfigProblem[]): string {
  const lines = problems.map(({ variable, message }) => `  ${variable} ${message}`);
  const count = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`;
  return `${count} wrong. Nothing was started.\n${lines.join('\n')}\nSee .env.example for every variable.`;
}

/**
 * Adds the variables from the file `.env` in the working folder, if it exists, to the environment. A variable that is already
 * set keeps its value.
 * @throws {StartError} with code 78 when the file cannot be read.
 */
export function loadEnvFile(): void {
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw new StartError('.env cannot be read. Make it readable or remove it.', EXIT.configuration, {
      cause: error,
    });
  }
}

/** @throws {StartError} with code 78 when a variable is wrong. The message lists every problem. */
export function readConfig(): PortalConfig {
  loadEnvFile();
  const outcome = parseEnvironment(process.env);
  if (!outcome.ok) throw new StartError(problemsText(outcome.problems), EXIT.configuration);
  return outcome.config;
}

async function nearestExistingFolder(path: string): Promise<string> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : nearestExistingFolder(dirname(path));
}

/** Null if the folder is writable or can be created. Does not create it. */
export async function dataDirProblem(dataDir: string): Promise<ConfigProblem | null> {
  try {
    const existing = await nearestExistingFolder(resolve(dataDir));
    await access(existing, constants.R_OK | constants.W_OK | constants.X_OK);
    if ((await stat(existing)).isDirectory()) return null;
  } catch {
    // The unusable folder is reported below.
  }
  return {
    variable: 'DATA_DIR',
    message: `is a folder that the portal cannot write to: ${dataDir}. Make it writable, or set DATA_DIR to a different one.`,
  };
}

/**
 * Creates the data folder if it does not exist, and returns its absolute path. Makes everything in the folder, and everything
 * that this process creates from now on, readable only by the user who runs it.
 * @param onReadable receives the paths that other users can still read, because another user owns them
 * @throws {StartError} with code 78 when the portal cannot write to the folder.
 */
export async function prepareDataDir(
  dataDir: string,
  onReadable: (paths: readonly string[]) => void = () => {},
): Promise<string> {
  const problem = await dataDirProblem(dataDir);
  if (problem) throw new StartError(problemsText([problem]), EXIT.configuration);
  const folder = resolve(dataDir);
  setPrivateUmask();
  await mkdir(folder, { recursive: true });
  const readablePaths = await makePrivate(folder);
  if (readablePaths.length > 0) onReadable(readablePaths);
  return folder;
}

export interface ListenAddress {
  readonly variable: 'PORT' | 'LEDGER_PORT' | 'METRICS_PORT';
  readonly host: string;
  readonly port: number;
}

/** The exit code shows whether a retry can help: a port in use may become free, but a wrong address stays wrong. */
export type ListenProblem = ConfigProblem & { readonly exitCode: ExitCode };

/** Explains why listening failed with this error code; null for an unknown code. */
export function listenProblem(
  code: string | undefined,
  { variable, host, port }: ListenAddress,
): ListenProblem | null {
  const hostVariable = variable === 'METRICS_PORT' ? 'METRICS_HOST' : 'HOST';
  switch (code) {
    case 'EADDRINUSE':
      return {
        variable,
        message: `${port} is in use. Stop the program that listens there, or set ${variable} to another port.`,
        exitCode: EXIT.tryAgain,
      };
    case 'EACCES':
      return {
        variable,
        message: `${port} may not be opened by this user. Set ${variable} to 1024 or above.`,
        exitCode: EXIT.configuration,
      };
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return {
        variable: hostVariable,
        message: `${host} is not an address of this machine. Set ${hostVariable} to 127.0.0.1, or to 0.0.0.0 for access from other machines.`,
        exitCode: EXIT.configuration,
      };
    default:
      return null;
  }
}
