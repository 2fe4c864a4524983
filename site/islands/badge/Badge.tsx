import type { StakerBadge } from '../../../data/model/tiers.ts';
import { Dash } from '../figure/Dash.tsx';
import styles from './badge.module.css';

/** The badge of a staker; below the least of them a dash. Its colour repeats its word. */
export function Badge({ badge }: { readonly badge: StakerBadge | null }) {
  return badge === null ? (
    <Dash why="No badge" />
  ) : (
    <span className={styles.badge} data-badge={badge}>
      {badge}
    </span>
  );
}
