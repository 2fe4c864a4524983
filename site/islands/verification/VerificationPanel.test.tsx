// @vitest-environment happy-dom
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WalletProvider } from '../wallet/WalletProvider.tsx';
import { Panel } from './VerificationPanel.tsx';
import type { StakeVerification, WatchedCheck } from './verify-stake.ts';

const wallet = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';

let root: Root;
let container: HTMLElement;
let watched: WatchedCheck;
let decide: (result: StakeVerification) => void;

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  container = document.createElement('div');
  document.body.append(container);
  root = createRoot(container);
  const check = (_wallet: string, watcher: WatchedCheck) => {
    watched = watcher;
    return new Promise<StakeVerification>((resolve) => {
      decide = resolve;
    });
  };
  await act(async () =>
    root.render(
      <WalletProvider>
        <Panel check={check} />
      </WalletProvider>,
    ),
  );
  const input = container.querySelector('input');
  if (!input) throw new Error('The panel has no field.');
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, wallet);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await act(async () => container.querySelector('form')?.requestSubmit());
});
afterEach(async () => {
  await act(async () => root.unmount());
  container.remove();
  vi.unstubAllGlobals();
});

const marks = () => [...container.querySelectorAll('li')].map((step) => step.dataset.step ?? null);
const current = () =>
  [...container.querySelectorAll('li')].findIndex((step) => step.getAttribute('aria-current') === 'step');

it('advances with the steps that the portal reports, and completes skipped ones', async () => {
  expect(marks()).toEqual(['now', null, null, null]);
  await act(async () => watched.onStep('started'));
  expect(marks()).toEqual(['done', 'now', null, null]);
  expect(current()).toBe(1);
  await act(async () => watched.onStep('stake-entries-read'));
  expect(marks()).toEqual(['done', 'done', 'now', null]);
  await act(async () => watched.onStep('decided'));
  expect(marks()).toEqual(['done', 'done', 'done', 'done']);
});

it('aborts its check when it is unmounted', async () => {
  await act(async () => watched.onStep('started'));
  await act(async () => root.render(null));
  expect(watched.signal.aborted).toBe(true);
  watched.onStep('decided');
  decide({
    walletAddress: wallet,
    tier: 'None',
    stakedAmount: '0',
    detectionMethod: 'token_account_analysis',
    currentDetection: 'No BD tokens found',
  });
  expect(container.textContent).toBe('');
});
