import { useStore } from '@nanostores/react';
import { formatAge } from '../../../data/model/format.ts';
import { isAgeUnknown } from '../../../data/model/value-state.ts';
import { $lastReads, heldAt, type Source } from '../../data/source-freshness.ts';
import { $now } from '../../data/ticking-clock.ts';
import { useFigureState } from '../../data/use-figure.ts';
import styles from './age.module.css';

const WORDS = { live: 'Live', ageing: 'Ageing', stale: 'Stale' } as const;

/** How long ago a figure was last known to hold, in words that tick. `asOf` is Unix ms. */
export function Age({ asOf, source }: { readonly asOf: number; readonly source: Source }) {
  const now = useStore($now);
  const reads = useStore($lastReads);
  const state = useFigureState(asOf, source);
  const age = now - heldAt(asOf, source, reads);
  return (
    <span className={styles.age} data-state={state}>
      <span className={styles.sign} aria-hidden="true" />
      <span className={state === 'live' ? 'visually-hidden' : undefined}>{WORDS[state]} · </span>
      {isAgeUnknown(age) ? 'age unknown' : formatAge(age)}
    </span>
  );
}
