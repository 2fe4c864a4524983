// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as PATHS from '../../../data/contract/paths.ts';
import { CONNECTED_STATE, SAMPLE_WALLET } from '../testing/samples.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { $session, $wallet, DISCONNECTED_STATE } from '../wallet/wallet-stores.ts';
import Reminders from './Reminders.tsx';

const session = {
  walletAddress: SAMPLE_WALLET,
  provedAt: '2026-11-21T10:00:00.000Z',
  expiresAt: '2026-11-21T22:00:00.000Z',
};
const reminder = { id: 'r-1', channel: 'mail', target: 'a…@example.com', state: 'on' };
const list = { walletAddress: SAMPLE_WALLET, reminders: [reminder], hasBot: false, pushKey: '' };
const READ = `GET ${PATHS.reminders}`;
const NOT_PROVEN = { success: false, error: 'You have not proven that this wallet is yours.' };

vi.mock(import('../wallet/wallet-actions.ts'), async (load) => ({
  ...(await load()),
  prove: async () => {
    $session.set(session);
    return session;
  },
}));

let page: ServedPage;
const state = () => page.root.querySelector<HTMLElement>('[data-reminders]')?.dataset.reminders;

beforeEach(async () => {
  $session.set(null);
  $wallet.set(CONNECTED_STATE);
  page = await openServedPage(<Reminders ownerAddress={SAMPLE_WALLET} />, { [READ]: list });
});
afterEach(async () => {
  await page.close();
  $session.set(null);
  $wallet.set(DISCONNECTED_STATE);
});

describe('the reminders of a wallet', () => {
  it('are shown until the visitor signs out', async () => {
    await page.press('Set Up Reminders');
    expect(state()).toBe('open');
    await page.advance(0, () => $session.set(null));
    expect(state()).toBe('closed');
    await page.press('Set Up Reminders');
    expect(state()).toBe('open');
  });

  it('require a new proof if the server has none when they are changed', async () => {
    await page.press('Set Up Reminders');
    page.respond(`POST ${PATHS.removeReminder}`, NOT_PROVEN, 401);
    await page.press('Stop');
    expect($session.get()).toBeNull();
    expect(state()).toBe('closed');
    expect(page.root.querySelector('[role=alert]')).not.toBeNull();
    await page.press('Set Up Reminders');
    expect(state()).toBe('open');
  });

  it.each([
    ['whose link was sent', [reminder, { ...reminder, id: 'r-2', state: 'unconfirmed' }], true],
    ['that already gets reminders', [reminder], false],
    ['that was confirmed elsewhere', [reminder, { ...reminder, id: 'r-2' }], false],
  ])('show the address only if an email was sent to it: an address %s', async (_case, reminders, isSent) => {
    await page.press('Set Up Reminders');
    page.respond(`POST ${PATHS.addReminder}`, { ...list, reminders, chatUrl: null });
    await page.type('reminder-email', 'ada@example.com');
    await page.press('Remind Me by Email');
    const notice = page.root.querySelector('[role=status]')?.textContent;
    expect(notice).not.toBe('');
    expect(notice?.includes('ada@example.com')).toBe(isSent);
  });

  it('require a new proof if the server has none when they are read', async () => {
    page.respond(READ, NOT_PROVEN, 401);
    await page.press('Set Up Reminders');
    expect($session.get()).toBeNull();
    expect(state()).toBe('closed');
  });
});
