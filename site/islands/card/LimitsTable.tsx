import { bd, dollars } from '../../../data/model/facts/wording.ts';
import { type CardTier, TIERS } from '../../../data/model/tiers.ts';
import styles from './card.module.css';
import '../../styles/tables.css';

export interface LimitsWords {
  readonly unknown: string;
  readonly newCard: string;
}

interface LimitsTableProps {
  readonly words: LimitsWords;
  /** The tier of the connected wallet; null where none is connected or its tier is not known. */
  readonly tier: CardTier | 'None' | null;
}

/** What each tier may spend, the connected wallet's own being marked. */
export function LimitsTable({ words, tier }: LimitsTableProps) {
  const columns = ['Tier', 'Stake from', 'Daily limit', 'Monthly limit', words.newCard];
  return (
    <>
      <table className={`table figures stacked ${styles.limits}`}>
        <caption className="visually-hidden">Spending limits by tier</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {TIERS.map((terms) => (
            <tr key={terms.tier} aria-current={terms.tier === tier ? 'true' : undefined}>
              <th scope="row">
                {terms.tier}
                {terms.tier === tier ? <span className={styles.yours}>Your tier</span> : null}
              </th>
              <td data-name={columns[1]}>{bd(terms.minimumStakeBd)}</td>
              <td data-name={columns[2]}>{dollars(terms.dailyLimitUsd)}</td>
              <td data-name={columns[3]}>{dollars(terms.monthlyLimitUsd)}</td>
              <td data-name={columns[4]}>{dollars(terms.newCardMonthlyLimitUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {tier === 'None' ? (
        <p className={styles.quiet}>The stake of the connected wallet earns none of these tiers.</p>
      ) : null}
      <p className={styles.quiet}>Other tiers: {words.unknown}.</p>
    </>
  );
}
