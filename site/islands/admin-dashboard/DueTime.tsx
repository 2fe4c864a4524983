import { useStore } from '@nanostores/react';
import { atom, onMount } from 'nanostores';
import styles from './work.module.css';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The current time in Unix ms, updated once a minute. */
const $minuteClock = atom(Date.now());
onMount($minuteClock, () => {
  $minuteClock.set(Date.now());
  const timer = setInterval(() => $minuteClock.set(Date.now()), MINUTE_MS);
  return () => clearInterval(timer);
});

/** A duration in days (from two days on), hours or minutes, rounded down, such as `3 h`. */
export function durationText(milliseconds: number): string {
  if (milliseconds >= 2 * DAY_MS) return `${Math.floor(milliseconds / DAY_MS)} days`;
  if (milliseconds >= HOUR_MS) return `${Math.floor(milliseconds / HOUR_MS)} h`;
  return `${Math.floor(milliseconds / MINUTE_MS)} min`;
}

/** An overdue time is marked with a “!” as well as a color. */
export function DueTime({ at }: { readonly at: string }) {
  const remainingMs = Date.parse(at) - useStore($minuteClock);
  const isOverdue = remainingMs <= 0;
  return (
    <time
      dateTime={at}
      title={new Date(at).toLocaleString()}
      className={styles.due}
      data-due={isOverdue ? 'overdue' : 'open'}
    >
      {isOverdue ? `Overdue by ${durationText(-remainingMs)}` : `In ${durationText(remainingMs)}`}
    </time>
  );
}
