import { describe, expect, it } from 'vitest';
import { unlockCalendar, unlockEvent } from './unlock-event.ts';

const wallet = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';
const stake = {
  entry: 'CMp9cLkTeNb2Hc1vsP2JJQvkc4eHDmiuayXiKnSpsAH4',
  amount: '1500000.25',
  startDate: '2026-11-21T16:02:48.000Z',
  unlockDate: '2027-05-20T16:02:48.000Z',
  openedBy: null,
};

describe('the end of a lock in a calendar', () => {
  it('stands at the moment of the unlock, and is the same event when it is saved again', () => {
    const { fileName, text } = unlockCalendar(stake, wallet, Date.UTC(2026, 10, 21));
    expect(fileName).toBe('bd-unlock-2027-05-20.ics');
    expect(text).toContain('\r\nDTSTART:20270520T160248Z\r\n');
    expect(text).toContain('\r\nSUMMARY:BD stake unlocks: 1\\,500\\,000.25 BD\r\n');
    const again = unlockCalendar(stake, wallet, Date.UTC(2026, 11, 1));
    const uid = /UID:.+/.exec(text)?.[0];
    expect(again.text).toContain(uid);
    expect(unlockEvent({ ...stake, entry: 'another' }, wallet).uid).not.toBe(unlockEvent(stake, wallet).uid);
  });
});
