import { describe, expect, it } from 'vitest';
import { CARD_FACTS } from './card-facts.ts';
import { FACTS } from './facts.ts';
import { JOURNEY_FACTS } from './journey-facts.ts';
import { LOAN_FACTS } from './loan-facts.ts';
import { PORTAL_FACTS } from './portal-facts.ts';
import { TOKEN_FACTS } from './token-facts.ts';

describe('the facts', () => {
  it('have a name of their own each, in whichever field they stand', () => {
    const fields = [TOKEN_FACTS, CARD_FACTS, PORTAL_FACTS, LOAN_FACTS, JOURNEY_FACTS];
    const count = fields.reduce((sum, field) => sum + Object.keys(field).length, 0);
    expect(Object.keys(FACTS)).toHaveLength(count);
  });

  it('are finished text', () => {
    for (const [name, text] of Object.entries(FACTS)) {
      expect(text, name).toMatch(/^[$+−\w]/);
      expect(text, name).not.toMatch(/NaN|undefined|null|Infinity|\.0+%|^\$-|,,/);
    }
  });
});

describe('the investor journey', () => {
  it('comes to the published multiples by its own arithmetic', () => {
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

  it('says how much of its holdings the stated yield does not explain', () => {
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
  it('pays every half-year of its term, and names the months', () => {
    const { loanPaymentOne, loanPaymentTwo, loanPaymentThree, loanPaymentFour } = LOAN_FACTS;
    expect([loanPaymentOne, loanPaymentTwo, loanPaymentThree, loanPaymentFour]).toEqual([
      'December 2025',
      'June 2026',
      'December 2026',
      'June 2027',
    ]);
    expect(LOAN_FACTS.loanEnd).toBe('June 2027');
  });

  it('converts at the lower of discount and cap', () => {
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

  it('goes from repayment in full to the loss of all of it', () => {
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
  it('count one lock of the least stake as stated, to the hundredth', () => {
    expect(TOKEN_FACTS.exampleReward).toBe('656,136.99 BD');
  });

  it('keep the two supplies apart', () => {
    expect([TOKEN_FACTS.totalSupply, TOKEN_FACTS.marketSupply]).toEqual([
      '1,000,000,000 BD',
      '990,000,000 BD',
    ]);
  });

  it('read with their units', () => {
    expect(CARD_FACTS).toMatchObject({
      topUpExampleFee: '4.50 USDT',
      cardProcessing: '24 to 48 hours',
      ravenMonthly: '$3,000,000',
    });
    expect([PORTAL_FACTS.priorityResponse, PORTAL_FACTS.chatResponse]).toEqual(['1 hour', '2 to 4 hours']);
  });
});
