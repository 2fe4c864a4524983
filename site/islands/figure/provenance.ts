import type { FigurePath } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { type FigureRead, sourceOf } from '../../data/source-freshness.ts';

/** Reads a figure again after a failure. */
export interface Retry {
  readonly run: () => void;
  readonly running: boolean;
}

/** Where a shown figure comes from, which decides what may be said about it. */
export type Provenance =
  | { readonly kind: 'loading' }
  /** Read from its source. */
  | ({ readonly kind: 'read' } & FigureRead)
  /** A published fixed fallback stands in. */
  | { readonly kind: 'reference'; readonly why: string; readonly retry: Retry | null }
  /** Nothing stands in: the figure is a dash. */
  | { readonly kind: 'unavailable'; readonly why: string; readonly retry: Retry | null }
  /** A constant of the project, true without a source. */
  | { readonly kind: 'stated' };

const NOT_YET = 'Not read yet';
const FAILED = 'Could not be read';

interface Sourced {
  readonly asOf: string;
  readonly source: string;
}

function readFrom(path: FigurePath, { asOf, source }: Sourced): { readonly kind: 'read' } & FigureRead {
  return { kind: 'read', asOf: Date.parse(asOf), source: sourceOf(source), calls: [path] };
}

function retryOf(reading: Extract<Reading<unknown>, { kind: 'failed' }>): Retry {
  return { run: reading.retry, running: reading.retrying };
}

/** The provenance of a figure of the call `path` that has a published fallback. */
export function provenanceOf(
  path: FigurePath,
  reading: Reading<Sourced>,
): Exclude<Provenance, { kind: 'unavailable' | 'stated' }> {
  switch (reading.kind) {
    case 'loading':
      return { kind: 'loading' };
    case 'known':
      return readFrom(path, reading.body);
    case 'unknown':
      return { kind: 'reference', why: NOT_YET, retry: null };
    case 'failed':
      return { kind: 'reference', why: FAILED, retry: retryOf(reading) };
  }
}

/** The provenance of a figure of the call `path` that has none: a dash stands in while it is not had. */
export function provenanceWithoutFallback(
  path: FigurePath,
  reading: Reading<Sourced>,
): Exclude<Provenance, { kind: 'reference' | 'stated' }> {
  switch (reading.kind) {
    case 'loading':
      return { kind: 'loading' };
    case 'known':
      return readFrom(path, reading.body);
    case 'unknown':
      return { kind: 'unavailable', why: NOT_YET, retry: null };
    case 'failed':
      return { kind: 'unavailable', why: FAILED, retry: retryOf(reading) };
  }
}

/** Whether nothing that is shown depends on which of the two is given. */
export function saysTheSame(before: Provenance, after: Provenance): boolean {
  if (before.kind === 'read') {
    if (after.kind !== 'read' || before.source !== after.source) return false;
    if (before.isBehind !== after.isBehind) return false;
    if (before.pace !== after.pace) return false;
    if (before.pace) return before.asOf === after.asOf;
    // The calls' own reads make a figure younger: a later moment alone need not be handed down.
    const calls = after.calls;
    if (calls.length === 0) return before.calls.length === 0 && before.asOf === after.asOf;
    return calls.length === before.calls.length && calls.every((call, place) => call === before.calls[place]);
  }
  if (before.kind === 'unavailable' || before.kind === 'reference') {
    return before.kind === after.kind && before.why === after.why && sameRetry(before.retry, after.retry);
  }
  return before.kind === after.kind;
}

function sameRetry(before: Retry | null, after: Retry | null): boolean {
  return before?.run === after?.run && before?.running === after?.running;
}
