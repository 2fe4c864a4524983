import { z } from 'astro/zod';
import { labelledValue, oneFile, titledText, words } from './fields.ts';

/** Staking, supply and rewards. */
export const tokenCollections = {
  staking: oneFile(
    'staking.mdx',
    z.strictObject({
      lead: words,
      tiles: z.strictObject({
        stakers: words,
        staked: words,
        lock: words,
        rewards: words,
        lockValue: words,
        rewardsValue: words,
        rewardsNote: words,
      }),
      stake: z.strictObject({ title: words }),
      information: z.strictObject({
        title: words,
        lock: words,
        verification: words,
        verificationText: words,
        vault: words,
        program: words,
        token: words,
      }),
    }),
  ),
  tokenomics: oneFile(
    'tokenomics.mdx',
    z.strictObject({
      lead: words,
      labels: z.strictObject({
        totalSupply: words,
        marketSupply: words,
        vault: words,
        staked: words,
        streamflow: words,
        market: words,
        reduced: words,
        chart: words,
        chartNote: words,
      }),
    }),
  ),
  myPosition: oneFile('my-position.mdx', z.strictObject({ lead: words })),
  rewards: oneFile(
    'rewards.mdx',
    z.strictObject({
      lead: words,
      counter: z.strictObject({ label: words, note: words }),
      lock: labelledValue,
      benefits: z.array(titledText),
    }),
  ),
};
