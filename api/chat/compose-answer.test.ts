import { expect, it } from 'vitest';
import { shortenPassage } from './compose-answer.ts';

const PARTS = ['Before.', 'Tier\tA day', 'Raven\t$3', 'Duckling\t$1', 'After.', 'Term\tNote', 'End\tJune'];
const excerptOf = (...parts: readonly string[]) =>
  shortenPassage({ passage: { text: PARTS.join('\n\n') }, parts }, 10).split('\n\n');

it('an excerpt from a table includes the column headings', () => {
  expect(excerptOf('Duckling\t$1')).toEqual(['Tier\tA day', 'Duckling\t$1']);
  expect(excerptOf('End\tJune')).toEqual(['Term\tNote', 'End\tJune']);
});

it('an excerpt from outside a table has no headings', () => {
  expect(excerptOf('After.')).toEqual(['After.']);
});
