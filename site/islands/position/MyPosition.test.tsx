// @vitest-environment happy-dom
import { cleanStores } from 'nanostores';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as PATHS from '../../../data/contract/paths.ts';
import { $now } from '../../data/ticking-clock.ts';
import { CONNECTED_STATE, SAMPLE_WALLET, samplePosition } from '../testing/samples.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { $wallet, DISCONNECTED_STATE } from '../wallet/wallet-stores.ts';
import MyPosition from './MyPosition.tsx';

const OTHER_WALLET = '7sbniKpM9gv4U7QcKkAewH7Comd1nKNoWyH8UR8sHuDv';
const ENTERED_WALLET = '1'.repeat(32);

let page: ServedPage;
const connect = (walletAddress: string) =>
  page.advance(1, () => $wallet.set({ ...CONNECTED_STATE, walletAddress }));

beforeEach(async () => {
  page = await openServedPage(<MyPosition explorer="https://e.example" />);
  page.respond(`GET ${PATHS.walletPosition}`, samplePosition({}, -1));
});
afterEach(async () => {
  await page.close();
  cleanStores($now);
  $wallet.set(DISCONNECTED_STATE);
  history.replaceState(null, '', location.pathname);
  dispatchEvent(new Event('popstate'));
});

describe('My Position', () => {
  it('follows the connected wallet', async () => {
    await connect(SAMPLE_WALLET);
    expect(location.hash).toBe(`#wallet=${SAMPLE_WALLET}`);
    await connect(OTHER_WALLET);
    expect(location.hash).toBe(`#wallet=${OTHER_WALLET}`);
    await page.advance(1, () => $wallet.set(DISCONNECTED_STATE));
    await connect(SAMPLE_WALLET);
    expect(location.hash).toBe(`#wallet=${SAMPLE_WALLET}`);
  });

  it('keeps an address that the visitor has entered', async () => {
    await connect(SAMPLE_WALLET);
    await page.type('position-wallet', ENTERED_WALLET);
    await page.press('Show Position');
    await connect(OTHER_WALLET);
    expect(location.hash).toBe(`#wallet=${ENTERED_WALLET}`);
  });

  it('does not switch wallets during a withdrawal', async () => {
    await connect(SAMPLE_WALLET);
    await page.settle();
    await page.press('Withdraw');
    expect(page.root.querySelector('[data-withdrawal]')).not.toBeNull();
    await connect(OTHER_WALLET);
    expect(location.hash).toBe(`#wallet=${SAMPLE_WALLET}`);
    await page.press('Cancel');
    await connect(SAMPLE_WALLET);
    await connect(OTHER_WALLET);
    expect(location.hash).toBe(`#wallet=${OTHER_WALLET}`);
  });
});
