import { ratioText } from '../amounts.ts';
import { groupDecimalText } from '../digit-grouping.ts';
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
import {
  bdText,
  centsAsDollarText,
  centsAsWholeDollarText,
  dollarText,
  durationWithUnit,
} from './amount-text.ts';

const CASE_NAMES = ['One', 'Two', 'Three'] as const;
type CaseName = (typeof CASE_NAMES)[number];

const outlay = journeyOutlayCents();
const [fallOne, fallTwo] = JOURNEY.lossFallsPercent;

/** One fact for each of three cases. The facts' names end in One, Two and Three. */
function factPerCase<Stem extends string, Case>(
  stem: Stem,
  cases: readonly Case[],
  text: (one: Case) => string,
): Record<`${Stem}${CaseName}`, string> {
  const entries = CASE_NAMES.map((name, index) => {
    const value = cases[index];
    if (value === undefined) throw new Error(`${stem} needs three values.`);
    return [`${stem}${name}`, text(value)] as const;
  });
  return Object.fromEntries(entries) as Record<`${Stem}${CaseName}`, string>;
}

const scenarios = journeyScenarios();
const losses = journeyLosses();
const multipleText = (text: string) => `${groupDecimalText(text)}×`;
const dropZeroDecimals = (text: string | null) => (text ?? '').replace(/\.0+$/, '');
const remainingText = (amount: bigint) => (amount === 0n ? '$0' : centsAsDollarText(amount));

export const JOURNEY_FACTS = {
  journeyOutlay: centsAsWholeDollarText(outlay),
  journeyBought: bdText(JOURNEY.boughtBd),
  journeyBuyPrice: `$${JOURNEY.buyPriceUsd}`,
  journeyYears: durationWithUnit(JOURNEY.years, 'year'),
  journeyIncome: dollarText(JOURNEY.incomeUsd),
  journeyHoldings: bdText(JOURNEY.holdingsBd),
  journeyHoldingsFactor: dropZeroDecimals(ratioText(JOURNEY.holdingsBd, JOURNEY.boughtBd, 2)),
  journeySimpleHoldings: bdText(journeySimpleHoldingsBd()),
  journeyHoldingsGap: bdText(JOURNEY.holdingsBd - journeySimpleHoldingsBd()),
  journeyIncomeFactor: dropZeroDecimals(ratioText(JOURNEY.incomeUsd * 100n, outlay, 2)),
  ...factPerCase('journeyPrice', scenarios, ({ priceUsd }) => `$${priceUsd}`),
  ...factPerCase('journeyValue', scenarios, ({ holdingsCents }) => centsAsWholeDollarText(holdingsCents)),
  ...factPerCase('journeyTotal', scenarios, ({ totalCents }) => centsAsWholeDollarText(totalCents)),
  ...factPerCase('journeyMultiple', scenarios, (scenario) => multipleText(scenario.multiple)),
  ...factPerCase('journeyRise', scenarios, ({ priceFactor }) => dropZeroDecimals(priceFactor)),
  journeyCapStart: dollarText(BigInt(dropZeroDecimals(marketCapUsd(JOURNEY.buyPriceUsd)))),
  ...factPerCase('journeyCap', scenarios, ({ priceUsd }) => formatUsd(marketCapUsd(priceUsd))),
  journeyBreakEven: `$${journeyBreakEvenUsd()}`,
  journeyLossFallOne: `${fallOne}%`,
  journeyLossFallTwo: `${fallTwo}%`,
  journeyLossHoldingsOne: bdText(journeyHoldingsAfterLock()),
  journeyLossPriceOne: `$${journeyPriceAfterFall(fallOne)}`,
  journeyLossPriceTwo: `$${journeyPriceAfterFall(fallTwo)}`,
  ...factPerCase('journeyLossTotal', losses, ({ totalCents }) => remainingText(totalCents)),
  ...factPerCase('journeyLossResult', losses, ({ resultCents }) => centsAsDollarText(resultCents)),
  ...factPerCase('journeyLossMultiple', losses, (loss) => multipleText(dropZeroDecimals(loss.multiple))),
} as const;
