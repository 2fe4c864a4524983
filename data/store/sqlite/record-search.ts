import type Database from 'better-sqlite3';
import type { ListPage } from '../../model/admin-lists.ts';
import { MAX_MATCHES } from '../rules/record-lists.ts';
import { foldText, searchParts } from '../rules/search-words.ts';
import type { Statements } from './list-statements.ts';

/**
 * Converts a search to the syntax of FTS5. Each part is quoted, so that FTS5 never reads it as an operator.
 * @returns null if the search has no parts
 */
export function matchText(search: string): string | null {
  const parts = searchParts(search);
  return parts.length === 0 ? null : parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(' AND ');
}

/** Adds the SQL function `has_words(words, search)`, which checks whether the words of a record match a search. */
export function addHasWords(client: Database.Database): void {
  let last: { readonly search: string; readonly parts: readonly string[] } | null = null;
  client.function('has_words', { deterministic: true }, (words, search) => {
    if (typeof words !== 'string' || typeof search !== 'string') return 0;
    if (last?.search !== search) {
      last = { search, parts: searchParts(search).map(foldText) };
    }
    const text = foldText(words);
    return Number(last.parts.every((part) => text.includes(part)));
  });
}

export interface SearchMatches {
  readonly search: string;
  /** The search in the syntax of FTS5. */
  readonly match: string;
  /** The row ids of all matches; null when there are more than `MAX_MATCHES`. */
  readonly rowIds: readonly number[] | null;
}

/** A condition or query with one `?`, and its value. */
type BoundSql = readonly [sql: string, value: string];

export const matchingRowsSql = (table: string): string => `select rowid from ${table} where ${table} match ?`;

/** @returns null if `search` is null. A search without any searchable words matches nothing. */
export function searchTable(
  statements: Statements,
  table: string,
  search: string | null,
): SearchMatches | null {
  if (search === null) return null;
  const match = matchText(search);
  if (match === null) return { search, match: '', rowIds: [] };
  const rowIds = statements(`${matchingRowsSql(table)} limit ${MAX_MATCHES + 1}`)
    .pluck()
    .all(match) as number[];
  return { search, match, rowIds: rowIds.length > MAX_MATCHES ? null : rowIds };
}

/** A query for the row ids of the matches. If they are already known, it does not search again. */
export function matchRowIdsSql(table: string, { rowIds, match }: SearchMatches): BoundSql {
  return rowIds
    ? ['select value from json_each(?)', JSON.stringify(rowIds)]
    : [matchingRowsSql(table), match];
}

/** A condition that selects the matches in the table `a`, or the newest `MAX_MATCHES` if there are more. */
export function matchCondition(table: string, matches: SearchMatches): BoundSql {
  const [sql, value] = matchRowIdsSql(table, matches);
  const newest = matches.rowIds ? '' : `order by rowid desc limit ${MAX_MATCHES}`;
  const references = `select referenceNumber from record_search where sequence in (${sql} ${newest})`;
  return [`a.referenceNumber in (${references})`, value];
}

export function matchTotal({ rowIds }: SearchMatches): Pick<ListPage, 'total' | 'isTotalExact'> {
  return { total: rowIds?.length ?? MAX_MATCHES, isTotalExact: rowIds !== null };
}
