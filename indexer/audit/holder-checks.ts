import { z } from 'zod';
import { twoPlaces } from './arithmetic.ts';
import { type Check, partOf, toldBy, withoutSlot } from './checks.ts';

const REAL_STAKING = '/api/analytics/real-staking';
/** Of twenty wallets, how many may have come or gone since the portal counted them, which it does up to an hour apart. */
const ONE_IN = 20;

const counted = z.object({
  walletsHolding: z.number().nullable(),
  holdersCounted: z.object({ slot: z.number() }).nullable(),
});
const participation = z.object({
  totalStakers: z.number(),
  walletsHolding: z.number().nullable(),
  stakingParticipation: z.number().nullable(),
});

/** How many wallets hold BD, and what part of them stakes. */
export const HOLDER_CHECKS: readonly Check[] = [
  {
    figure: 'wallets holding',
    // Told without its slot: it is counted now and then, and lies behind the chain in between.
    ...withoutSlot(
      toldBy(REAL_STAKING, counted, ({ walletsHolding }) =>
        walletsHolding === null ? null : [String(walletsHolding)],
      ),
    ),
    expected: ({ holders }, api) => {
      if (holders === null) return [];
      const told = partOf(api.answer(REAL_STAKING), counted);
      const exact = [String(holders.wallets)];
      if (!told?.holdersCounted || told.walletsHolding === null) return [exact];
      const apart = Math.abs(told.walletsHolding - holders.wallets);
      const isOfAnotherMoment = told.holdersCounted.slot !== holders.slot;
      const isPlausible = isOfAnotherMoment && apart <= Math.ceil(holders.wallets / ONE_IN);
      return isPlausible ? [[String(told.walletsHolding)]] : [exact];
    },
  },
  {
    figure: 'staking participation, percent',
    ...toldBy(REAL_STAKING, participation, ({ stakingParticipation, walletsHolding }) =>
      walletsHolding === null ? null : [stakingParticipation?.toFixed(2) ?? 'none'],
    ),
    expected: (_chain, api) => {
      const told = partOf(api.answer(REAL_STAKING), participation);
      if (told?.walletsHolding == null) return [];
      // Whoever stakes holds: where more stake, the two were counted at different moments.
      if (told.walletsHolding === 0 || told.totalStakers > told.walletsHolding) return [['none']];
      return [[twoPlaces(BigInt(told.totalStakers) * 100n, BigInt(told.walletsHolding))]];
    },
  },
];
