import { formatCount } from '../../../data/model/count.ts';
import { bd } from '../../../data/model/facts/wording.ts';
import { CARD_TIERS, type CardTier, termsOf } from '../../../data/model/tiers.ts';

const [LOWEST] = CARD_TIERS;

export interface TierActivatedWords {
  /** The card tier; null where the stake earns none. */
  readonly tier: CardTier | null;
  readonly title: string;
  readonly text: string;
}

/** What the dialog says of a tier, by its name in any case: duckling, banker, raven, or any other. */
export function tierActivatedWords(name: string): TierActivatedWords {
  const tier = CARD_TIERS.find((candidate) => candidate.toLowerCase() === name.toLowerCase()) ?? null;
  if (tier === null) {
    return {
      tier: null,
      title: 'Stake Activated',
      text: `Your stake is on the chain. The card tiers begin at ${bd(termsOf(LOWEST).minimumStakeBd)} staked in one wallet.`,
    };
  }
  const { dailyLimitUsd, monthlyLimitUsd } = termsOf(tier);
  const dollars = (amount: number) => `$${formatCount(amount)}`;
  const limits = `${dollars(dailyLimitUsd)} a day and ${dollars(monthlyLimitUsd)} a month`;
  return {
    tier,
    title: `${tier} Tier Activated`,
    text: `Your stake qualifies for a ${tier} virtual card, with limits of ${limits}. It is funded in USDT only.`,
  };
}
