import { expect, it } from 'vitest';
import { seededRandom } from '../indexer/ledger/seeded-random.ts';
import { fitLogistic } from './fit-logistic.ts';

const BASE = -1;
const WEIGHTS = { strong: 2, weak: -0.5 };

it('finds the weights that the examples were made with', () => {
  const { next } = seededRandom(7);
  const examples = Array.from({ length: 2_000 }, () => {
    const evidence = { strong: 4 * next() - 2, weak: 10 * next() };
    const score = BASE + WEIGHTS.strong * evidence.strong + WEIGHTS.weak * evidence.weak;
    return { evidence, isRight: next() < 1 / (1 + Math.exp(-score)), importance: 1 };
  });
  const { base, weights } = fitLogistic(examples);
  expect(base).toBeCloseTo(BASE, 0);
  expect(weights.strong).toBeCloseTo(WEIGHTS.strong, 0);
  expect(weights.weak).toBeCloseTo(WEIGHTS.weak, 1);
});

it('an example counts in proportion to its importance', () => {
  const exampleOf = (isRight: boolean, importance: number) => ({ evidence: { any: 1 }, isRight, importance });
  const { base } = fitLogistic([exampleOf(true, 3), exampleOf(false, 1)]);
  expect(1 / (1 + Math.exp(-base))).toBeCloseTo(3 / 4, 2);
});
