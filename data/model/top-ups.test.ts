import { describe, expect, it } from 'vitest';
import { drawTag, tagIn, topUpFee } from './top-ups.ts';

describe('a top-up', () => {
  it('costs 4.5 %, never more, and loses no base unit', () => {
    expect(topUpFee(100_000_000n)).toEqual({ fee: 4_500_000n, credited: 95_500_000n });
    for (let amount = 1_000_000n; amount < 1_000_500n; amount += 1n) {
      const { fee, credited } = topUpFee(amount);
      expect(fee + credited).toBe(amount);
      expect(fee * 1_000n <= amount * 45n && (fee + 1n) * 1_000n > amount * 45n).toBe(true);
    }
  });

  it('names its card with six decimals, so that no single wrong digit names another card', () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    for (let draw = 0; draw < 300; draw += 1) {
      const tag = String(drawTag(random));
      expect(tag).toMatch(/^[1-9]\d{4}[1-9]$/);
      expect(tagIn(1_000_000n + BigInt(tag))).toBe(Number(tag));
      // The tag alone is less than the smallest amount.
      expect(tagIn(BigInt(tag))).toBeNull();
      for (let place = 0; place < 6; place += 1) {
        const wrong = Array.from('0123456789', (digit) => tag.slice(0, place) + digit + tag.slice(place + 1));
        const named = wrong.filter((digits) => tagIn(5_000_000n + BigInt(digits)) !== null);
        expect(named).toEqual([tag]);
      }
    }
  });
});
