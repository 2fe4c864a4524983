import { describe, expect, it } from 'vitest';
import { cardWarnings, loanWarnings } from './approval-warnings.ts';

describe('the warnings about an approval', () => {
  it.each([
    ['a sufficient stake of a proven owner', { tier: 'Banker' }, true, 'Banker', []],
    ['a stake for a higher tier', { tier: 'Raven' }, true, 'Banker', []],
    ['no wallet', null, false, 'Banker', ['no-wallet']],
    ['no stake, and no proof of ownership', { tier: 'None' }, false, null, ['ownership-unproven', 'no-tier']],
    ['a stake for a lower tier', { tier: 'Duckling' }, true, 'Banker', ['tier-above-stake']],
    ['a stake that cannot be read', { tier: null }, true, 'Banker', ['stake-unknown']],
  ] as const)(
    'of a card include each problem, and nothing else: %s',
    (_case, wallet, isProven, tier, warnings) => {
      expect(cardWarnings(wallet, isProven, tier)).toEqual(warnings);
    },
  );

  it.each([
    ['Yes', true, []],
    ['No', true, ['risk-not-understood']],
    ['Yes', false, ['mailbox-unconfirmed']],
  ] as const)(
    'of a loan with risk awareness %s and mailbox confirmed %s are %j',
    (riskSuitability, isMailboxConfirmed, warnings) => {
      expect(loanWarnings({ riskSuitability, isMailboxConfirmed })).toEqual(warnings);
    },
  );
});
