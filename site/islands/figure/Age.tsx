import { useStore } from '@nanostores/react';
import { formatAge } from '../../../data/model/format.ts';
import { isAgeUnknown } from '../../../data/model/value-state.ts';
import { $callReads } from '../../data/call-reads.ts';
import { $lastReads, type FigureRead, heldAt } from '../../data/source-freshness.ts';
import { $now } from '../../data/ticking-clock.ts';
import { useFigureState } from '../../data/use-figure.ts';
import styles from './age.module.css';

const WORDS = { live: 'Live', ageing: 'Ageing', stale: 'Stale' } as const;

/** How long ago a figure was last known to hold, in words that tick. */
export function Age({ read }: { readonly read: FigureRead }) {
  const now = useStore($now);
  const heard = { sources: useStore($lastReads), calls: useStore($callReads) };
  const state = useFigureState(read);
  const age = now - heldAt(read, heard);
  return (
    <span className={styles.age} data-state={state}>
      <span className={styles.sign} aria-hidden="true" />
      <span className={state === 'live' ? 'visually-hidden' : undefined}>{WORDS[state]} · </span>
      {isAgeUnknown(age) ? 'age unknown' : formatAge(age)}
    </span>
  );
}
