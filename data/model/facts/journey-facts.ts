import { ratioText } from '../amounts.ts';
import { formatUsd } from '../format.ts';
import {
  JOURNEY,
  journeyBreakEvenUsd,
  journeyHoldingsAfterLock,
  journeyLosses,
  journeyOutlayCents,
  journeyPriceAfterFall,
  journeyScenarios,
  journeySimpleHoldingsBd,
} from '../investor-journey.ts';
import { marketCapUsd } from '../supply.ts';
import { bd, cents, dollars, duration, wholeCents } from './wording.ts';

const ORDER = ['One', 'Two', 'Three'] as const;
type Order = (typeof ORDER)[number];

const outlay = journeyOutlayCents();
const [fallOne, fallTwo] = JOURNEY.lossFallsPercent;

/** One fact for each of the three cases, under names that end in One, Two and Three. */
function inOrder<Stem extends string, Case>(
  stem: Stem,
  cases: readonly Case[],
  text: (one: Case) => string,
): Record<`${Stem}${Order}`, string> {
  const entries = ORDER.map((name, index) => {
    const found = cases[index];
    if (found === undefined) throw new Error(`The journey's texts need three values for ${stem}.`);
    return [`${stem}${name}`, text(found)] as const;
  });
  return Object.fromEntries(entries) as Record<`${Stem}${Order}`, string>;
}

const scenarios = journeyScenarios();
const losses = journeyLosses();
const multiple = (text: string) => `${text.replace(/\B(?=(\d{3})+$)/g, ',')}×`;
const plain = (text: string | null) => (text ?? '').replace(/\.0+$/, '');
/** A total loss is `$0` and `0×`. */
const left = (amount: bigint) => (amount === 0n ? '$0' : cents(amount));

export const JOURNEY_FACTS = {
  journeyOutlay: wholeCents(outlay),
  journeyBought: bd(JOURNEY.boughtBd),
  journeyBuyPrice: `$${JOURNEY.buyPriceUsd}`,
  journeyYears: duration(JOURNEY.years, 'year'),
  journeyIncome: dollars(JOURNEY.incomeUsd),
  journeyHoldings: bd(JOURNEY.holdingsBd),
  journeyHoldingsFactor: plain(ratioText(JOURNEY.holdingsBd, JOURNEY.boughtBd, 2)),
  journeySimpleHoldings: bd(journeySimpleHoldingsBd()),
  journeyHoldingsGap: bd(JOURNEY.holdingsBd - journeySimpleHoldingsBd()),
  journeyIncomeFactor: plain(ratioText(JOURNEY.incomeUsd * 100n, outlay, 2)),
  ...inOrder('journeyPrice', scenarios, ({ priceUsd }) => `$${priceUsd}`),
  ...inOrder('journeyValue', scenarios, ({ holdingsCents }) => wholeCents(holdingsCents)),
  ...inOrder('journeyTotal', scenarios, ({ totalCents }) => wholeCents(totalCents)),
  ...inOrder('journeyMultiple', scenarios, (scenario) => multiple(scenario.multiple)),
  ...inOrder('journeyRise', scenarios, ({ rise }) => plain(rise)),
  journeyCapStart: dollars(BigInt(plain(marketCapUsd(JOURNEY.buyPriceUsd)))),
  ...inOrder('journeyCap', scenarios, ({ priceUsd }) => formatUsd(marketCapUsd(priceUsd))),
  journeyBreakEven: `$${journeyBreakEvenUsd()}`,
  journeyLossFallOne: `${fallOne}%`,
  journeyLossFallTwo: `${fallTwo}%`,
  journeyLossHoldingsOne: bd(journeyHoldingsAfterLock()),
  journeyLossPriceOne: `$${journeyPriceAfterFall(fallOne)}`,
  journeyLossPriceTwo: `$${journeyPriceAfterFall(fallTwo)}`,
  ...inOrder('journeyLossTotal', losses, ({ totalCents }) => left(totalCents)),
  ...inOrder('journeyLossResult', losses, ({ resultCents }) => cents(resultCents)),
  ...inOrder('journeyLossMultiple', losses, (loss) => multiple(plain(loss.multiple))),
} as const;
