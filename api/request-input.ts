import type { z } from 'zod';
import { ApiError } from './errors.ts';

/**
 * Parses the query parameters of a call.
 * @throws {ApiError} `invalid-query` with the schema's message for every parameter that is missing or wrong.
 */
export function readQuery<Schema extends z.ZodObject>(schema: Schema, query: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  // One parameter can break several rules that share a message.
  throw new ApiError('invalid-query', {
    text: [...new Set(parsed.error.issues.map(({ message }) => message))].join(' '),
  });
}

/** Errors of a body that one answer lists. */
const ERRORS_LISTED = 8;
/** Unknown fields that are named, and characters of each name: a name may be as long as the body. */
const FIELDS_NAMED = 3;
const NAME_AT_MOST = 40;

/** The message for one error. Of the input it repeats only the names of unknown fields, shortened. */
export function errorMessage(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  const names = issue.keys
    .slice(0, FIELDS_NAMED)
    .map((key) => (key.length > NAME_AT_MOST ? `${key.slice(0, NAME_AT_MOST)}…` : key));
  return `Remove the unknown fields: ${names.join(', ')}${issue.keys.length > FIELDS_NAMED ? ' and more' : ''}.`;
}

/**
 * Parses the body of a request. The error does not repeat the values that were sent, since they may be personal.
 * @throws {ApiError} `invalid-body` naming each field that is wrong and why
 */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body ?? {}, { reportInput: false });
  if (parsed.success) return parsed.data;
  const messages = parsed.error.issues.slice(0, ERRORS_LISTED).map((issue) => {
    const field = issue.path.map(String).join('.');
    const message = errorMessage(issue);
    return field === '' || message.includes(field) ? message : `${field}: ${message}`;
  });
  throw new ApiError('invalid-body', { text: messages.join(' ') });
}
