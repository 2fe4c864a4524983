import { z } from 'zod';
import { PORTAL_LIMITS } from '../model/portal-limits.ts';

/** The variable about how long documents are kept. */

const PROMISED = PORTAL_LIMITS.documentRetentionDays;
const FAULT = `is not a number of days from 1 to ${PROMISED}. The privacy policy promises ${PROMISED} at most.`;

export const RETENTION_VARIABLES = {
  DOCUMENT_RETENTION_DAYS: z
    .string()
    .regex(/^\d{1,4}$/, FAULT)
    .transform(Number)
    .refine((days) => days >= 1 && days <= PROMISED, FAULT)
    .default(PROMISED),
} as const;
