import styles from './share-bar.module.css';
import { placeShares, type Share } from './share-bar.ts';

/** The places of shares on a scale of 100: each begins where the one before it ends. */
export const sharePlaces = (shares: readonly Share[]) => placeShares(shares, 100, 0);

/** The scale of the bars below it, from nothing to the whole. */
export function ShareScale() {
  return (
    <span className={styles.scale}>
      <span>0</span>
      <span>50%</span>
      <span>100%</span>
    </span>
  );
}

/** One part of a whole at its place. It fills its table cell; the row names the part and has its figure. */
export function ShareBar({ x, width }: { readonly x: number; readonly width: number }) {
  return (
    <span className={styles.track} aria-hidden="true">
      <span className={styles.part} style={{ left: `${x}%`, width: `${width}%` }} />
    </span>
  );
}
