import type { z } from 'zod';
import { InvalidBodyError } from './errors.ts';

/** How many faults of a body are told at once. */
const FAULTS_TOLD = 8;

/**
 * The body of a request as its contract reads it. What was sent is not repeated in the error, since it may be personal.
 * @throws {InvalidBodyError} naming each field that is wrong and why.
 */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body ?? {}, { reportInput: false });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, FAULTS_TOLD).map(({ path, message }) => {
    const field = path.map(String).join('.');
    return field === '' || message.includes(field) ? message : `${field}: ${message}`;
  });
  throw new InvalidBodyError(faults.join(' '));
}
