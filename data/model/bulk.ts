/** The most records that one call can change. */
export const MAX_BULK = 200;

/** The most records that one call can merge into another one. */
export const MAX_MERGED = 20;

export const BULK_OUTCOMES = [
  'ready',
  'done',
  'unchanged',
  'changed',
  'unknown',
  'other-kind',
  'closed',
  'warned',
  'voted',
  'contradicts',
  'reason-needed',
  'failed',
] as const;
export type BulkOutcome = (typeof BULK_OUTCOMES)[number];
