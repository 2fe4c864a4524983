import { describe, expect, it } from 'vitest';
import { FACTS } from './facts.ts';
import { JOURNEY_FACTS } from './journey-facts.ts';
import { LOAN_FACTS } from './loan-facts.ts';

describe('the facts', () => {
  it('share no name between the loan note and the investor journey', () => {
    expect(Object.keys(LOAN_FACTS).filter((name) => name in JOURNEY_FACTS)).toEqual([]);
  });

  it('contain no placeholder of a missing value', () => {
    for (const [name, text] of Object.entries(FACTS)) {
      expect(text, name).toMatch(/^[$+−\w]/);
      expect(text, name).not.toMatch(/NaN|undefined|null|Infinity|\.0+%|^\$-|,,/);
    }
  });
});

describe('the investor journey', () => {
  it('computes the published multiples', () => {
    expect(JOURNEY_FACTS).toMatchObject({
      journeyOutlay: '$600',
      journeyMultipleOne: '298×',
      journeyMultipleTwo: '775×',
      journeyMultipleThree: '1,490×',
    });
  });

  it('shows its loss in the same detail as its gain', () => {
    expect(JOURNEY_FACTS).toMatchObject({
      journeyLossHoldingsOne: '7,187,123 BD',
      journeyLossPriceOne: '$0.000012',
      journeyLossTotalOne: '$86.25',
      journeyLossResultOne: '−$513.75',
      journeyLossMultipleTwo: '0.01×',
      journeyLossTotalThree: '$0',
      journeyLossResultThree: '−$600.00',
      journeyBreakEven: '$0.0000835',
    });
  });

  it('states how many of its holdings the stated yield does not explain', () => {
    expect(JOURNEY_FACTS).toMatchObject({
      journeySimpleHoldings: '18,305,000 BD',
      journeyHoldingsGap: '10,295,000 BD',
      journeyCapStart: '$118,800',
      journeyCapTwo: '$14.85M',
      journeyRiseOne: '41.7',
    });
  });
});

describe('the loan note', () => {
  it('pays interest every half-year of its term, in named months', () => {
    expect(LOAN_FACTS).toMatchObject({
      loanPaymentOne: 'December 2025',
      loanPaymentTwo: 'June 2026',
      loanPaymentThree: 'December 2026',
      loanPaymentFour: 'June 2027',
      loanEnd: 'June 2027',
    });
  });

  it('converts at the lower of the discounted and the capped price', () => {
    expect(LOAN_FACTS).toMatchObject({
      conversionAppliedLow: '$1.30',
      conversionReceivedLow: '76,923',
      conversionWorthLow: '$153,846',
      conversionAppliedHigh: '$3.00',
      conversionReceivedHigh: '33,333',
      conversionWorthHigh: '$199,998',
      conversionCrossover: '$230.8 million',
    });
  });

  it('has scenarios from full repayment to total loss', () => {
    expect(LOAN_FACTS).toMatchObject({
      scenarioAResult: '+$28,800',
      scenarioBTotal: '$124,400',
      scenarioCResult: '+$68,246',
      scenarioDResult: '−$24,062',
      scenarioEResult: '−$75,600',
      scenarioFResult: '−$100,000',
    });
  });
});

it('the facts about staking and cards contain their units', () => {
  expect(FACTS).toMatchObject({
    exampleReward: '656,136.99 BD',
    totalSupply: '1,000,000,000 BD',
    marketSupply: '990,000,000 BD',
    topUpExampleFee: '4.50 USDT',
    cardProcessing: '24 to 48 hours',
    ravenMonthly: '$3,000,000',
    priorityResponse: '1 hour',
    chatResponse: '2 to 4 hours',
  });
});
