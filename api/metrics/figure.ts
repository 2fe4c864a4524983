import type { Call, ResponseOf } from '../../data/contract/call.ts';
import { type ApiError, NotIndexedYetError } from '../errors.ts';
import type { chainProvenance, Facts } from './facts.ts';

/** JSON text, and what its author knows of it where it is long, so that nobody has to go through it again. */
export interface BodyText {
  readonly json: string;
  readonly long?: {
    /** Equal for equal texts, and for no others: the entity tag is made of it. */
    readonly mark: string;
    /** Length in UTF-8. */
    readonly bytes: number;
  };
}

/** Where a body comes from, for headers: a list has no place for it in itself. */
export type ListProvenance = Pick<ReturnType<typeof chainProvenance>, 'state' | 'asOf' | 'slot'>;

/** What a call answers at a moment. */
export interface Reading extends BodyText {
  /** Of a list, and of no other body: that tells it itself. */
  readonly provenance?: ListProvenance;
  /** The part of the body whose change is news, as text to compare. */
  readonly news: string;
}

/** One live call and how its body comes from the facts. */
export interface Figure {
  readonly call: Call;
  /** What the call answers at `now` (Unix ms), or null while its source has not been read. */
  readonly read: (facts: Facts, now: number) => Reading | null;
  /** What the call answers while there is no reading. */
  readonly absent: ApiError;
}

/** A body without when and at which slot it was read: reading the same figure again is no news. */
export function withoutProvenance(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return { ...body, asOf: undefined, slot: undefined };
}

/** A figure whose body is serialised anew at each reading. */
export function figure<C extends Call>(
  call: C,
  bodyOf: (facts: Facts, now: number) => ResponseOf<C> | null,
  newsOf: (body: ResponseOf<C>) => unknown = withoutProvenance,
  absent: ApiError = new NotIndexedYetError(),
  provenanceOf?: (facts: Facts, now: number) => ListProvenance | null,
): Figure {
  return {
    call,
    absent,
    read: (facts, now) => {
      const body = bodyOf(facts, now);
      if (body === null) return null;
      const provenance = provenanceOf?.(facts, now);
      return {
        json: JSON.stringify(body),
        news: JSON.stringify(newsOf(body)),
        ...(provenance ? { provenance } : {}),
      };
    },
  };
}
