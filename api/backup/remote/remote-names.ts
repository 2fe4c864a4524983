import { backupTime } from '../backups.ts';

/*
 * The names of the files sent elsewhere: an archive for each backup, and the list of erasures whenever it has changed. Each name
 * contains a time in ISO 8601's basic format, such as `app-20260102T030405Z.tar.age` and
 * `erasures-20260102T030405678Z.jsonl.age`. The time of a list has milliseconds, so that no list replaces another.
 */

const COPY_NAME = /^app-(\d{8}T\d{6}Z)\.tar\.age$/;
const ERASURE_LIST_NAME = /^erasures-(\d{8}T\d{6})(\d{3})Z\.jsonl\.age$/;

export const copyNameOf = (backup: string): string => backup.replace(/\.db$/, '.tar.age');

export const backupNameOf = (copy: string): string => copy.replace(/\.tar\.age$/, '.db');

/** @param at when the list is sent (Unix ms), or later if an earlier list or a backup is dated in the future */
export const erasureListName = (at: number): string =>
  `erasures-${new Date(at).toISOString().replaceAll(/[-:.]/g, '')}.jsonl.age`;

/** When the backup in a copy was taken (Unix ms); `NaN` if it is not the name of a copy. */
export const copyTime = (name: string): number => backupTime(`app-${COPY_NAME.exec(name)?.[1] ?? ''}.db`);

/** When a list of erasures was sent (Unix ms); `NaN` if it is not the name of a list. */
export function erasureListTime(name: string): number {
  const [, timestamp = '', milliseconds = ''] = ERASURE_LIST_NAME.exec(name) ?? [];
  return backupTime(`app-${timestamp}Z.db`) + Number(milliseconds);
}

const newestFirst = (names: readonly string[], timeIn: (name: string) => number): readonly string[] =>
  names.filter((name) => !Number.isNaN(timeIn(name))).toSorted((a, b) => timeIn(b) - timeIn(a));

export const copiesAmong = (names: readonly string[]): readonly string[] => newestFirst(names, copyTime);

export const erasureListsAmong = (names: readonly string[]): readonly string[] =>
  newestFirst(names, erasureListTime);

/**
 * The names to remove. Keeps the `keep` newest copies, the copy that was just sent and verified (`sentCopy`), and the newest
 * list of erasures. Also keeps each list that was sent after the oldest kept copy was made, because a restore of that copy
 * needs the list.
 */
export function surplusNames(names: readonly string[], keep: number, sentCopy: string): readonly string[] {
  const copies = copiesAmong(names);
  const keptNames = new Set([sentCopy, ...copies.slice(0, keep)]);
  const oldestTime = Math.min(...[...keptNames].map(copyTime));
  const [, ...lists] = erasureListsAmong(names);
  return [
    ...copies.filter((name) => !keptNames.has(name)),
    ...lists.filter((name) => erasureListTime(name) < oldestTime),
  ];
}
