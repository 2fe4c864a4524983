// @vitest-environment happy-dom
import { act } from 'react';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startWalletView } from '../../shell/wallet/wallet-view.ts';
import { ActivityList } from '../feed/VaultActivity.tsx';
import { CONNECTED_STATE, knownReading, SAMPLE_TRANSACTION, SAMPLE_WALLET } from '../testing/samples.ts';
import { openServedPage } from '../testing/served-page.tsx';
import TierActivatedDialog from '../tier-activated/TierActivatedDialog.tsx';
import { LinkedId } from '../ui/LinkedId.tsx';
import { $wallet, DISCONNECTED_STATE } from '../wallet/wallet-stores.ts';
import AddressBook from './AddressBook.tsx';
import { $addressToName, $ownNames, changeOwnNames, readOwnNames, toNamesFile } from './own-names.ts';

const KEY = 'addressBook';
const OTHER = 'So11111111111111111111111111111111111111112';

beforeEach(() => {
  localStorage.clear();
  $ownNames.set(new Map());
});

const storedNames = () => Object.fromEntries(readOwnNames());
const setName = (address: string, text: string) => changeOwnNames((names) => names.set(address, text));

async function open(island = <AddressBook />) {
  const page = await openServedPage(island);
  onTestFinished(() => page.close());
  await page.settle();
  const find = (selector: string) => page.root.querySelector<HTMLElement>(selector);
  return {
    ...page,
    find,
    pressLabel: async (label: string) => {
      await page.advance(0, () => find(`[aria-label="${label}"]`)?.click());
      await page.settle();
    },
    add: async (address: string, text: string) => {
      await page.type('own-name-address', address);
      await page.type('own-name', text);
      await page.press('Add Name');
    },
    typeName: async (label: string, text: string) => {
      const input = find(`[aria-label="${label}"]`);
      if (input) input.id = 'renamed';
      await page.type('renamed', text);
    },
    choose: async (content: string) => {
      await page.advance(0, () => {
        const input = find('#own-names-file');
        Object.defineProperty(input, 'files', {
          configurable: true,
          value: [new File([content], 'names.json')],
        });
        input?.dispatchEvent(new Event('change', { bubbles: true }));
      });
      await page.settle();
    },
  };
}

