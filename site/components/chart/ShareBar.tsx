import styles from './share-bar.module.css';
import { placeShares, type Share } from './shares.ts';

export const shareSegments = (shares: readonly Share[]) => placeShares(shares, 100, 0);

export function ShareScale() {
  return (
    <span className={styles.scale}>
      <span>0</span>
      <span>50%</span>
      <span>100%</span>
    </span>
  );
}

/** One share as a bar in a table cell. The other cells of the row show the share's name and figure. */
export function ShareBar({ x, width }: { readonly x: number; readonly width: number }) {
  return (
    <span className={styles.track} aria-hidden="true">
      {width > 0 && <span className={styles.part} style={{ left: `${x}%`, width: `${width}%` }} />}
    </span>
  );
}
