import { beforeEach, describe, expect, it } from 'vitest';
import { createListingSchedule, type ListingSchedule } from './listing-schedule.ts';

const PROVISIONAL_MS = 10;
const QUIET_MS = 1_000;

let clock: number;
let schedule: ListingSchedule;
beforeEach(() => {
  clock = 0;
  schedule = createListingSchedule({ provisionalMs: PROVISIONAL_MS, quietMs: QUIET_MS }, () => clock);
});

/** Records a reading of the account, with this byte as its data. @returns whether the account has changed */
const noteRead = (byte: number, slot: number, readAt = 0): boolean =>
  schedule.noteAccount({ slot, value: { owner: 'owner', lamports: 1n, data: Uint8Array.of(byte) } }, readAt);

const noteListing = (
  signature: string | null,
  slot: number,
  {
    readUpTo = slot,
    state = 'final',
    requestedAt = 0,
  }: {
    readUpTo?: number | null;
    state?: 'unread' | 'provisional' | 'final';
    requestedAt?: number;
  } = {},
): void =>
  schedule.noteListing({
    newestTransaction: signature === null ? null : { signature, slot },
    readUpToSlot: readUpTo,
    requestedAt,
    state,
  });

const isDue = (wantedSlot: number | null = null): boolean => schedule.isDue(wantedSlot);

const settle = (): void => {
  noteRead(1, 10);
  noteListing('first', 10);
};

describe('a listing', () => {
  it('is due at first', () => {
    expect(isDue()).toBe(true);
  });

  it('is not due while the account stays the same, until the quiet interval has passed', () => {
    settle();
    expect(noteRead(1, 11)).toBe(false);
    clock = QUIET_MS - 1;
    expect(isDue()).toBe(false);
    clock = QUIET_MS;
    expect(isDue()).toBe(true);
  });

  it('is due after the account changes, until a listing shows a transaction for it', () => {
    settle();
    expect(noteRead(2, 12)).toBe(true);
    noteListing('first', 10, { readUpTo: 12 });
    expect(isDue()).toBe(true);
    noteListing('second', 12, { readUpTo: 12 });
    expect(isDue()).toBe(false);
  });

  it('is not due for a change that a listing already showed before the account was read', () => {
    settle();
    noteListing('second', 12);
    noteRead(2, 12);
    noteListing('second', 12);
    expect(isDue()).toBe(false);
  });

  it('is still due if a listing of one change was requested before the next change was read', () => {
    settle();
    noteRead(2, 12, 100);
    noteRead(3, 14, 300);
    noteListing('second', 12, { requestedAt: 200 });
    expect(isDue()).toBe(true);
    expect(schedule.quietAsOf).toBeNull();
    noteListing('third', 14, { requestedAt: 400 });
    expect(isDue()).toBe(false);
    expect(schedule.quietAsOf).toBe(300);
  });

  it('is due after a dropped fork changes the account back', () => {
    settle();
    noteRead(2, 12);
    noteListing('second', 12);
    expect(noteRead(1, 14)).toBe(true);
    expect(isDue()).toBe(true);
    noteListing('first', 10, { readUpTo: 14 });
    expect(isDue()).toBe(false);
  });

  it('is not due forever for a change that no transaction explains', () => {
    settle();
    noteRead(2, 12);
    let listings = 0;
    for (; isDue() && listings < 100; listings += 1) noteListing('first', 10, { readUpTo: 12 });
    expect(listings).toBe(20);
  });

  it('is due after the provisional interval while a transaction is not final', () => {
    settle();
    noteRead(2, 12);
    noteListing('second', 12, { state: 'provisional' });
    expect(isDue()).toBe(false);
    clock = PROVISIONAL_MS;
    expect(isDue()).toBe(true);
  });

  it.each([
    ['the final slots end before the change', 11],
    ['no final slot is known', null],
  ])('is due after the provisional interval if %s', (_when, readUpTo) => {
    settle();
    noteRead(2, 12);
    noteListing('second', 12, { readUpTo });
    clock = PROVISIONAL_MS;
    expect(isDue()).toBe(true);
  });

  it('is due in the next round if a transaction could not be read', () => {
    settle();
    noteListing('second', 12, { state: 'unread' });
    expect(isDue()).toBe(true);
  });

  it('is due after two provisional intervals if the history is wanted up to a later slot', () => {
    settle();
    expect(isDue(10)).toBe(false);
    expect(isDue(11)).toBe(false);
    clock = 2 * PROVISIONAL_MS;
    expect(isDue(11)).toBe(true);
  });
});

describe('the time up to which the account is known to be quiet', () => {
  it('is that of the last reading, except before the first listing and while a change is not listed', () => {
    noteRead(1, 10, 100);
    expect(schedule.quietAsOf).toBeNull();
    noteListing('first', 10);
    expect(schedule.quietAsOf).toBe(100);
    noteRead(1, 11, 200);
    expect(schedule.quietAsOf).toBe(200);
    noteRead(2, 12, 300);
    expect(schedule.quietAsOf).toBeNull();
  });

  it('ignores a reading from an earlier slot', () => {
    settle();
    noteRead(1, 12, 100);
    expect(noteRead(2, 11, 200)).toBe(false);
    expect(schedule.quietAsOf).toBe(100);
  });
});
