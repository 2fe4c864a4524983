import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { validate } from 'node-cron';
import { z } from 'zod';
import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import { type ConfigProblem, wholeNumber } from './variable-types.ts';

export interface BackupConfig {
  /** Five cron fields, in UTC; null when no backups are scheduled. */
  readonly pattern: string | null;
  /** The folder; null for `backups` beside the store files. */
  readonly folder: string | null;
  /** How many of the newest backups are kept. */
  readonly keep: number;
}

const KEY_BYTES = 32;
/** 32 bytes in base64: 43 digits, the last one ending in zero bits, and one padding sign. */
const KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/** Whether a text is a master key for documents. */
export function isDocumentKey(text: string): boolean {
  return KEY.test(text);
}

const LONGEST_RETENTION = PORTAL_LIMITS.documentRetentionDays;

export const STORAGE_VARIABLES = {
  BACKUP_CRON: z
    .string()
    .refine((text) => text === 'off' || (text.trim().split(/\s+/).length === 5 && validate(text)), {
      error: 'is not a schedule. Write five cron fields in UTC, such as 17 3 * * *, or off.',
    })
    .default('17 3 * * *'),
  BACKUP_DIR: z.string().optional(),
  BACKUP_KEEP: wholeNumber(
    1,
    1_000,
    'is not a number of backups. Set it to a number from 1 to 1000.',
  ).default(14),
  DOCUMENT_KEY: z
    .string()
    .refine(isDocumentKey, {
      error: `is not ${KEY_BYTES} bytes in base64. Generate one with: openssl rand -base64 ${KEY_BYTES}`,
    })
    .optional(),
  DOCUMENT_RETENTION_DAYS: wholeNumber(
    1,
    LONGEST_RETENTION,
    `is not a number of days from 1 to ${LONGEST_RETENTION}. The privacy policy promises at most ${LONGEST_RETENTION}.`,
  ).default(LONGEST_RETENTION),
};

export function backupConfig(values: {
  readonly BACKUP_CRON: string;
  readonly BACKUP_DIR?: string | undefined;
  readonly BACKUP_KEEP: number;
}): BackupConfig {
  const { BACKUP_CRON: pattern, BACKUP_DIR: folder = null, BACKUP_KEEP: keep } = values;
  return { pattern: pattern === 'off' ? null : pattern, folder, keep };
}

/** Holds the master key beside the store files when `DOCUMENT_KEY` is not set. */
const DOCUMENT_KEY_FILE = 'document.key';

export function documentKeyFile(dataDir: string): string {
  return join(resolve(dataDir), DOCUMENT_KEY_FILE);
}

/** The trimmed content of a key file, valid or not; null when there is no file. */
export async function readDocumentKeyFile(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** The problem with a data folder's key file, or null when the file is valid or missing. Creates nothing. */
export async function documentKeyProblem(dataDir: string): Promise<ConfigProblem | null> {
  const file = documentKeyFile(dataDir);
  const restore =
    'Restore the previous file, or set DOCUMENT_KEY to the key that the documents were encrypted with.';
  try {
    const key = await readDocumentKeyFile(file);
    if (key === null || isDocumentKey(key)) return null;
    return {
      variable: 'DOCUMENT_KEY',
      message: `is not set, and ${file} does not contain a key. ${restore}`,
    };
  } catch {
    return { variable: 'DOCUMENT_KEY', message: `is not set, and ${file} cannot be read. ${restore}` };
  }
}
