import type { Reading } from '../../data/reading.ts';
import { type Source, sourceOf } from '../../data/source-freshness.ts';

/** Reads a figure again after a failure. */
export interface Retry {
  readonly run: () => void;
  readonly running: boolean;
}

/** Where a shown figure comes from, which decides what may be said about it. */
export type Provenance =
  | { readonly kind: 'loading' }
  /** Read from its source; `asOf` is Unix ms. */
  | { readonly kind: 'read'; readonly asOf: number; readonly source: Source }
  /** A published fixed fallback stands in. */
  | { readonly kind: 'reference'; readonly retry: Retry | null }
  /** Nothing stands in: the figure is a dash. */
  | { readonly kind: 'unavailable'; readonly why: string }
  /** A constant of the project, true without a source. */
  | { readonly kind: 'stated' };

interface Sourced {
  readonly asOf: string;
  readonly source: string;
}

/** The provenance of a figure that has a published fallback. */
export function provenanceOf(
  reading: Reading<Sourced>,
): Exclude<Provenance, { kind: 'unavailable' | 'stated' }> {
  switch (reading.kind) {
    case 'loading':
      return { kind: 'loading' };
    case 'known':
      return { kind: 'read', asOf: Date.parse(reading.body.asOf), source: sourceOf(reading.body.source) };
    case 'unknown':
      return { kind: 'reference', retry: null };
    case 'failed':
      return { kind: 'reference', retry: { run: reading.retry, running: reading.retrying } };
  }
}
