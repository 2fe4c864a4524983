// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import type { WalletPosition } from '../../../data/contract/position.ts';
import { SAMPLE_TRANSACTION, SAMPLE_WALLET } from '../testing/samples.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { LiveRoot } from '../ui/Live.tsx';
import History from './History.tsx';

const HISTORY_CALL = 'GET /api/wallet/history';
const position = { walletAddress: SAMPLE_WALLET, staked: '0', source: ['embedded-ledger'] };
const { blockTime: _, wallet: __, ...event } = SAMPLE_TRANSACTION;
const row = {
  ...{ timeUtc: '2026-01-01T00:00:00.000Z', entry: null, amountBd: event.amount, lockedUntil: null },
  ...{ usdPerBd: null, usdValue: null, priceSource: null, priceAt: null, priceInterval: null },
  ...event,
};

let page: ServedPage;
afterEach(() => page.close());

it('an empty page of the history leads to older events and back', async () => {
  page = await openServedPage(
    <LiveRoot>
      <History position={position as unknown as WalletPosition} link={null} />
    </LiveRoot>,
    {
      [HISTORY_CALL]: { walletAddress: SAMPLE_WALLET, rows: [], next: '9.9.9', isComplete: true },
    },
  );
  await page.settle();
  expect(page.root.querySelector('[data-export-prices]')).not.toBeNull();
  expect(page.text()).toContain('Go to the next page to search older ones.');
  page.respond(HISTORY_CALL, { walletAddress: SAMPLE_WALLET, rows: [row], next: null, isComplete: true });
  await page.press('›Next page');
  await page.settle();
  expect(page.text()).toContain('1–1 of 1');
  expect(page.button('‹Previous page').getAttribute('aria-disabled')).toBe('false');
});
