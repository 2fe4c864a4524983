// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { announceSessionChange, followOtherTabs } from './other-tabs.ts';
import { rememberWallet } from './remembered-wallet.ts';

/** The storage keys that a task changes. */
function changedKeys(task: () => void): readonly (string | null)[] {
  localStorage.clear();
  task();
  return Object.keys(localStorage);
}

it('a tab follows the wallet and the session of other tabs, and reads both again on return from the page cache', () => {
  const followed: string[] = [];
  followOtherTabs(
    () => followed.push('wallet'),
    () => followed.push('session'),
  );
  const after = (event: Event) => {
    dispatchEvent(event);
    return followed.splice(0);
  };
  const stored = (keys: readonly (string | null)[]) =>
    keys.flatMap((key) => after(new StorageEvent('storage', { key })));
  const shown = (persisted: boolean) => after(Object.assign(new Event('pageshow'), { persisted }));
  expect(stored(changedKeys(() => rememberWallet('Phantom')))).toEqual(['wallet']);
  expect(stored(changedKeys(announceSessionChange))).toEqual(['session']);
  expect(stored([null])).toEqual(['wallet', 'session']);
  expect(stored(['theme'])).toEqual([]);
  expect([shown(true), shown(false)]).toEqual([['wallet', 'session'], []]);
});
