import type { Reading } from '../../data/figure-query.ts';
import type { FigurePath } from '../../data/figure-strategies.ts';
import { type FigureRead, sourceOf } from '../../data/source-freshness.ts';

/** The label of a market feed. The demo feed says that it is one. */
export function feedLabel(source: string): string {
  return source === 'demo' ? 'demo feed — not a market price' : `${source} feed`;
}

/** The chains among the values of a body's `source`. */
const CHAINS: Readonly<Record<string, string>> = {
  solana: 'Solana',
  'embedded-ledger': 'embedded demo ledger',
};

/** The label of a figure's source: a chain or a market feed. */
export function sourceLabel(source: string): string {
  return (Object.hasOwn(CHAINS, source) ? CHAINS[source] : undefined) ?? feedLabel(source);
}

/** Reads a figure again after a failure. */
export interface Retry {
  readonly run: () => void;
  readonly running: boolean;
}

/** Where a figure comes from. */
export type Provenance =
  | { readonly kind: 'loading' }
  | ({ readonly kind: 'read' } & FigureRead)
  /** A published reference value, because the figure is not known. */
  | { readonly kind: 'reference'; readonly why: string; readonly retry: Retry | null }
  /** Not known and without a reference value: a dash. */
  | { readonly kind: 'unavailable'; readonly why: string; readonly retry: Retry | null }
  /** A constant that the project sets. */
  | { readonly kind: 'stated' };

interface Sourced {
  readonly asOf: string;
  readonly source: string;
}

/**
 * The provenance of a figure from the call `path`.
 * @param otherwise whether a reference value or a dash is shown while the figure is not known
 */
export function provenanceOf(
  path: FigurePath,
  reading: Reading<Sourced>,
  otherwise: 'reference' | 'unavailable',
): Provenance {
  switch (reading.kind) {
    case 'loading':
      return { kind: 'loading' };
    case 'known': {
      const { asOf, source } = reading.body;
      return { kind: 'read', asOf: Date.parse(asOf), source: sourceOf(source), calls: [path] };
    }
    case 'unknown':
      return { kind: otherwise, why: 'Not available yet', retry: null };
    case 'failed':
      return {
        kind: otherwise,
        why: 'Could not load',
        retry: { run: reading.retry, running: reading.retrying },
      };
  }
}

/** Whether two provenances look the same on a tile. */
export function showsTheSame(before: Provenance, after: Provenance): boolean {
  if (before.kind === 'read') {
    if (after.kind !== 'read' || before.source !== after.source) return false;
    if (before.isOutdated !== after.isOutdated || before.freshness !== after.freshness) return false;
    if (before.freshness || after.calls.length === 0) {
      return before.asOf === after.asOf && before.calls.length === after.calls.length;
    }
    // Age labels follow the reads of the calls: a later `asOf` alone changes nothing here.
    const { calls } = after;
    return calls.length === before.calls.length && calls.every((call, index) => call === before.calls[index]);
  }
  if (before.kind === 'unavailable' || before.kind === 'reference') {
    return before.kind === after.kind && before.why === after.why && isSameRetry(before.retry, after.retry);
  }
  return before.kind === after.kind;
}

function isSameRetry(before: Retry | null, after: Retry | null): boolean {
  return before?.run === after?.run && before?.running === after?.running;
}
