import type { AuditRecord } from '../audit-port.ts';
import type { Value } from './database.ts';

/**
 * Text in PostgreSQL cannot contain U+0000 or lone surrogates. They are replaced rather than removed, so that a text keeps
 * its length.
 */
const storableText = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\ufffd');

export function storableValue(value: Value): Value {
  if (typeof value === 'string') return storableText(value);
  return Array.isArray(value) ? value.map(storableValue) : value;
}

export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  // `JSON.stringify` escapes U+0000 and lone surrogates.
  if (!text.includes('\\u0000') && !text.includes('\\ud')) return text;
  return JSON.stringify(value, (_name, one) => (typeof one === 'string' ? storableText(one) : one));
}

/** A record as it will be read from the database, so that its hash equals the hash of the stored record. */
export const storableRecord = (record: AuditRecord): AuditRecord => JSON.parse(storableJson(record));
