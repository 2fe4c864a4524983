import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDecimalText } from '../../../data/model/amounts.ts';
import { htmlOf } from '../testing/render.ts';
import { SAMPLE_WALLET } from '../testing/samples.ts';
import { WalletProvider } from '../wallet/WalletProvider.tsx';
import { denialHint, denialToast } from './denial.ts';
import { VerificationPanelView } from './VerificationPanel.tsx';
import VerificationRequiredDialog from './VerificationRequiredDialog.tsx';

describe('a denial', () => {
  it.each([
    ['stake_entry', '1499999.999999', 'Need 0.000001 more BD staked'],
    ['stake_entry', '250000.5', 'Need 1,249,999.5 more BD staked'],
    ['token_account_analysis', '0', 'Must stake 1,500,000 BD tokens for virtual card eligibility'],
    ['token_account_analysis', '7', 'Must stake 1,500,000 BD tokens for virtual card eligibility'],
  ] as const)('for %s with %s BD says: %s', (detectionMethod, stakedAmount, hint) => {
    expect(denialHint({ detectionMethod, stakedAmount })).toBe(hint);
  });

  it('names the exact missing amount for any stake', () => {
    const lowestMinimum = 1_500_000_000_000n;
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: lowestMinimum - 1n }), (staked) => {
        const hint = denialHint({ detectionMethod: 'stake_entry', stakedAmount: toDecimalText(staked, 6) });
        const missing = hint.replaceAll(',', '').replace(/^Need (\S+) more BD staked$/, '$1');
        expect(missing).toBe(toDecimalText(lowestMinimum - staked, 6));
      }),
    );
  });

  it('is shown for 15 seconds, with a link to buy BD', () => {
    expect(denialToast({ detectionMethod: 'stake_entry', stakedAmount: '0' }, 'https://m.example')).toEqual({
      title: 'ACCESS DENIED - INSUFFICIENT STAKING',
      text: 'MINIMUM 1,500,000 BD TOKENS REQUIRED FOR STAKING. Must stake 1,500,000 BD tokens for virtual card eligibility',
      kind: 'failure',
      seconds: 15,
      actions: [{ label: 'Buy BD Tokens', href: 'https://m.example' }],
    });
  });
});

it('the verification panel states the maximum duration of a check, and requires an address', () => {
  const html = htmlOf(
    <WalletProvider>
      <VerificationPanelView check={() => Promise.reject(new Error('not called'))} />
    </WalletProvider>,
  );
  expect(html).toContain('60 seconds');
  expect(html).toMatch(/<button[^>]* disabled=""[^>]*>Verify Wallet</);
});

describe('the dialog for a wallet without a tier', () => {
  const html = htmlOf(
    <VerificationRequiredDialog
      result={{
        walletAddress: SAMPLE_WALLET,
        tier: 'None',
        stakedAmount: '0',
        detectionMethod: 'token_account_analysis',
        currentDetection: '2,000,000.5 BD in wallet (not staked) (token_account_analysis)',
      }}
      onClose={() => {}}
    />,
  );

  it('shows what was detected, and the shortened wallet address', () => {
    expect(html).toContain('Verification Required');
    expect(html).toContain('2,000,000.5 BD in wallet (not staked) (token_account_analysis)');
    expect(html).toContain('4MvNhuHv…kfBbsie4');
    expect(html).not.toContain(SAMPLE_WALLET);
  });

  it('explains the review and the membership requirements', () => {
    expect(html).toContain('Manual Review Process');
    expect(html).toContain('within 24 hours');
    expect(html).toContain('Request Manual Verification');
    for (const minimum of ['1,500,000 BD', '5,000,000 BD', '7,500,000 BD']) expect(html).toContain(minimum);
    expect(html).toContain('USDT');
  });
});
