import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { LOCK_DAYS } from '../../../data/model/staking-terms.ts';
import { useTicking } from '../../data/ticking-clock.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import { Definition } from '../ui/Definition.tsx';
import { momentText } from '../ui/format.ts';
import { Dash } from '../ui/ReadStates.tsx';
import { RewardFormula } from '../ui/RewardFormula.tsx';
import styles from './stake.module.css';
import type { StakeOutlook } from './stake-amount.ts';
import { Worth } from './Worth.tsx';

const DAY_MS = 86_400_000;

interface OutlookProps {
  /** BD, decimal text; null if it is invalid. */
  readonly amount: string | null;
  readonly outlook: StakeOutlook | null;
  /** When the stake is signed, in Unix ms; null means now. */
  readonly startsAt: number | null;
}

/** The expected result of a stake. Always show it next to the terms of staking. */
export function Outlook({ amount, outlook, startsAt }: OutlookProps) {
  // Dates computed when the page was built would be wrong, so dates are shown only after hydration.
  const isHydrated = useHydrated();
  const unlockText = useTicking((now) => {
    const unlocksAt = new Date((startsAt ?? now) + LOCK_DAYS * DAY_MS);
    // Date fields accept dates up to JavaScript's last one, in the year 275760, so the unlock date may be invalid.
    return Number.isNaN(unlocksAt.getTime()) ? '' : momentText(unlocksAt.toISOString());
  });
  return (
    <dl className={`definitions ${styles.outlook}`}>
      <Definition name={startsAt === null ? 'Unlock date if signed now' : 'Unlock date'}>
        {isHydrated && unlockText !== '' ? unlockText : <Dash />}
      </Definition>
      <Definition name="Worth today">
        {amount === null ? (
          <Dash why="Enter an amount" />
        ) : (
          <Worth amount={amount} fallback={<Dash why="No current price is known" />} />
        )}
      </Definition>
      <Definition name="Card tier with this stake">
        {outlook === null || outlook.tier === undefined ? (
          <Dash />
        ) : (
          <>
            {outlook.tier ?? 'None'}
            {outlook.nextTier ? (
              <span className={styles.quiet}>
                {' '}
                · {outlook.nextTier.tier} needs {groupDecimalText(outlook.nextTier.amountToTier)} BD more
              </span>
            ) : null}
          </>
        )}
      </Definition>
      <Definition name="Stated reward for one lock">
        {outlook === null || amount === null ? (
          <Dash why="Enter an amount" />
        ) : (
          <RewardFormula staked={amount} reward={outlook.reward} />
        )}
      </Definition>
    </dl>
  );
}
