import type { z } from 'zod';
import { faultWords } from '../body.ts';
import { InvalidBodyError } from '../errors.ts';
import { AutomatedFormError } from './application-errors.ts';

/** How many faults of a form are told at once. */
const FAULTS_TOLD = 8;

/**
 * A form as its contract reads it. Its fields tell their faults in whole sentences for the person who filled it in, which
 * stand here as they are; what was sent is not repeated.
 * @throws {InvalidBodyError} with the fault of every field that is wrong.
 * @throws {AutomatedFormError} where the field was filled in that people do not see.
 */
export function readForm<Schema extends z.ZodType<{ readonly website?: string | undefined }>>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(body ?? {}, { reportInput: false });
  if (!parsed.success) {
    const faults = new Set(parsed.error.issues.map(faultWords));
    throw new InvalidBodyError([...faults].slice(0, FAULTS_TOLD).join(' '));
  }
  if (parsed.data.website) throw new AutomatedFormError();
  return parsed.data;
}
