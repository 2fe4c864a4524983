import type { LiveChange, LiveFresh } from '../../data/contract/live.ts';

/**
 * The stream's messages are checked by hand: the schemas they are declared with would bring the whole of zod into the
 * browser for two shapes of one sender.
 */

function record(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return record(JSON.parse(text));
  } catch {
    return null;
  }
}

function paths(value: readonly unknown[]): string[] {
  return value.filter((path) => typeof path === 'string');
}

/** The data of an event `change`, or null where it is not one. */
export function readChange(text: string): LiveChange | null {
  const message = parse(text);
  const bodies = record(message?.bodies);
  if (message === null || bodies === null || typeof message.version !== 'number') return null;
  if (!Array.isArray(message.missing) || !Array.isArray(message.announced)) return null;
  return {
    version: message.version,
    bodies,
    announced: paths(message.announced),
    missing: paths(message.missing),
  };
}

function isRead(value: unknown): value is { asOf: string } {
  return typeof record(value)?.asOf === 'string';
}

function isReadAtSlot(value: unknown): value is { asOf: string; slot: number } {
  return isRead(value) && typeof record(value)?.slot === 'number';
}

/** The data of an event `fresh`, or null where it is not one. */
export function readFresh(text: string): LiveFresh | null {
  const message = parse(text);
  if (message === null) return null;
  const { now, chain, market } = message;
  if (typeof now !== 'string') return null;
  return { now, chain: isReadAtSlot(chain) ? chain : null, market: isRead(market) ? market : null };
}
