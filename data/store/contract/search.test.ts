// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AppStore } from '../ports.ts';
import type { ListQuery, StoredPage } from '../record-port.ts';
import { foldText, searchParts, toPlainLetters } from '../rules/search-words.ts';
import { FIRST_PAGE, SUBMITTED_AT, submitApplication, submitMessage } from '../testing/sample-submissions.ts';
import { openStores, PROPERTY_RUNS } from '../testing/test-stores.ts';

/**
 * Letters of several scripts, with and without case and diacritics, then characters that have a special meaning in search
 * engines and SQL.
 */
const LETTERS = [
  'a',
  'b',
  'A',
  'ä',
  'Á',
  'ǘ',
  'ß',
  'ø',
  'Й',
  'й',
  'и',
  'Σ',
  'ς',
  'ά',
  'İ',
  '李',
  '明',
  '한',
  '가',
  '🦆',
];
const SIGNS = ['"', '%', '_', '*', '@', '.', '\\', "'", '-', ':', '(', '?', '$1'];
const word = fc.string({
  unit: fc.constantFrom(...LETTERS, ...LETTERS, ...SIGNS),
  minLength: 1,
  maxLength: 5,
});
const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ').normalize('NFC'));
const anyRecord = fc.record({ name, email: word, other: fc.option(word), isMessage: fc.boolean() });
/** Either random text, or part of a stored name, possibly in a different case or spelling. */
const searchedText = fc.oneof(
  fc.record({ of: fc.nat(), from: fc.nat(9), length: fc.integer({ min: 1, max: 7 }), spelling: fc.nat(3) }),
  name,
);
const anySearch = fc.record({
  text: searchedText,
  list: fc.constantFrom('applications' as const, 'contacts' as const),
  sort: fc.constantFrom('createdAt', 'name', 'email', 'referenceNumber'),
  order: fc.constantFrom('asc' as const, 'desc' as const),
});
type SearchedText = typeof searchedText extends fc.Arbitrary<infer Value> ? Value : never;
type SentRecord = typeof anyRecord extends fc.Arbitrary<infer Value> ? Value : never;

function searchText(searchedPart: SearchedText, sentRecords: readonly SentRecord[]): string {
  if (typeof searchedPart === 'string') return searchedPart;
  const { of, from, length, spelling } = searchedPart;
  const text = [...(sentRecords[of % sentRecords.length]?.name ?? '')].slice(from).slice(0, length).join('');
  const spellings = [text, text.toUpperCase(), text.normalize('NFD'), `${text}\u0000 ${text}`];
  return spellings[spelling] ?? text;
}

function matchingReferences(
  sentRecords: readonly (SentRecord & { readonly referenceNumber: string })[],
  text: string,
): string[] {
  const parts = searchParts(text).map(foldText);
  const found = sentRecords.filter(({ referenceNumber, name: sender, email, other }) => {
    const words = `${referenceNumber} ${sender} ${email} ${other ?? ''}`.replaceAll(' ', '  ');
    return parts.every((part) => foldText(toPlainLetters(`  ${words}`)).includes(part));
  });
  return parts.length === 0 ? [] : found.map((one) => one.referenceNumber);
}

async function allReferences(
  store: AppStore,
  list: 'applications' | 'contacts',
  query: Partial<ListQuery>,
): Promise<{ readonly references: string[]; readonly total: number }> {
  const references: string[] = [];
  let after: string | null = null;
  for (;;) {
    const page: StoredPage<{ readonly referenceNumber: string }> = await store.records.list(list, {
      ...FIRST_PAGE,
      ...query,
      limit: 3,
      after,
    });
    references.push(...page.rows.map((row) => row.referenceNumber));
    expect(page.isTotalExact).toBe(true);
    if (page.next === null) return { references, total: page.total };
    after = page.next;
  }
}

describe('a search', () => {
  it('lists exactly the records that contain its words, in the order of any sort, page by page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRecord, { minLength: 1, maxLength: 8 }),
        fc.array(anySearch, { minLength: 1, maxLength: 6 }),
        async (records, searches) => {
          const stores = await openStores();
          try {
            const store = await stores.openApp();
            const sentRecords: (SentRecord & { readonly referenceNumber: string })[] = [];
            for (const [index, one] of records.entries()) {
              const common = { ...one, createdAt: SUBMITTED_AT + index };
              const referenceNumber = one.isMessage
                ? await submitMessage(store, {
                    ...common,
                    subject: one.other,
                    // The message repeats the email address, so that it adds no words to the record.
                    message: one.email,
                    walletAddress: null,
                  })
                : await submitApplication(store, { ...common, telegram: one.other, walletAddress: null });
              sentRecords.push({ ...one, referenceNumber });
            }
            for (const { text: searched, list, sort, order } of searches) {
              const recordsOfList = sentRecords.filter(
                ({ isMessage }) => isMessage === (list === 'contacts'),
              );
              const text = searchText(searched, sentRecords);
              const allSorted = await allReferences(store, list, { sort, order });
              const expected = matchingReferences(recordsOfList, text);
              const found = await allReferences(store, list, { sort, order, search: text });
              expect(found.total, text).toBe(expected.length);
              expect(found.references, text).toEqual(
                allSorted.references.filter((one) => expected.includes(one)),
              );
            }
          } finally {
            await stores.dispose();
          }
        },
      ),
      PROPERTY_RUNS,
    );
  });
});
