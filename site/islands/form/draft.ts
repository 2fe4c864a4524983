import { newIdempotencyKey } from '../../data/submit-form.ts';
import { readStored, writeStored } from '../../shell/browser-storage.ts';

/** An attempt to send a form. Stored with the draft, so that a retry after a reload does not become a second submission. */
interface Attempt {
  /** The idempotency key. */
  readonly key: string;
  /** When the form was first sent, ISO 8601. */
  readonly at: string;
  /** The values that were sent, as JSON. Sending different values is a new attempt. */
  readonly sent: string;
}

/**
 * The values of a form that the server has not accepted yet. They are kept in session storage, which browsers clear when the
 * tab closes.
 */
interface Draft {
  readonly values: Readonly<Record<string, string>>;
  readonly attempt: Attempt | null;
}

const storageKey = (name: string) => `draft:${name}`;

/** A form about a wallet has a draft for each wallet. */
export function draftName(form: string, wallet?: string): string {
  return wallet === undefined ? form : `${form}:${wallet}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function stringsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function attemptOf(value: unknown): Attempt | null {
  const { key, at, sent } = stringsOf(value);
  return key && at && sent ? { key, at, sent } : null;
}

/** Null if there is no draft, the stored data is invalid, or the browser blocks storage. */
export function readDraft(name: string): Draft | null {
  try {
    const stored: unknown = JSON.parse(readStored('sessionStorage', storageKey(name)) ?? 'null');
    return isRecord(stored) ? { values: stringsOf(stored.values), attempt: attemptOf(stored.attempt) } : null;
  } catch {
    return null;
  }
}

/** Stores a draft; null removes the stored one. */
export function storeDraft(name: string, draft: Draft | null): void {
  writeStored('sessionStorage', storageKey(name), draft && JSON.stringify(draft));
}

/**
 * Returns the previous attempt if it sent the same values, otherwise a new one. The server accepts only one submission per
 * key.
 */
export function attemptFor(previous: Attempt | null, sent: string): Attempt {
  return previous?.sent === sent
    ? previous
    : { key: newIdempotencyKey(), at: new Date().toISOString(), sent };
}

const SEPARATOR = ' | ';

/** A string that identifies a file. A draft contains this string instead of the file. */
export function fileFingerprint({
  name,
  size,
  lastModified,
}: Pick<File, 'name' | 'size' | 'lastModified'>): string {
  return [size, lastModified, name].join(SEPARATOR);
}

/** The file name in a fingerprint; null for an empty fingerprint. */
export function fileNameIn(fingerprint: string): string | null {
  return fingerprint.split(SEPARATOR).slice(2).join(SEPARATOR) || null;
}
