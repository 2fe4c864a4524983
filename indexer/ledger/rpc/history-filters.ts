/** The `filters` of getTransactionsForAddress: ranges of slot, block time and signature, and the outcome. */
import type { SignatureRecord } from '../chain.ts';
import { type Config, isAbsent, readInteger, readObject, readText, readWord } from './params.ts';

interface Range<T> {
  readonly eq?: T;
  readonly gte?: T;
  readonly gt?: T;
  readonly lte?: T;
  readonly lt?: T;
}

export interface HistoryFilters {
  readonly slot: Range<number>;
  readonly blockTime: Range<number>;
  readonly signature: Range<string>;
  readonly status: 'succeeded' | 'failed' | 'any';
}

const COMPARISONS = ['eq', 'gte', 'gt', 'lte', 'lt'] as const;

function readRange<T>(value: unknown, at: string, read: (bound: unknown, at: string) => T): Range<T> {
  if (isAbsent(value)) return {};
  const range = readObject(value, at);
  const bounds = COMPARISONS.filter((comparison) => !isAbsent(range[comparison]));
  return Object.fromEntries(
    bounds.map((comparison) => [comparison, read(range[comparison], `${at}.${comparison}`)]),
  );
}

export function readHistoryFilters(filters: Config, at: string): HistoryFilters {
  return {
    slot: readRange(filters.slot, `${at}.slot`, readInteger),
    blockTime: readRange(filters.blockTime, `${at}.blockTime`, readInteger),
    signature: readRange(filters.signature, `${at}.signature`, readText),
    status: readWord(filters.status, `${at}.status`, ['succeeded', 'failed', 'any'], 'any'),
  };
}

/** Text compares by code unit, which for base58 is the order of its bytes as text. */
function isWithin<T extends number | string>(value: T, range: Range<T>): boolean {
  return (
    (range.eq === undefined || value === range.eq) &&
    (range.gte === undefined || value >= range.gte) &&
    (range.gt === undefined || value > range.gt) &&
    (range.lte === undefined || value <= range.lte) &&
    (range.lt === undefined || value < range.lt)
  );
}

export function passesFilters(row: SignatureRecord, filters: HistoryFilters): boolean {
  return (
    isWithin(row.slot, filters.slot) &&
    isWithin(row.blockTime, filters.blockTime) &&
    isWithin(row.signature, filters.signature) &&
    (filters.status === 'any' || (row.err === null) === (filters.status === 'succeeded'))
  );
}

/** The lowest and highest whole number that a range can hold. */
function limitsOf(range: Range<number>): { readonly lowest: number; readonly highest: number } {
  return {
    lowest: Math.max(range.eq ?? 0, range.gte ?? 0, range.gt === undefined ? 0 : range.gt + 1),
    highest: Math.min(
      range.eq ?? Number.MAX_SAFE_INTEGER,
      range.lte ?? Number.MAX_SAFE_INTEGER,
      range.lt === undefined ? Number.MAX_SAFE_INTEGER : range.lt - 1,
    ),
  };
}

/** The slots that can hold a row at all: where a walk may begin and where it may end. */
export function slotLimits(filters: HistoryFilters): { readonly lowest: number; readonly highest: number } {
  return limitsOf(filters.slot);
}

/** Whether a walk in this direction has passed the last row that the filters on slot and time can accept. */
export function isPastFilters(
  row: SignatureRecord,
  filters: HistoryFilters,
  direction: 'asc' | 'desc',
): boolean {
  const slots = limitsOf(filters.slot);
  const times = limitsOf(filters.blockTime);
  return direction === 'asc'
    ? row.slot > slots.highest || row.blockTime > times.highest
    : row.slot < slots.lowest || row.blockTime < times.lowest;
}
