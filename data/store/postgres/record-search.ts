import type { SubmissionKind } from '../../model/submission-status.ts';
import { folded, plainLetters, searchParts, trigramsOf } from '../rules/search-words.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import type { Value } from './database.ts';

/** A condition in SQL with `?` for its values. The table has the alias `a`. */
export type Condition = readonly [sql: string, ...values: Value[]];

/** The fields that the team's searches read. */
const SEARCHED: Readonly<Record<SubmissionKind, readonly string[]>> = {
  'card-application': ['referenceNumber', 'name', 'email', 'walletAddress', 'telegram'],
  'contact-message': ['referenceNumber', 'name', 'email', 'walletAddress', 'subject'],
  'verification-request': ['referenceNumber', 'email', 'walletAddress', 'telegram'],
  'loan-application': ['referenceNumber', 'name', 'email'],
};

/**
 * The columns that searches of a submission read. Two spaces precede each word. PostgreSQL's own trigrams would leave out
 * signs and, in some databases, every letter outside ASCII.
 */
export function searchCells(kind: SubmissionKind, cells: RawRow) {
  const text = SEARCHED[kind].map((name) => String(cells[name] ?? '')).join(' ');
  const words = folded(plainLetters(`  ${text.replaceAll(' ', '  ')}`));
  return { words, trigrams: trigramsOf(words) };
}

/** Whether a record matches a search. A text without searchable parts matches nothing. */
export function matchCondition(search: string): Condition {
  const parts = searchParts(search).map(folded);
  if (parts.length === 0) return ['false'];
  const trigrams = parts.flatMap(trigramsOf);
  return [
    // A part that consists of diacritics only has no trigrams. Without trigrams, the index would return every row.
    `${trigrams.length > 0 ? 'a.trigrams @> ?::integer[] and ' : ''}${parts.map(() => 'strpos(a.words, ?) > 0').join(' and ')}`,
    ...(trigrams.length > 0 ? [trigrams] : []),
    ...parts,
  ];
}
