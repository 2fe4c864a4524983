/** How many records one call changes at most. */
export const MAX_BULK = 200;

/** What becomes of a record, or why it is left out. */
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
