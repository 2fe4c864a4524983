import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { validate } from 'node-cron';
import { z } from 'zod';
import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import { REMOTE_COPY_VARIABLES, type RemoteCopyConfig, remoteCopyConfig } from './remote-copy-variables.ts';
import { type ConfigProblem, wholeNumber } from './variable-types.ts';

export interface BackupConfig {
  /** Five cron fields, in UTC; null when no backups are scheduled. */
  readonly cronPattern: string | null;
  /** The folder of the backups; null for `backups` in the data folder. */
  readonly folder: string | null;
  /** How many backups are kept. Older ones are deleted. */
  readonly keep: number;
  /** Null if backups stay on this machine. */
  readonly remote: RemoteCopyConfig | null;
}

const KEY_BYTES = 32;

/**
 * Whether a text is 32 bytes in base64: 43 characters and `=`. The last of the 43 stands for four bits of data and two zero bits,
 * so only 16 characters are possible there.
 */
export function isDocumentKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text);
}

/** The maximum, which is also the default, is the number of days that the privacy policy promises. */
const retentionDays = (maxDays: number) =>
  wholeNumber(
    1,
    maxDays,
    `is not a number of days from 1 to ${maxDays}. The privacy policy promises at most ${maxDays}.`,
  ).default(maxDays);

/** A terabyte, in megabytes. */
const MAX_RESERVE_MB = 1_000_000;

export const STORAGE_VARIABLES = {
  BACKUP_CRON: z
    .string()
    .refine((text) => text === 'off' || (text.trim().split(/\s+/).length === 5 && validate(text)), {
      error: 'is not a schedule. Write five cron fields in UTC, such as 17 3 * * *, or off.',
    })
    .default('17 3 * * *'),
  BACKUP_DIR: z.string().optional(),
  BACKUP_KEEP: wholeNumber(1, 1_000, 'is not a number of backups from 1 to 1000.').default(14),
  ...REMOTE_COPY_VARIABLES,
  DISK_RESERVE_MB: wholeNumber(
    0,
    MAX_RESERVE_MB,
    `is not a number of megabytes from 0 to ${MAX_RESERVE_MB}. With less free disk space than this setting, no documents are accepted.`,
  ).default(1_000),
  DOCUMENT_KEY: z
    .string()
    .refine(isDocumentKey, {
      error: `is not ${KEY_BYTES} bytes in base64. Generate one with: openssl rand -base64 ${KEY_BYTES}`,
    })
    .optional(),
  DOCUMENT_RETENTION_DAYS: retentionDays(PORTAL_LIMITS.documentRetentionDays),
  MESSAGE_RETENTION_DAYS: retentionDays(PORTAL_LIMITS.messageRetentionDays),
};

/** @param hasFiles whether the portal stores its data in files, which it can back up */
export function backupConfig(
  values: z.infer<z.ZodObject<typeof STORAGE_VARIABLES>>,
  hasFiles: boolean,
): BackupConfig {
  const { BACKUP_CRON: cronPattern, BACKUP_DIR: folder = null, BACKUP_KEEP: keep } = values;
  const remote = remoteCopyConfig(values);
  return { cronPattern: cronPattern === 'off' || !hasFiles ? null : cronPattern, folder, keep, remote };
}

/** The file that contains the master key for documents when `DOCUMENT_KEY` is not set. */
export function documentKeyFile(dataDir: string): string {
  return join(resolve(dataDir), 'document.key');
}

/** The trimmed content of a key file, even if it is not a key; null when there is no file. */
export async function readDocumentKeyFile(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Null when the key file is valid or missing. */
export async function documentKeyProblem(dataDir: string): Promise<ConfigProblem | null> {
  const file = documentKeyFile(dataDir);
  const problemWithFile = (problem: string, remedy: string): ConfigProblem => ({
    variable: 'DOCUMENT_KEY',
    message: `is not set, and ${file} ${problem}. ${remedy}, or set DOCUMENT_KEY to the key that the documents were encrypted with.`,
  });
  try {
    const key = await readDocumentKeyFile(file);
    return key === null || isDocumentKey(key)
      ? null
      : problemWithFile('does not contain a key', 'Restore the previous file');
  } catch {
    return problemWithFile('cannot be read', 'Make it readable');
  }
}
