/** Readers for untrusted JSON. Each returns the typed value, or throws a `ShapeError` that mentions the given name. */

export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readJsonRecord(value: unknown, name: string): JsonRecord {
  if (!isRecord(value)) throw new ShapeError(`${name} is not an object`);
  return value;
}

export function readJsonList(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ShapeError(`${name} is not a list`);
  return value;
}

export function readJsonText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new ShapeError(`${name} is not a string`);
  return value;
}

/** A non-negative integer that a JSON number represents exactly. */
export function readJsonInteger(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new ShapeError(`${name} is not a non-negative integer`);
  }
  return value;
}

/** Some Solana node versions omit a member that others set to null. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}
