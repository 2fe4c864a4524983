import { replaceEqualDeep } from '@tanstack/react-query';

/** Fields that say when a body was read, not what it says. */
const READ_FIELDS: ReadonlySet<string> = new Set(['asOf', 'slot', 'state']);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The body to keep of two answers of one call: the former where the latter brings the same figures, read later, and
 * else the latter with its unchanged parts taken from the former. What is the same object is not drawn again.
 */
export function keepSameFigures(before: unknown, after: unknown): unknown {
  const shared: unknown = replaceEqualDeep(before, after);
  if (!isRecord(before) || !isRecord(shared)) return shared;
  const names = Object.keys(shared);
  if (names.length !== Object.keys(before).length) return shared;
  return names.every((name) => READ_FIELDS.has(name) || shared[name] === before[name]) ? before : shared;
}
