import { expect, it } from 'vitest';
import { createTokenizer } from '../data/model/search/tokenizer.ts';
import { derivePhrasings } from './derive-phrasings.ts';

const tokenizer = createTokenizer([]);
const PHRASINGS = Array.from({ length: 40 }, (_, index) => [
  { text: `interest rate of loan ${index}`, target: 'interest' },
  { text: `minimum sum of loan ${index}`, target: 'minimum' },
  { text: 'how do i bake bread', target: 'other' },
]).flat();
const groupOf = (target: string) => (target === 'other' ? null : 'loan');
const augmented = derivePhrasings(PHRASINGS, groupOf, tokenizer);
const followUps = augmented.filter(({ earlier }) => earlier !== undefined);

it('makes the same phrasings each time', () => {
  expect(derivePhrasings(PHRASINGS, groupOf, tokenizer)).toEqual(augmented);
});

it('makes follow-ups to another question of the same group, without the words of that question', () => {
  expect(followUps.length).toBeGreaterThan(0);
  for (const { text, earlier = '', target } of followUps) {
    expect(target).not.toBe('other');
    const earlierTokens = new Set(tokenizer.tokensOf(earlier));
    expect(tokenizer.tokensOf(text).filter((token) => earlierTokens.has(token))).toEqual([]);
    expect(tokenizer.tokensOf(text)).not.toEqual([]);
  }
});

it('makes misspelled variants of the phrasings', () => {
  const originalTexts = new Set(PHRASINGS.map(({ text }) => text));
  const mistyped = augmented.filter(({ earlier, text }) => earlier === undefined && !originalTexts.has(text));
  expect(mistyped.length).toBeGreaterThan(0);
  for (const { text } of mistyped) expect(text.length).toBeGreaterThan(0);
});

it('an added phrasing changes fewer than five of the existing derived phrasings', () => {
  const added = { text: 'collateral of a loan', target: 'collateral' };
  const made = new Set(
    derivePhrasings([added, ...PHRASINGS], groupOf, tokenizer).map((each) => JSON.stringify(each)),
  );
  const lost = augmented.filter((each) => !made.has(JSON.stringify(each)));
  expect(augmented.length).toBeGreaterThan(20);
  expect(lost.length).toBeLessThan(5);
});
