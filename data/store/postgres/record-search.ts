import { countryName } from '../../model/countries.ts';
import { SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
import type { Condition } from '../rules/list-conditions.ts';
import { foldText, searchParts, toPlainLetters, trigramsOf } from '../rules/search-words.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import type { Database, Statement, Transaction, Value } from './database.ts';
import { columnList, SUBMISSION_TABLES } from './submission-rows.ts';

const SEARCHED_FIELDS: Readonly<Record<SubmissionKind, readonly string[]>> = {
  'card-application': ['referenceNumber', 'name', 'email', 'walletAddress', 'telegram'],
  'contact-message': ['referenceNumber', 'name', 'email', 'walletAddress', 'subject', 'message'],
  'verification-request': ['referenceNumber', 'email', 'walletAddress', 'telegram'],
  'loan-application': ['referenceNumber', 'name', 'email', 'country'],
};
/** How many records one transaction indexes. */
const BATCH_SIZE = 50;
/** How many characters of a conversation can be searched. */
const CONVERSATION_LENGTH = 20_000;

/** The version of `searchCells`. Records that were indexed by an earlier version are indexed again. */
export const SEARCH_VERSION = 1;

/** The fields in a row's `details`, which the database may return as JSON text. */
const detailsOf = ({ details }: RawRow): RawRow =>
  typeof details === 'string' ? JSON.parse(details) : Object(details);

/**
 * The text and trigrams by which a submission is found. As in pg_trgm, two spaces precede each word. pg_trgm itself would leave
 * out punctuation and, in some databases, every letter outside ASCII.
 * @param conversation the texts of the record's conversation
 */
export function searchCells(kind: SubmissionKind, row: RawRow, conversation = '') {
  const cells = { ...detailsOf(row), ...row };
  const country = typeof cells.country === 'string' ? countryName(cells.country) : '';
  const fields = SEARCHED_FIELDS[kind].map((name) =>
    String((name === 'country' ? country : cells[name]) ?? ''),
  );
  const conversationText = conversation.slice(0, CONVERSATION_LENGTH).toWellFormed();
  const text = [...fields, conversationText].join(' ').replaceAll('\n', ' ');
  const words = foldText(toPlainLetters(`  ${text.replaceAll(' ', '  ')}`));
  return { words, trigrams: trigramsOf(words) };
}

/** The condition for records (alias `a`) that match a search. A search text without searchable parts matches nothing. */
export function matchCondition(search: string): Condition<Value> {
  const parts = searchParts(search).map(foldText);
  if (parts.length === 0) return ['false'];
  const trigrams = parts.flatMap(trigramsOf);
  return [
    // A part with nothing but diacritics has no trigrams. If all parts have none, the index would return every row.
    `${trigrams.length > 0 ? 'a.trigrams @> ?::integer[] and ' : ''}${parts.map(() => 'strpos(a.words, ?) > 0').join(' and ')}`,
    ...(trigrams.length > 0 ? [trigrams] : []),
    ...parts,
  ];
}

export function prepareSearchWords(db: Database) {
  const ofKind = (kind: SubmissionKind) => {
    const { name } = SUBMISSION_TABLES[kind];
    const conversation = `select string_agg(m.subject || ' ' || m.text, ' ' order by m.sequence) from $.record_messages m where m."referenceNumber" = a."referenceNumber"`;
    const select = `select ${columnList(SUBMISSION_TABLES[kind])}, (${conversation}) as conversation from $.${name} a where`;
    const update = `update $.${name} set words = $2, trigrams = $3, "searchVersion" = ${SEARCH_VERSION} where "referenceNumber" = $1`;
    return {
      record: db.statement<RawRow>(`${select} a."referenceNumber" = $1 for update`),
      outdated: db.statement<RawRow>(
        `${select} a."searchVersion" < ${SEARCH_VERSION} limit ${BATCH_SIZE} for update skip locked`,
      ),
      write: db.statement(update),
    };
  };
  const statementsByKind = new Map(SUBMISSION_KINDS.map((kind) => [kind, ofKind(kind)]));

  async function indexRecords(
    transaction: Transaction,
    kind: SubmissionKind,
    chooseStatement: (statements: ReturnType<typeof ofKind>) => readonly [Statement<RawRow>, ...Value[]],
  ): Promise<number> {
    const statements = statementsByKind.get(kind);
    if (!statements) return 0;
    const rows = await transaction.all(...chooseStatement(statements));
    for (const row of rows) {
      const { words, trigrams } = searchCells(kind, row, String(row.conversation ?? ''));
      await transaction.run(statements.write, String(row.referenceNumber), words, trigrams);
    }
    return rows.length;
  }

  return {
    /** Indexes a record again after the record or its conversation changed. */
    update: (transaction: Transaction, kind: SubmissionKind, referenceNumber: string) =>
      indexRecords(transaction, kind, ({ record }) => [record, referenceNumber]),
    async updateOutdated(): Promise<void> {
      for (const kind of SUBMISSION_KINDS) {
        for (let hasMore = true; hasMore; ) {
          const indexedCount = await db.transaction([], (transaction) =>
            indexRecords(transaction, kind, ({ outdated }) => [outdated]),
          );
          hasMore = indexedCount === BATCH_SIZE;
        }
      }
    },
  };
}
export type SearchWords = ReturnType<typeof prepareSearchWords>;
