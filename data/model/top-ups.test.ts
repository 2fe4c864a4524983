import { describe, expect, it } from 'vitest';
import { cardTagOf, generateTag, splitTopUp } from './top-ups.ts';

describe('a top-up', () => {
  it('has a fee of 4.5%, rounded down, and fee plus credit equal the amount', () => {
    expect(splitTopUp(100_000_000n)).toEqual({ fee: 4_500_000n, credited: 95_500_000n });
    for (let amount = 1_000_000n; amount < 1_000_500n; amount += 1n) {
      const { fee, credited } = splitTopUp(amount);
      expect(fee + credited).toBe(amount);
      expect(fee * 1_000n <= amount * 45n && (fee + 1n) * 1_000n > amount * 45n).toBe(true);
    }
  });

  it('identifies its card by six decimals, and decimals with one wrong digit never identify another card', () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    for (let run = 0; run < 300; run += 1) {
      const tag = String(generateTag(random));
      expect(tag).toMatch(/^[1-9]\d{4}[1-9]$/);
      expect(cardTagOf(1_000_000n + BigInt(tag))).toBe(Number(tag));
      // An amount below the minimum top-up identifies no card, even if its decimals are a valid tag.
      expect(cardTagOf(BigInt(tag))).toBeNull();
      for (let position = 0; position < 6; position += 1) {
        const variants = Array.from(
          '0123456789',
          (digit) => tag.slice(0, position) + digit + tag.slice(position + 1),
        );
        const valid = variants.filter((digits) => cardTagOf(5_000_000n + BigInt(digits)) !== null);
        expect(valid).toEqual([tag]);
      }
    }
  });
});
