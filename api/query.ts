import type { z } from 'zod';
import { InvalidQueryError } from './errors.ts';

/**
 * The parameters of a query, as a call's schema reads them.
 * @throws {InvalidQueryError} with the schema's own words for every parameter that is missing or wrong.
 */
export function readQuery<Schema extends z.ZodObject>(schema: Schema, query: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  // A parameter can be wrong in more than one way, all told in the same words.
  throw new InvalidQueryError([...new Set(parsed.error.issues.map(({ message }) => message))].join(' '));
}
