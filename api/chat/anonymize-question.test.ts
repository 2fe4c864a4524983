import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anonymizeQuestion } from './anonymize-question.ts';

const anonymize = (question: string) =>
  anonymizeQuestion(question, (word) => ['stake', 'lock', 'card'].includes(word));

describe('a question that the team sees', () => {
  it('keeps common words and words that the portal uses', () => {
    expect(anonymize('Why can I not stake with my card?')).toBe('why can i not stake with my card');
  });

  it('leaves out names, numbers, email addresses, handles and wallets', () => {
    const question =
      'I am Grzegorz Brzęczyszczykiewicz, g.b@example.com, +44 1632 960000, @grzegorz, 7xKXtg2CW87d97TX';
    expect(anonymize(question)).toBe('i am …');
  });

  it('contains no digit and no @, and is at most 160 characters', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 600 }), (question) => {
        const cleaned = anonymize(question);
        expect(cleaned).not.toMatch(/[\d@]/);
        expect(cleaned.length).toBeLessThanOrEqual(160);
      }),
    );
  });
});
