import { ratioText } from '../amounts.ts';
import { groupDecimalText } from '../count.ts';
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

/** One fact for each of three cases. The names of the facts end in One, Two and Three. */
function factPerCase<Stem extends string, Case>(
  stem: Stem,
  cases: readonly Case[],
  text: (one: Case) => string,
): Record<`${Stem}${Order}`, string> {
  const entries = ORDER.map((name, index) => {
    const value = cases[index];
    if (value === undefined) throw new Error(`${stem} needs three values.`);
    return [`${stem}${name}`, text(value)] as const;
  });
  return Object.fromEntries(entries) as Record<`${Stem}${Order}`, string>;
}

const scenarios = journeyScenarios();
const losses = journeyLosses();
const multiple = (text: string) => `${groupDecimalText(text)}×`;
const plain = (text: string | null) => (text ?? '').replace(/\.0+$/, '');
const remaining = (amount: bigint) => (amount === 0n ? '$0' : cents(amount));

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
  ...factPerCase('journeyPrice', scenarios, ({ priceUsd }) => `$${priceUsd}`),
  ...factPerCase('journeyValue', scenarios, ({ holdingsCents }) => wholeCents(holdingsCents)),
  ...factPerCase('journeyTotal', scenarios, ({ totalCents }) => wholeCents(totalCents)),
  ...factPerCase('journeyMultiple', scenarios, (scenario) => multiple(scenario.multiple)),
  ...factPerCase('journeyRise', scenarios, ({ rise }) => plain(rise)),
  journeyCapStart: dollars(BigInt(plain(marketCapUsd(JOURNEY.buyPriceUsd)))),
  ...factPerCase('journeyCap', scenarios, ({ priceUsd }) => formatUsd(marketCapUsd(priceUsd))),
  journeyBreakEven: `$${journeyBreakEvenUsd()}`,
  journeyLossFallOne: `${fallOne}%`,
  journeyLossFallTwo: `${fallTwo}%`,
  journeyLossHoldingsOne: bd(journeyHoldingsAfterLock()),
  journeyLossPriceOne: `$${journeyPriceAfterFall(fallOne)}`,
  journeyLossPriceTwo: `$${journeyPriceAfterFall(fallTwo)}`,
  ...factPerCase('journeyLossTotal', losses, ({ totalCents }) => remaining(totalCents)),
  ...factPerCase('journeyLossResult', losses, ({ resultCents }) => cents(resultCents)),
  ...factPerCase('journeyLossMultiple', losses, (loss) => multiple(plain(loss.multiple))),
} as const;
