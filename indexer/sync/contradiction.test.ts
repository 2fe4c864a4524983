import { describe, expect, it } from 'vitest';
import { contradictors } from './contradiction.ts';

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
