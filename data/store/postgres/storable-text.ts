import type { AuditRecord } from '../audit-port.ts';
import type { Value } from './database.ts';

/** Text in PostgreSQL cannot contain U+0000. It is replaced and not removed, so that different texts stay different. */
const replaceNul = (text: string): string =>
  text.includes('\u0000') ? text.replaceAll('\u0000', '\ufffd') : text;

export function storableValue(value: Value): Value {
  if (typeof value === 'string') return replaceNul(value);
  return Array.isArray(value) ? value.map(storableValue) : value;
}

/** JSON without U+0000 in its texts. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\u0000')) return text;
  return JSON.stringify(value, (_name, one) => (typeof one === 'string' ? replaceNul(one) : one));
}

/** A record as it will be read from the database, so that its hash equals the hash of the stored record. */
export const storableRecord = (record: AuditRecord): AuditRecord => JSON.parse(storableJson(record));
