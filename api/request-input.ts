import type { z } from 'zod';
import { ApiError } from './errors.ts';

/** @throws {ApiError} `invalid-query` with the schema's message for every parameter that is missing or invalid */
export function readQuery<Schema extends z.ZodObject>(schema: Schema, query: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  // A parameter can break several rules that have the same message, so duplicates are removed.
  throw new ApiError('invalid-query', {
    text: [...new Set(parsed.error.issues.map(({ message }) => message))].join(' '),
  });
}

const MAX_ERRORS_LISTED = 8;
/** How many unknown fields an error names, and how many characters of each name it shows. A name may be as long as the body. */
const MAX_FIELDS_NAMED = 3;
const MAX_NAME_LENGTH = 40;

/** The message repeats nothing from the input except the names of unknown fields, which it shortens. */
export function errorMessage(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  const names = issue.keys
    .slice(0, MAX_FIELDS_NAMED)
    .map((key) => (key.length > MAX_NAME_LENGTH ? `${key.slice(0, MAX_NAME_LENGTH)}…` : key));
  return `Remove the unknown fields: ${names.join(', ')}${issue.keys.length > MAX_FIELDS_NAMED ? ' and more' : ''}.`;
}

/**
 * The error does not repeat values from the body, because they may be personal.
 * @throws {ApiError} `invalid-body` with the invalid fields and what is wrong with them
 */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body ?? {}, { reportInput: false });
  if (parsed.success) return parsed.data;
  const messages = parsed.error.issues.slice(0, MAX_ERRORS_LISTED).map((issue) => {
    const field = issue.path.map(String).join('.');
    const message = errorMessage(issue);
    return field === '' || message.includes(field) ? message : `${field}: ${message}`;
  });
  throw new ApiError('invalid-body', { text: messages.join(' ') });
}
