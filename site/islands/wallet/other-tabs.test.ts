// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { announceSessionChange, followOtherTabs } from './other-tabs.ts';
import { rememberWallet } from './remembered-wallet.ts';

function changedKeys(task: () => void): readonly (string | null)[] {
  localStorage.clear();
  task();
  return Object.keys(localStorage);
}

it('a tab follows the wallet and session of other tabs, and reads both again when restored from the back-forward cache', () => {
  const calls: string[] = [];
  followOtherTabs(
    () => calls.push('wallet'),
    () => calls.push('session'),
  );
  const callsAfter = (event: Event) => {
    dispatchEvent(event);
    return calls.splice(0);
  };
  const callsAfterStorage = (keys: readonly (string | null)[]) =>
    keys.flatMap((key) => callsAfter(new StorageEvent('storage', { key })));
  const callsAfterPageShow = (persisted: boolean) =>
    callsAfter(Object.assign(new Event('pageshow'), { persisted }));
  expect(callsAfterStorage(changedKeys(() => rememberWallet('Phantom')))).toEqual(['wallet']);
  expect(callsAfterStorage(changedKeys(announceSessionChange))).toEqual(['session']);
  expect(callsAfterStorage([null])).toEqual(['wallet', 'session']);
  expect(callsAfterStorage(['theme'])).toEqual([]);
  expect([callsAfterPageShow(true), callsAfterPageShow(false)]).toEqual([['wallet', 'session'], []]);
});
