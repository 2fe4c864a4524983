import type { z } from 'zod';
import { InvalidBodyError } from './errors.ts';

/** How many faults of a body are told at once. */
const FAULTS_TOLD = 8;
/** How many fields that do not belong are named, and how many characters of each: a name may be as long as the body. */
const FIELDS_NAMED = 3;
const NAME_AT_MOST = 40;

/** What is said of one fault. Of what was sent it repeats the names of fields that do not belong, in short. */
export function faultWords(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  const names = issue.keys
    .slice(0, FIELDS_NAMED)
    .map((key) => (key.length > NAME_AT_MOST ? `${key.slice(0, NAME_AT_MOST)}…` : key));
  return `Leave out what does not belong here: ${names.join(', ')}${issue.keys.length > FIELDS_NAMED ? ' and more' : ''}.`;
}

/**
 * The body of a request as its contract reads it. What was sent is not repeated in the error, since it may be personal.
 * @throws {InvalidBodyError} naming each field that is wrong and why.
 */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body ?? {}, { reportInput: false });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, FAULTS_TOLD).map((issue) => {
    const field = issue.path.map(String).join('.');
    const message = faultWords(issue);
    return field === '' || message.includes(field) ? message : `${field}: ${message}`;
  });
  throw new InvalidBodyError(faults.join(' '));
}
