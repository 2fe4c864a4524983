// @vitest-environment happy-dom
import { act } from 'react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SAMPLE_WALLET } from '../testing/samples.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { WalletProvider } from '../wallet/WalletProvider.tsx';
import { VerificationPanelView } from './VerificationPanel.tsx';
import type { CheckOptions, StakeVerification } from './verify-stake.ts';

let page: ServedPage;
let watched: CheckOptions;
let decide: (result: StakeVerification) => void;

beforeEach(async () => {
  const check = (_wallet: string, options: CheckOptions) => {
    watched = options;
    return new Promise<StakeVerification>((resolve) => {
      decide = resolve;
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
const marks = () => steps().map(({ dataset }) => dataset.step ?? null);

it('advances with the steps that the portal reports, and completes skipped steps', async () => {
  expect(marks()).toEqual(['now', null, null, null]);
  await act(async () => watched.onStep('started'));
  expect(marks()).toEqual(['done', 'now', null, null]);
  expect(steps().findIndex((step) => step.getAttribute('aria-current') === 'step')).toBe(1);
  await act(async () => watched.onStep('stake-entries-read'));
  expect(marks()).toEqual(['done', 'done', 'now', null]);
  await act(async () => watched.onStep('decided'));
  expect(marks()).toEqual(['done', 'done', 'done', 'done']);
});

it('aborts its check when it is unmounted', async () => {
  await page.close();
  expect(watched.signal.aborted).toBe(true);
  watched.onStep('decided');
  decide({
    walletAddress: SAMPLE_WALLET,
    tier: 'None',
    stakedAmount: '0',
    detectionMethod: 'token_account_analysis',
    currentDetection: 'No BD tokens found',
  });
  expect(page.text()).toBe('');
});
