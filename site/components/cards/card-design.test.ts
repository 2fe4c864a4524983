import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CARD_TIERS } from '../../../data/model/tiers.ts';
import { cardLines, walletDesign } from './card-design.ts';
import type { Outline } from './guilloche.ts';

const WALLET = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';
const anyTier = fc.constantFrom(...CARD_TIERS);
const anyWallet = fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);

function radiusAt({ radius, waves }: Outline, angle: number): number {
  return waves.reduce((sum, { lobes, amplitude }) => sum + amplitude * Math.cos(lobes * angle), radius);
}

describe('the artwork of a wallet', () => {
  it('is always the same, and unique to the wallet and its tier', () => {
    expect(cardLines(walletDesign('Banker', WALLET))).toEqual(cardLines(walletDesign('Banker', WALLET)));
    const others = fc.tuple(anyWallet, anyWallet).filter(([a, b]) => a !== b);
    fc.assert(
      fc.property(anyTier, others, (cardTier, [a, b]) => {
        expect(walletDesign(cardTier, a)).not.toEqual(walletDesign(cardTier, b));
      }),
    );
    expect(walletDesign('Raven', WALLET).rosettes).not.toEqual(walletDesign('Banker', WALLET).rosettes);
  });

  it('has rosettes that never overlap, with whole numbers of lobes and swings', () => {
    fc.assert(
      fc.property(
        anyTier,
        anyWallet,
        fc.double({ min: 0, max: Math.PI * 2, noNaN: true }),
        (cardTier, address, angle) => {
          const { rosettes } = walletDesign(cardTier, address);
          const radii = rosettes.flatMap(({ outer, inner }) => [
            radiusAt(outer, angle),
            radiusAt(inner, angle),
          ]);
          expect(radii).toEqual(radii.toSorted((a, b) => b - a));
          expect(radii.at(-1)).toBeGreaterThan(0);
          for (const { swings, inner, outer } of rosettes) {
            expect(Number.isInteger(swings) && swings > 0).toBe(true);
            for (const { lobes } of [...inner.waves, ...outer.waves])
              expect(Number.isInteger(lobes)).toBe(true);
          }
        },
      ),
    );
  });
});
