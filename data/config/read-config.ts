import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EXIT, StartError } from '../runtime/exit-codes.ts';
import { type ConfigFault, type PortalConfig, parseEnvironment } from './environment.ts';

/** All faults of a configuration as the text an operator reads. */
export function faultsText(faults: readonly ConfigFault[]): string {
  const lines = faults.map(({ variable, fault }) => `  ${variable} ${fault}`);
  const count = faults.length === 1 ? 'One setting is' : `${faults.length} settings are`;
  return `${count} wrong. Nothing was started.\n${lines.join('\n')}\nSee .env.example for every variable.`;
}

/**
 * Adds the variables of `.env` in the working folder, where there is one, to the environment; what is set already stays.
 * @throws {StartError} code 78 where the file is there and cannot be read.
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

/**
 * The configuration, from `.env` and the environment.
 * @throws {StartError} code 78, naming every fault at once.
 */
export function readConfig(): PortalConfig {
  loadEnvFile();
  const outcome = parseEnvironment(process.env);
  if (!outcome.ok) throw new StartError(faultsText(outcome.faults), EXIT.configuration);
  return outcome.config;
}

/** The folder itself where it is there, else the nearest one above it that is. */
async function nearestExisting(path: string): Promise<string> {
  const present = await access(path).then(
    () => true,
    () => false,
  );
  return present || dirname(path) === path ? path : nearestExisting(dirname(path));
}

/** What is wrong with the folder of the store files, or null where it can be made and written. Makes nothing. */
export async function dataDirFault(dataDir: string): Promise<ConfigFault | null> {
  try {
    const existing = await nearestExisting(resolve(dataDir));
    await access(existing, constants.R_OK | constants.W_OK | constants.X_OK);
    if ((await stat(existing)).isDirectory()) return null;
  } catch {
    // Told below, in words of our own.
  }
  return {
    variable: 'DATA_DIR',
    fault: `names a folder that cannot be written: ${dataDir}. Make it writable, or set DATA_DIR to another.`,
  };
}

/**
 * The folder of the store files as an absolute path, made if it is not there.
 * @throws {StartError} code 78 where it cannot be written.
 */
export async function prepareDataDir(dataDir: string): Promise<string> {
  const fault = await dataDirFault(dataDir);
  if (fault) throw new StartError(faultsText([fault]), EXIT.configuration);
  const folder = resolve(dataDir);
  await mkdir(folder, { recursive: true });
  return folder;
}
