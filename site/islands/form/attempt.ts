import { newIdempotencyKey } from '../../data/submit-form.ts';
import type { Attempt } from './draft.ts';

/** The attempt to send a form: the one before where it says the same, so that it is taken once; else one of its own. */
export function attemptFor(before: Attempt | null, sent: string): Attempt {
  return before?.sent === sent ? before : { key: newIdempotencyKey(), at: new Date().toISOString(), sent };
}
