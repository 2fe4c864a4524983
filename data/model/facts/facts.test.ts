import { describe, expect, it } from 'vitest';
import { FACTS } from './facts.ts';
import { JOURNEY_FACTS } from './journey-facts.ts';
import { LOAN_FACTS } from './loan-facts.ts';

describe('the facts', () => {
  it('have different names in the loan note and the investor journey', () => {
    expect(Object.keys(LOAN_FACTS).filter((name) => name in JOURNEY_FACTS)).toEqual([]);
  });

  it('are complete texts', () => {
    for (const [name, text] of Object.entries(FACTS)) {
      expect(text, name).toMatch(/^[$+−\w]/);
      expect(text, name).not.toMatch(/NaN|undefined|null|Infinity|\.0+%|^\$-|,,/);
    }
  });
});

describe('the investor journey', () => {
  it('computes the published multiples', () => {
    const { journeyMultipleOne, journeyMultipleTwo, journeyMultipleThree, journeyOutlay } = JOURNEY_FACTS;
    expect([journeyMultipleOne, journeyMultipleTwo, journeyMultipleThree]).toEqual([
      '298×',
      '775×',
      '1,490×',
    ]);
    expect(journeyOutlay).toBe('$600');
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

  it('states the part of its holdings that the stated yield does not explain', () => {
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
    const { loanPaymentOne, loanPaymentTwo, loanPaymentThree, loanPaymentFour } = LOAN_FACTS;
    expect([loanPaymentOne, loanPaymentTwo, loanPaymentThree, loanPaymentFour]).toEqual([
      'December 2025',
      'June 2026',
      'December 2026',
      'June 2027',
    ]);
    expect(LOAN_FACTS.loanEnd).toBe('June 2027');
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

describe('staking and cards', () => {
  it('state the reward of one lock of the minimum stake to the hundredth', () => {
    expect(FACTS.exampleReward).toBe('656,136.99 BD');
  });

  it('keep the total supply and the market supply apart', () => {
    expect([FACTS.totalSupply, FACTS.marketSupply]).toEqual(['1,000,000,000 BD', '990,000,000 BD']);
  });

  it('contain their units', () => {
    expect(FACTS).toMatchObject({
      topUpExampleFee: '4.50 USDT',
      cardProcessing: '24 to 48 hours',
      ravenMonthly: '$3,000,000',
    });
    expect([FACTS.priorityResponse, FACTS.chatResponse]).toEqual(['1 hour', '2 to 4 hours']);
  });
});
