/** How many records one call changes at most. */
export const MAX_BULK = 200;

/** How many records are merged into one at once at most. */
export const MAX_MERGED = 20;

/** The outcome for a record, or why it was left out. */
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
