import { validate } from 'node-cron';
import { z } from 'zod';

/** The variables about backups of `app.db`. */

export interface BackupConfig {
  /** When one is made, in cron's five fields, by UTC; null where none is made by itself. */
  readonly pattern: string | null;
  /** The folder; null for `backups` beside the store files. */
  readonly folder: string | null;
  /** How many are kept, the newest. */
  readonly keep: number;
}

const KEEP_FAULT = 'is not a number of backups from 1 to 1000.';

export const BACKUP_VARIABLES = {
  BACKUP_CRON: z
    .string()
    .refine((text) => text === 'off' || (text.trim().split(/\s+/).length === 5 && validate(text)), {
      error: 'is no schedule. Write it in the five fields of cron, by UTC, such as 17 3 * * *, or off.',
    })
    .default('17 3 * * *'),
  BACKUP_DIR: z.string().optional(),
  BACKUP_KEEP: z
    .string()
    .regex(/^\d{1,4}$/, KEEP_FAULT)
    .transform(Number)
    .refine((count) => count >= 1 && count <= 1_000, KEEP_FAULT)
    .default(14),
} as const;

/** The backup part of a checked environment. */
export function backupConfig(values: {
  readonly BACKUP_CRON: string;
  readonly BACKUP_DIR?: string | undefined;
  readonly BACKUP_KEEP: number;
}): BackupConfig {
  const { BACKUP_CRON: pattern, BACKUP_DIR: folder = null, BACKUP_KEEP: keep } = values;
  return { pattern: pattern === 'off' ? null : pattern, folder, keep };
}
