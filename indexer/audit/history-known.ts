import { z } from 'zod';
import { partOf } from './checks.ts';
import { type ApiReading, TRANSACTIONS } from './read-api.ts';

export const SUMMARY = '/api/staking/program-summary';

/** The calls by which the portal says how far it has read the history. */
export const HISTORY_CALLS = [TRANSACTIONS, SUMMARY] as const;

const summary = z.object({ quarantined: z.number() });

/**
 * Whether the portal says that it has read the whole history: it tells the newest transactions only then, and names how
 * many it could not read. What hangs on the history and is not told although it is read is a difference.
 */
export function isHistoryRead(api: ApiReading): boolean {
  const isTold = api.answer(TRANSACTIONS).kind === 'body';
  return isTold && partOf(api.answer(SUMMARY), summary)?.quarantined === 0;
}
