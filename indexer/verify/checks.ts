import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { ChainEvent } from './chain-events.ts';
import type { ChainReading } from './chain-reading.ts';
import { type ApiReading, type PortalAnswer, TRANSACTIONS } from './read-api.ts';

/** Arithmetic for verification: integers only, without any of the portal's code. */

/** Base units as plain decimal text without trailing zeros. */
export function decimals(units: bigint, places: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Numerator ÷ denominator with two decimals, rounded half away from zero. */
export function twoPlaces(numerator: bigint, denominator: bigint): string {
  const size = numerator < 0n ? -numerator : numerator;
  const hundredths = (size * 200n + denominator) / (denominator * 2n);
  const text = hundredths.toString().padStart(3, '0');
  return `${numerator < 0n && hundredths > 0n ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** Plain decimal text as a numerator over a power of ten. @throws {RangeError} for any other text */
export function fraction(text: string): { readonly numerator: bigint; readonly denominator: bigint } {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new RangeError('not a plain decimal number');
  const [, sign = '', whole = '', part = ''] = match;
  return { numerator: BigInt(sign + whole + part), denominator: 10n ** BigInt(part.length) };
}

export const SUMMARY = PATHS.programSummary;

/** The calls that show how far the portal has read the history. */
export const HISTORY_CALLS = [TRANSACTIONS, SUMMARY] as const;

const summary = z.object({ quarantined: z.number() });

/**
 * Whether the portal reports to have read the whole history. Only then does it list the newest transactions and count
 * the unreadable ones. A figure of the history that is still missing then is a difference.
 */
export function isHistoryComplete(api: ApiReading): boolean {
  const isListed = api.answer(TRANSACTIONS).kind === 'body';
  return isListed && partOf(api.answer(SUMMARY), summary)?.quarantined === 0;
}

export const eventList = z.array(
  z.object({
    type: z.string(),
    account: z.string(),
    amount: z.string(),
    signature: z.string(),
    part: z.number(),
    blockTime: z.number().nullable(),
    wallet: z.string().nullable(),
    slot: z.number(),
  }),
);
type EventRow = z.infer<typeof eventList>[number];

const rowText = (row: EventRow) =>
  `${row.slot} ${row.signature} ${row.account} ${row.part} ${row.type} ${row.amount} ${row.wallet ?? 'no wallet'} ${row.blockTime ?? 'no time'}`;

/** The slot up to which a list may lack rows: a truncated list may end within its oldest slot. */
export function oldestSlot(list: readonly { readonly slot: number }[], isTruncated: boolean): number {
  return isTruncated ? Math.min(...list.map(({ slot }) => slot)) : -1;
}

/** Rows after a slot and before another, which may not be complete. */
export function rowsBetween(rows: readonly EventRow[], after: number, before: number): Rows {
  return rows
    .filter(({ slot }) => slot > after && slot < before)
    .map(rowText)
    .toSorted();
}

/** The matching events of both accounts, as rows of the portal's list. */
export function chainRows(
  { accounts, vaultEvents, poolEvents }: ChainReading,
  isFitting: (event: ChainEvent) => boolean = () => true,
): readonly EventRow[] {
  return [...vaultEvents, ...poolEvents].filter(isFitting).map(({ change, ...event }) => ({
    ...event,
    amount: decimals(change < 0n ? -change : change, accounts.decimals),
  }));
}

/** A figure as rows of text; a single value is one row. */
export type Rows = readonly string[];

/** A figure as the portal reports it, or why it reports none. */
type PortalFigure =
  | { readonly kind: 'reported'; readonly rows: Rows; readonly slot: number | null }
  | { readonly kind: 'none'; readonly reason: string };

interface FigureSource {
  /** The calls that the figure is read from. */
  readonly calls: readonly string[];
  /** @param chainSlot limits a figure that is reported slot by slot to earlier slots */
  readonly read: (api: ApiReading, chainSlot: number) => PortalFigure;
}

/** One public figure: its source in the portal, and its computation from the chain. */
export interface Check extends FigureSource {
  readonly figure: string;
  /** Whether it is reported slot by slot: then later slots do not matter. */
  readonly isBySlot?: true;
  /** Whether it is compared as reported before the chain was read. */
  readonly isOfBefore?: true;
  /** Any of these is correct; several if the figure depends on the clock. */
  readonly expected: (chain: ChainReading, api: ApiReading) => readonly Rows[];
}

const slotted = z.object({ slot: z.number().nullable() });

/**
 * A figure's rows from one body. Without rows: a text with the reason, or null if the portal does not know the figure.
 * A body of another shape becomes a row that never agrees.
 */
export function portalRows<T>(
  path: string,
  shape: z.ZodType<T>,
  rowsOf: (body: T, chainSlot: number, api: ApiReading) => Rows | string | null,
): FigureSource {
  const read = (api: ApiReading, chainSlot: number): PortalFigure => {
    const answer = api.answer(path);
    if (answer.kind === 'none') return answer;
    const parsed = shape.safeParse(answer.body);
    if (!parsed.success) return { kind: 'reported', rows: [`(${path} has another shape)`], slot: null };
    const rows = rowsOf(parsed.data, chainSlot, api);
    if (rows === null) return { kind: 'none', reason: 'unknown to the portal now' };
    if (typeof rows === 'string') return { kind: 'none', reason: rows };
    return { kind: 'reported', rows, slot: slotted.safeParse(answer.body).data?.slot ?? answer.slot ?? null };
  };
  return { calls: [path], read };
}

/** A figure that does not belong to its body's slot. */
export function withoutSlot({ calls, read }: FigureSource): FigureSource {
  return {
    calls,
    read: (api, chainSlot) => {
      const found = read(api, chainSlot);
      return found.kind === 'reported' ? { ...found, slot: null } : found;
    },
  };
}

/** A part of a body that the expectation depends on; undefined if it is missing. */
export function partOf<T>(answer: PortalAnswer, shape: z.ZodType<T>): T | undefined {
  return answer.kind === 'body' ? shape.safeParse(answer.body).data : undefined;
}
