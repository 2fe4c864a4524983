import type { AuditRecord } from '../audit-port.ts';
import type { Value } from './database.ts';

/** Text in PostgreSQL cannot hold U+0000. The character in its place is not removed, so that no text equals another one. */
const withoutNul = (text: string): string =>
  text.includes('\u0000') ? text.replaceAll('\u0000', '\ufffd') : text;

export function storable(value: Value): Value {
  if (typeof value === 'string') return withoutNul(value);
  return Array.isArray(value) ? value.map(storable) : value;
}

/** JSON in which no text holds U+0000. */
export function jsonOf(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\u0000')) return text;
  return JSON.stringify(value, (_name, one) => (typeof one === 'string' ? withoutNul(one) : one));
}

/** A record as it is read again, so that its hash is that of the stored record. */
export const storableRecord = (record: AuditRecord): AuditRecord => JSON.parse(jsonOf(record));
