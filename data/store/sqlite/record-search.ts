import type { Statements } from './record-lists.ts';
import { matchText } from './record-words.ts';

/** Matches that are counted, and named one by one. */
const COUNTED_AT_MOST = 2_000;

/** What a search finds in a word table. */
export interface Found {
  /** What is searched for, as it was asked. */
  readonly search: string;
  /** The same as FTS5 reads it. */
  readonly match: string;
  /** The places of all matches; null where there are more than `COUNTED_AT_MOST`. */
  readonly places: readonly number[] | null;
}

/** A condition or query in which `?` is its value. */
type Asked = readonly [sql: string, value: string];

/** The places in a word table of what matches a text that FTS5 reads. */
export const matching = (words: string): string => `select rowid from ${words} where ${words} match ?`;

/** Looks a search up in a word table; null where it is none. What cannot be searched for finds nothing. */
export function searched(statements: Statements, words: string, search: string | null): Found | null {
  if (search === null) return null;
  const match = matchText(search);
  if (match === null) return { search, match: '', places: [] };
  const places = statements(`${matching(words)} limit ${COUNTED_AT_MOST + 1}`)
    .pluck()
    .all(match) as number[];
  return { search, match, places: places.length > COUNTED_AT_MOST ? null : places };
}

/** The places of all matches. Those that are known are not looked up again. */
export function placesOf(words: string, { places, match }: Found): Asked {
  return places ? ['select value from json_each(?)', JSON.stringify(places)] : [matching(words), match];
}

/** That a record of the table `a` is among the matches, each of which is read; of more than are counted, the newest. */
export function isNamed(words: string, found: Found): Asked {
  const [sql, value] = placesOf(words, found);
  const newest = found.places ? '' : `order by rowid desc limit ${COUNTED_AT_MOST}`;
  const references = `select referenceNumber from record_search where sequence in (${sql} ${newest})`;
  return [`a.referenceNumber in (${references})`, value];
}

/** How many matches there are, exactly where they are counted. */
export function totalFound({ places }: Found): { readonly total: number; readonly isTotalExact: boolean } {
  return { total: places?.length ?? COUNTED_AT_MOST, isTotalExact: places !== null };
}
