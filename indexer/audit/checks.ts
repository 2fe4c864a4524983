import { z } from 'zod';
import type { ChainReading } from './chain-reading.ts';
import type { Answer, ApiReading } from './read-api.ts';

/** A figure as rows of text; one that is a single value is one row. */
export type Rows = readonly string[];

/** What the portal tells of a figure, or why it tells nothing. */
export type Told =
  | { readonly kind: 'told'; readonly rows: Rows; readonly slot: number | null }
  | { readonly kind: 'none'; readonly reason: string };

/** How the portal tells a figure. */
export interface Telling {
  /** The calls whose answers it is read from. */
  readonly calls: readonly string[];
  /** Of a figure that is told slot by slot, what it tells before the chain's slot. */
  readonly told: (api: ApiReading, chainSlot: number) => Told;
}

/** One public figure: how the portal tells it, and what the chain makes of it. */
export interface Check extends Telling {
  readonly figure: string;
  /** Whether it is told slot by slot: then what came in while it was read does not matter. */
  readonly isBySlot?: true;
  /** Whether it is told of slots that the chain is read up to afterwards: then what it tells later does not matter. */
  readonly isOfBefore?: true;
  /** Any of these is right; several where the figure goes with the clock, which the two do not read at one moment. */
  readonly expected: (chain: ChainReading, api: ApiReading) => readonly Rows[];
}

const slotted = z.object({ slot: z.number().nullable() });

/**
 * A figure's rows from one body, or why there are none: a text, or null where the portal does not know it. A body of
 * another shape is told as such, and agrees with nothing.
 */
export function toldBy<T>(
  path: string,
  shape: z.ZodType<T>,
  rowsOf: (body: T, chainSlot: number, api: ApiReading) => Rows | string | null,
): Telling {
  const told = (api: ApiReading, chainSlot: number): Told => {
    const answer = api.answer(path);
    if (answer.kind === 'none') return answer;
    const parsed = shape.safeParse(answer.body);
    if (!parsed.success) return { kind: 'told', rows: [`(${path} answers in another shape)`], slot: null };
    const rows = rowsOf(parsed.data, chainSlot, api);
    if (rows === null) return { kind: 'none', reason: 'not known to the portal at present' };
    if (typeof rows === 'string') return { kind: 'none', reason: rows };
    return { kind: 'told', rows, slot: slotted.safeParse(answer.body).data?.slot ?? answer.slot ?? null };
  };
  return { calls: [path], told };
}

/** A figure that is not of its body's slot, but of another moment, or of all slots. */
export function withoutSlot({ calls, told }: Telling): Telling {
  return {
    calls,
    told: (api, chainSlot) => {
      const found = told(api, chainSlot);
      return found.kind === 'told' ? { ...found, slot: null } : found;
    },
  };
}

/** A part of a body, for what is expected of the rest of it; undefined where it is not there. */
export function partOf<T>(answer: Answer, shape: z.ZodType<T>): T | undefined {
  return answer.kind === 'body' ? shape.safeParse(answer.body).data : undefined;
}
