import { map } from 'nanostores';

/** When the source behind each call's newest answer was read (Unix ms), by path; absent where none told. */
export type CallReads = Readonly<Partial<Record<string, number>>>;

/**
 * Kept apart from the figures: an answer that brings the same figures again makes them younger and nothing else, so that
 * no tile is drawn anew for it.
 */
export const $callReads = map<Partial<Record<string, number>>>({});

/** Notes an answer of a call, if it says when its source was read. */
export function noteAnswer(path: string, body: unknown): void {
  if (typeof body !== 'object' || body === null || !('asOf' in body) || typeof body.asOf !== 'string') return;
  const readAt = Date.parse(body.asOf);
  if (Number.isFinite(readAt)) $callReads.setKey(path, readAt);
}
