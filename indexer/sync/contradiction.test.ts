import { describe, expect, it } from 'vitest';
import { agreement, contradictors } from './contradiction.ts';

const told = (endpoint: string, slot: number, digest: string) => ({ endpoint, slot, digest });

describe('endpoints that contradict one another', () => {
  it.each([
    ['nobody, where all agree', [told('a', 5, 'x'), told('b', 5, 'x')], []],
    ['nobody, where their slots differ', [told('a', 5, 'x'), told('b', 6, 'y')], []],
    ['nobody, where only one answers', [told('b', 5, 'y')], []],
    [
      'the minority, even where its answer is stored',
      [told('a', 5, 'x'), told('b', 5, 'y'), told('c', 5, 'y')],
      ['a'],
    ],
    ['of two, the one against what is stored', [told('a', 5, 'x'), told('b', 5, 'y')], ['b']],
    ['nobody, where the stored one takes no side', [told('b', 5, 'x'), told('c', 5, 'y')], []],
  ])('are %s', (_rule, answers, expected) => {
    expect(contradictors(answers, 'a')).toEqual(expected);
  });
});

describe('what endpoints agree on', () => {
  it.each([
    ['nothing, where one tells it again', [told('a', 5, 'x'), told('a', 6, 'x'), told('b', 7, 'y')], []],
    [
      'what two tell at different slots, by slot',
      [told('a', 7, 'x'), told('b', 5, 'x'), told('c', 9, 'y')],
      [5, 7],
    ],
    [
      'what most tell',
      [told('a', 5, 'x'), told('b', 5, 'x'), told('c', 5, 'x'), told('d', 9, 'y'), told('e', 9, 'y')],
      [5, 5, 5],
    ],
    [
      'of two, the further',
      [told('a', 5, 'x'), told('b', 6, 'y'), told('c', 7, 'y'), told('d', 6, 'x')],
      [6, 7],
    ],
  ])('is %s', (_rule, answers, expected) => {
    expect(agreement(answers).map(({ slot }) => slot)).toEqual(expected);
  });
});
