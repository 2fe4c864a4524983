import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { ChainEvent } from './chain-events.ts';
import type { ChainReading } from './chain-reading.ts';
import { type ApiReading, type PortalAnswer, TRANSACTIONS_PATH } from './read-api.ts';

// The arithmetic uses integers only, and none of the portal's code.

/** Formats an amount in its smallest units as plain decimal text without trailing zeros. */
export function decimalText(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Formats numerator ÷ denominator with two decimals, rounded half away from zero. */
export function quotientText(numerator: bigint, denominator: bigint): string {
  const size = numerator < 0n ? -numerator : numerator;
  const hundredths = (size * 200n + denominator) / (denominator * 2n);
  const text = hundredths.toString().padStart(3, '0');
  return `${numerator < 0n && hundredths > 0n ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** Parses plain decimal text into a fraction whose denominator is a power of ten. @throws {RangeError} for any other text */
export function parseFraction(text: string): { readonly numerator: bigint; readonly denominator: bigint } {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new RangeError('not a plain decimal number');
  const [, sign = '', whole = '', fraction = ''] = match;
  return { numerator: BigInt(sign + whole + fraction), denominator: 10n ** BigInt(fraction.length) };
}

export const SUMMARY_PATH = PATHS.programSummary;

/** The calls that show how much of the history the portal has read. */
const HISTORY_CALLS = [TRANSACTIONS_PATH, SUMMARY_PATH] as const;

const summary = z.object({ quarantined: z.number() });

/**
 * Whether the portal has read the whole history: it lists transactions, and none is quarantined. If so, a missing figure
 * counts as a difference. If not, it counts as unknown.
 */
export function isHistoryComplete(api: ApiReading): boolean {
  const isListed = api.answer(TRANSACTIONS_PATH).kind === 'body';
  return isListed && parseBody(api.answer(SUMMARY_PATH), summary)?.quarantined === 0;
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

/** @returns the slot up to which a list may lack rows: the oldest slot of a truncated list; -1 if the list is complete */
export function incompleteUpToSlot(list: readonly { readonly slot: number }[], isTruncated: boolean): number {
  return isTruncated ? Math.min(...list.map(({ slot }) => slot)) : -1;
}

/** The rows strictly between two slots. The two slots are left out, because a list may contain only some of the rows of each. */
export function rowsBetween(rows: readonly EventRow[], after: number, before: number): Rows {
  return rows
    .filter(({ slot }) => slot > after && slot < before)
    .map(rowText)
    .toSorted();
}

export function chainRows(
  { accounts, vaultEvents, poolEvents }: ChainReading,
  isWanted: (event: ChainEvent) => boolean = () => true,
): readonly EventRow[] {
  return [...vaultEvents, ...poolEvents].filter(isWanted).map(({ change, ...event }) => ({
    ...event,
    amount: decimalText(change < 0n ? -change : change, accounts.decimals),
  }));
}

/** A figure as rows of text. A single value is one row. */
export type Rows = readonly string[];

type PortalFigure =
  | { readonly kind: 'reported'; readonly rows: Rows; readonly slot: number | null }
  | { readonly kind: 'none'; readonly reason: string };

interface FigureSource {
  readonly calls: readonly string[];
  /** @param chainSlot the slot at which the chain was read. Lists of transactions and alarms omit rows at or after this slot */
  readonly read: (api: ApiReading, chainSlot: number) => PortalFigure;
}

/** One public figure: where the portal reports it, and how to compute it from the chain. */
export interface Check extends FigureSource {
  readonly figure: string;
  /** Set if the rows never change. They are compared even if new rows appear between the two readings of the portal. */
  readonly hasFinalRows?: true;
  /** Set if the check compares the first reading of the portal, which is made before the chain is read. */
  readonly usesFirstReading?: true;
  /** All correct values. There are several if the exact time or slot of the portal's figure is unknown. */
  readonly expected: (chain: ChainReading, api: ApiReading) => readonly Rows[];
}

const bodyWithSlot = z.object({ slot: z.number().nullable() });

/**
 * Creates a source that reads a figure's rows from the body of one response. If the figure has no rows, `rowsOf` returns a text
 * that says why, or null if the portal has no value for it. A body with an unexpected shape becomes a row that never agrees.
 */
export function portalSource<T>(
  path: string,
  shape: z.ZodType<T>,
  rowsOf: (body: T, chainSlot: number, api: ApiReading) => Rows | string | null,
): FigureSource {
  const read = (api: ApiReading, chainSlot: number): PortalFigure => {
    const answer = api.answer(path);
    if (answer.kind === 'none') return answer;
    const parsed = shape.safeParse(answer.body);
    if (!parsed.success) return { kind: 'reported', rows: [`(${path} has an unexpected shape)`], slot: null };
    const rows = rowsOf(parsed.data, chainSlot, api);
    if (rows === null) return { kind: 'none', reason: 'the portal has no value for it at the moment' };
    if (typeof rows === 'string') return { kind: 'none', reason: rows };
    return {
      kind: 'reported',
      rows,
      slot: bodyWithSlot.safeParse(answer.body).data?.slot ?? answer.slot ?? null,
    };
  };
  return { calls: [path], read };
}

/** Like `portalSource`, but ignores the slot in the body, because the figure was not read at that slot. */
export function sourceWithoutSlot<T>(...source: Parameters<typeof portalSource<T>>): FigureSource {
  const { calls, read } = portalSource(...source);
  return {
    calls,
    read: (api, chainSlot) => {
      const figure = read(api, chainSlot);
      return figure.kind === 'reported' ? { ...figure, slot: null } : figure;
    },
  };
}

/**
 * Like `portalSource`, for a figure that the portal computes from the history. If a part of the figure is missing, it counts as
 * unknown until the portal has read the whole history.
 */
export function historySource<T>(
  path: string,
  shape: z.ZodType<T>,
  isPartMissing: (body: T) => boolean,
  rowsOf: (body: T) => Rows,
): FigureSource {
  const { read } = portalSource(path, shape, (body, _slot, api) =>
    isPartMissing(body) && !isHistoryComplete(api) ? null : rowsOf(body),
  );
  return { calls: [path, ...HISTORY_CALLS], read };
}

function parseBody<T>(answer: PortalAnswer, shape: z.ZodType<T>): T | undefined {
  return answer.kind === 'body' ? shape.safeParse(answer.body).data : undefined;
}

/** Computes a figure's correct values using part of the portal's response. If that part is missing, no value is correct. */
export function expectedFrom<T>(
  path: string,
  shape: z.ZodType<T>,
  expected: (body: T, chain: ChainReading) => readonly Rows[],
): Check['expected'] {
  return (chain, api) => {
    const body = parseBody(api.answer(path), shape);
    return body === undefined ? [] : expected(body, chain);
  };
}

export const oneRow = (row: string): readonly Rows[] => [[row]];

export const bdAmountText = ({ accounts }: ChainReading, amount: bigint): string =>
  decimalText(amount, accounts.decimals);

export const isoDate = (seconds: bigint): string => new Date(Number(seconds) * 1_000).toISOString();

/** The number of slots (one minute) by which two endpoints may differ. */
export const SLOT_TOLERANCE = 150;
/** The portal may have computed a figure up to this many seconds before or after the time that the check assumes. */
export const CLOCK_BEFORE_SECONDS = 10;
export const CLOCK_AFTER_SECONDS = 2;
