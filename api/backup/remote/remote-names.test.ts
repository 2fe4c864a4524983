import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backupName } from '../backups.ts';
import {
  backupNameOf,
  copiesAmong,
  copyNameOf,
  copyTime,
  erasureListName,
  erasureListsAmong,
  erasureListTime,
  surplusNames,
} from './remote-names.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 2);
const copyAt = (day: number) => copyNameOf(backupName(START + day * DAY_MS));
const listAt = (day: number) => erasureListName(START + day * DAY_MS);

describe('the names of copies', () => {
  it('contain the time of the backup, and can be converted back to the backup’s name', () => {
    expect(copyTime(copyAt(3))).toBe(START + 3 * DAY_MS);
    expect(backupNameOf(copyAt(3))).toBe(backupName(START + 3 * DAY_MS));
    expect(erasureListTime(erasureListName(START + 678))).toBe(START + 678);
    const names = [listAt(1), copyAt(1), 'notes.txt', `${copyAt(9)}.tmp`, copyAt(2), listAt(2)];
    expect(copiesAmong(names)).toEqual([copyAt(2), copyAt(1)]);
    expect(erasureListsAmong(names)).toEqual([listAt(2), listAt(1)]);
  });
});

describe('removing old copies', () => {
  it('keeps the newest copies, the lists of erasures that these need, and other files', () => {
    const names = [1, 2, 3, 4].flatMap((day) => [copyAt(day), listAt(day + 0.5)]);
    expect(surplusNames(['notes.txt', ...names], 2, copyAt(4))).toEqual([
      copyAt(2),
      copyAt(1),
      listAt(2.5),
      listAt(1.5),
    ]);
  });

  it('keeps the newest list of erasures, even if it is older than every kept copy', () => {
    expect(surplusNames([copyAt(5), listAt(2), listAt(1)], 1, copyAt(5))).toEqual([listAt(1)]);
  });

  it('never removes the copy that was just verified, nor a list that a kept copy needs', () => {
    const days = fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(days, days, fc.integer({ min: 1, max: 5 }), fc.nat(), (copies, lists, keep, pick) => {
        const verifiedCopy = copyAt(copies[pick % copies.length] ?? 0);
        const all = [...copies.map(copyAt), ...lists.map(listAt)];
        const removedNames = surplusNames(all, keep, verifiedCopy);
        expect(removedNames).not.toContain(verifiedCopy);
        const keptNames = all.filter((name) => !removedNames.includes(name));
        expect(copiesAmong(keptNames).length).toBeGreaterThanOrEqual(Math.min(keep, copies.length));
        const oldest = Math.min(...copiesAmong(keptNames).map(copyTime));
        const needed = lists.map(listAt).filter((name) => erasureListTime(name) >= oldest);
        expect(keptNames).toEqual(expect.arrayContaining([...needed, ...erasureListsAmong(all).slice(0, 1)]));
      }),
    );
  });
});
