import type { Reading } from '../../data/figure-query.ts';
import type { FigurePath } from '../../data/figure-strategies.ts';
import { type FigureRead, sourceOf } from '../../data/source-freshness.ts';

export function feedLabel(source: string): string {
  return source === 'demo' ? 'demo feed — not a market price' : `${source} feed`;
}

const CHAIN_LABELS = new Map([
  ['solana', 'Solana'],
  ['embedded-ledger', 'embedded demo ledger'],
]);

export function sourceLabel(source: string): string {
  return CHAIN_LABELS.get(source) ?? feedLabel(source);
}

export interface Retry {
  readonly run: () => void;
  readonly running: boolean;
}

export type Provenance =
  | { readonly kind: 'loading' }
  | ({ readonly kind: 'read' } & FigureRead)
  /** The figure is unknown. Its published reference value is shown. */
  | { readonly kind: 'reference'; readonly why: string; readonly retry: Retry | null }
  /** The figure is unknown and has no reference value. A dash is shown. */
  | { readonly kind: 'unavailable'; readonly why: string; readonly retry: Retry | null }
  /** A constant that the project sets. */
  | { readonly kind: 'stated' };

/** @param fallbackKind whether a reference value or a dash is shown while the figure is not known */
export function provenanceOf(
  path: FigurePath,
  reading: Reading<{ readonly asOf: string; readonly source: string }>,
  fallbackKind: 'reference' | 'unavailable',
): Provenance {
  switch (reading.kind) {
    case 'loading':
      return { kind: 'loading' };
    case 'known': {
      const { asOf, source } = reading.body;
      return { kind: 'read', asOf: Date.parse(asOf), source: sourceOf(source), calls: [path] };
    }
    case 'unknown':
      return { kind: fallbackKind, why: 'Not available yet', retry: null };
    case 'failed':
      return {
        kind: fallbackKind,
        why: 'Could not load',
        retry: { run: reading.retry, running: reading.isRetrying },
      };
  }
}

/** The total is as old as the older figure, and unknown if one figure is unknown. */
export function totalProvenance(one: Provenance, other: Provenance): Provenance {
  if (one.kind === 'read' && other.kind === 'read') {
    const older = one.asOf < other.asOf ? one : other;
    return { ...older, calls: [...one.calls, ...other.calls] };
  }
  if (one.kind === 'loading' || other.kind === 'loading') return { kind: 'loading' };
  return { kind: 'unavailable', why: 'Requires both live figures', retry: null };
}

export function showsTheSame(before: Provenance, after: Provenance): boolean {
  if (before.kind === 'read' && after.kind === 'read') {
    // The shown age depends on `asOf` if the figure has its own freshness or no calls. Otherwise it depends on when its
    // calls and its source were last read.
    const showsAsOf = after.freshness !== undefined || after.calls.length === 0;
    return (
      before.source === after.source &&
      before.freshness === after.freshness &&
      before.calls.join() === after.calls.join() &&
      (!showsAsOf || before.asOf === after.asOf)
    );
  }
  if (before.kind !== after.kind) return false;
  if (!('why' in before && 'why' in after)) return true;
  return (
    before.why === after.why &&
    before.retry?.run === after.retry?.run &&
    before.retry?.running === after.retry?.running
  );
}