describe('the address book', () => {
  it('adds, renames, removes and restores names only in this browser', async () => {
    const page = await open();
    await page.add(` ${SAMPLE_WALLET} `, ' <b>Ada</b> ');
    expect(storedNames()).toEqual({ [SAMPLE_WALLET]: '<b>Ada</b>' });
    expect(page.find('li strong')?.textContent).toBe('<b>Ada</b>');

    await page.pressLabel('Rename <b>Ada</b>');
    await page.typeName('New name for <b>Ada</b>', 'Savings');
    await page.press('Save');
    expect(storedNames()).toEqual({ [SAMPLE_WALLET]: 'Savings' });

    await page.pressLabel('Remove Savings');
    expect(storedNames()).toEqual({});
    await page.press('Undo');
    expect(storedNames()).toEqual({ [SAMPLE_WALLET]: 'Savings' });
    expect(page.requests).toEqual([]);
  });

  it('keeps the focus on the list when the focused button disappears', async () => {
    setName(SAMPLE_WALLET, 'Ada');
    const page = await open();
    await page.pressLabel('Rename Ada');
    await page.press('Cancel');
    expect(document.activeElement).toBe(page.find('[aria-label="Rename Ada"]'));
    await page.pressLabel('Rename Ada');
    await page.press('Save');
    expect(document.activeElement).toBe(page.find('[aria-label="Rename Ada"]'));
    await page.pressLabel('Remove Ada');
    expect(document.activeElement).toBe(page.button('Undo'));
    await page.press('Undo');
    expect(document.activeElement?.id).toBe('own-names');
  });

  it.each([
    ['x', 'Savings'],
    [SAMPLE_WALLET, ''],
    [SAMPLE_WALLET, OTHER],
    [OTHER, 'Another'],
  ])('rejects the address %s with the name %j', async (address, text) => {
    setName(OTHER, 'Other');
    const page = await open();
    await page.add(address, text);
    expect(page.find('form [role=alert]')?.textContent).not.toBe('');
    expect(storedNames()).toEqual({ [OTHER]: 'Other' });
  });

  it('follows another tab, and does not overwrite its changes', async () => {
    const page = await open();
    await page.add(SAMPLE_WALLET, 'Mine');
    // The other tab's change is stored, but this tab has not received the storage event yet.
    localStorage.setItem(KEY, JSON.stringify(toNamesFile(new Map([[OTHER, 'From the other tab']]))));
    await page.pressLabel('Remove Mine');
    expect(storedNames()).toEqual({ [OTHER]: 'From the other tab' });
    localStorage.setItem(KEY, JSON.stringify(toNamesFile(new Map([[OTHER, 'Renamed there']]))));
    await page.advance(0, () => dispatchEvent(new StorageEvent('storage', { key: KEY })));
    expect(page.find(`[data-named-address="${OTHER}"] strong`)?.textContent).toBe('Renamed there');
  });

  it('reports that the browser did not store a name', async () => {
    const page = await open();
    // This storage has no `setItem`, so storing a name throws.
    vi.stubGlobal('localStorage', { getItem: () => null });
    await page.add(SAMPLE_WALLET, 'Savings');
    expect(page.find('form [role=alert]')?.textContent).not.toBe('');
    expect(page.find('[data-named-address]')).toBeNull();
  });

  it('shows what a file would change before importing it', async () => {
    setName(SAMPLE_WALLET, 'Mine');
    const page = await open();
    const imported = new Map([
      [SAMPLE_WALLET, '<i>Theirs</i>'],
      [OTHER, 'New'],
    ]);
    await page.choose(JSON.stringify(toNamesFile(imported)));
    expect(page.find('[data-preview]')?.dataset.preview).toBe('1 0 1');
    expect(storedNames()).toEqual({ [SAMPLE_WALLET]: 'Mine' });
    await page.press('Import Names');
    expect(storedNames()).toEqual({ [SAMPLE_WALLET]: 'Mine', [OTHER]: 'New' });

    await page.choose(JSON.stringify(toNamesFile(imported)));
    const [, theirs] = page.root.querySelectorAll<HTMLInputElement>('[data-conflict] input');
    await page.advance(0, () => theirs?.click());
    await page.press('Import Names');
    expect(storedNames()).toEqual(Object.fromEntries(imported));
  });

  it('imports nothing from a wrong file, and accepts the corrected one afterwards', async () => {
    const page = await open();
    await page.choose('{');
    expect([page.find('[data-import=failed]') === null, page.find('[data-preview]')]).toEqual([false, null]);
    await page.choose(JSON.stringify(toNamesFile(new Map([[OTHER, 'New']]))));
    await page.press('Import Names');
    expect([page.find('[data-import=failed]'), storedNames()]).toEqual([null, { [OTHER]: 'New' }]);
  });

  it('fills in the address of the wallet that the visitor wants to name', async () => {
    setName(OTHER, 'Other');
    const page = await open();
    await act(async () => $addressToName.set(SAMPLE_WALLET));
    expect(page.find('#own-name-address')).toHaveProperty('value', SAMPLE_WALLET);
    await act(async () => $addressToName.set(OTHER));
    expect(page.find(`[data-named-address="${OTHER}"] input`)).toHaveProperty('value', 'Other');
  });
});

describe('the visitor’s own name for a wallet', () => {
  it('is text beside the address, and appears as soon as it is set', async () => {
    const page = await open(<LinkedId id={SAMPLE_WALLET} kind="address" link={null} name="Wallet" />);
    const before = page.text();
    await act(async () => void setName(SAMPLE_WALLET, '<b>Ada</b>'));
    expect(page.find('[data-own-name] bdi')?.textContent).toBe('<b>Ada</b>');
    expect(page.text().startsWith(before)).toBe(true);
  });

  it('appears in the result of a tier check, below the full address', async () => {
    setName(SAMPLE_WALLET, 'Savings');
    const page = await open(
      <TierActivatedDialog tier="raven" stakedAmount="1" walletAddress={SAMPLE_WALLET} onClose={() => {}} />,
    );
    expect(page.find('[data-own-name]')?.parentElement?.textContent).toMatch(
      new RegExp(`^${SAMPLE_WALLET}.*Savings`),
    );
  });

  it.each([SAMPLE_WALLET, OTHER])(
    'marks only the rows of the feed that belong to the named wallet: %s',
    async (wallet) => {
      setName(SAMPLE_WALLET, 'Savings');
      const page = await open(
        <ActivityList link={null} reading={knownReading([{ ...SAMPLE_TRANSACTION, wallet }])} />,
      );
      const shown = page.find('[data-named-wallet] [title]')?.title;
      expect(shown).toBe(wallet === SAMPLE_WALLET ? SAMPLE_WALLET : undefined);
    },
  );

  it('is in the menu of the connected wallet', async () => {
    setName(SAMPLE_WALLET, '<b>Ada</b>');
    const page = await open(<p />);
    $wallet.set(CONNECTED_STATE);
    onTestFinished(() => $wallet.set(DISCONNECTED_STATE));
    const menu = startWalletView({ connect: vi.fn(), disconnect: vi.fn(), signOut: vi.fn() }).openMenu();
    await page.settle();
    const shown = document.querySelector<HTMLElement>('dialog [data-own-name]');
    expect([shown?.hidden, shown?.textContent]).toEqual([false, '<b>Ada</b>']);
    document.querySelector('dialog')?.close();
    await menu;
  });
});
