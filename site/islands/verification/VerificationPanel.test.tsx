// @vitest-environment happy-dom
import { act } from 'react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SAMPLE_WALLET } from '../testing/samples.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { WalletProvider } from '../wallet/WalletProvider.tsx';
import { VerificationPanelView } from './VerificationPanel.tsx';
import type { CheckOptions, StakeVerification } from './verify-stake.ts';

let page: ServedPage;
let checkOptions: CheckOptions;
let resolveCheck: (result: StakeVerification) => void;

beforeEach(async () => {
  const check = (_wallet: string, options: CheckOptions) => {
    checkOptions = options;
    return new Promise<StakeVerification>((resolve) => {
      resolveCheck = resolve;
    });
  };
  page = await openServedPage(
    <WalletProvider>
      <VerificationPanelView check={check} />
    </WalletProvider>,
  );
  await page.type('verify-wallet', SAMPLE_WALLET);
  await page.press('Verify Wallet');
});
afterEach(() => page.close());

const steps = () => [...page.root.querySelectorAll('li')];
const stepStates = () => steps().map(({ dataset }) => dataset.step ?? null);

it('the verification panel advances with the steps that the portal reports, and completes skipped steps', async () => {
  expect(stepStates()).toEqual(['now', null, null, null]);
  await act(async () => checkOptions.onStep('started'));
  expect(stepStates()).toEqual(['done', 'now', null, null]);
  expect(steps().findIndex((step) => step.getAttribute('aria-current') === 'step')).toBe(1);
  await act(async () => checkOptions.onStep('stake-entries-read'));
  expect(stepStates()).toEqual(['done', 'done', 'now', null]);
  await act(async () => checkOptions.onStep('decided'));
  expect(stepStates()).toEqual(['done', 'done', 'done', 'done']);
});

it('the verification panel aborts its check when it is unmounted', async () => {
  await page.close();
  expect(checkOptions.signal.aborted).toBe(true);
  checkOptions.onStep('decided');
  resolveCheck({
    walletAddress: SAMPLE_WALLET,
    tier: 'None',
    stakedAmount: '0',
    detectionMethod: 'token_account_analysis',
    currentDetection: 'No BD tokens found',
  });
  expect(page.text()).toBe('');
});
