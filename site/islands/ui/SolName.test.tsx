// @vitest-environment happy-dom
import type { ReactNode } from 'react';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startWalletView } from '../../shell/wallet/wallet-view.ts';
import { CONNECTED_STATE, SAMPLE_WALLET } from '../testing/samples.ts';
import { openServedPage } from '../testing/served-page.tsx';
import TierActivatedDialog from '../tier-activated/TierActivatedDialog.tsx';
import { $wallet, DISCONNECTED_STATE } from '../wallet/wallet-stores.ts';
import { SolName } from './SolName.tsx';

const NAME_CALL = 'GET /api/wallet/name';
const dialog = (
  <TierActivatedDialog tier="raven" stakedAmount="1" walletAddress={SAMPLE_WALLET} onClose={() => {}} />
);

async function open(island: ReactNode, name?: string | null) {
  const responses = name === undefined ? {} : { [NAME_CALL]: { walletAddress: SAMPLE_WALLET, name } };
  const page = await openServedPage(island, responses);
  onTestFinished(() => page.close());
  await page.settle();
  return page;
}

describe('the .sol name of a wallet', () => {
  it('is shown as plain text after the full address', async () => {
    const page = await open(dialog, '<b>.sol');
    expect(page.root.querySelector('[data-sol-name]')?.textContent).toBe('<b>.sol');
    expect(page.text()).toContain(`${SAMPLE_WALLET}<b>.sol`);
  });

  it.each([null, undefined])('is not shown if it is %s', async (name) => {
    const page = await open(<SolName wallet={SAMPLE_WALLET} />, name);
    expect(page.text()).toBe('');
  });

  it('is in the menu of the connected wallet, below the address', async () => {
    const page = await open(null, 'ada.sol');
    $wallet.set(CONNECTED_STATE);
    onTestFinished(() => $wallet.set(DISCONNECTED_STATE));
    const menu = startWalletView({ connect: vi.fn(), disconnect: vi.fn(), signOut: vi.fn() }).openMenu();
    await page.settle();
    const name = document.querySelector<HTMLElement>('dialog [data-sol-name]');
    expect([name?.hidden, name?.textContent]).toEqual([false, 'ada.sol']);
    expect(name?.previousElementSibling?.textContent).toBe(SAMPLE_WALLET);
    document.querySelector('dialog')?.close();
    await menu;
  });
});
