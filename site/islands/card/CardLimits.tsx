import { bdText, dollarText } from '../../../data/model/facts/amount-text.ts';
import { type CardTier, TIER_TERMS } from '../../../data/model/tiers.ts';
import styles from './card.module.css';
import '../../styles/tables.css';
import { useWallet, walletIsland } from '../wallet/WalletProvider.tsx';
import { useEligibility } from './use-eligibility.ts';

interface LimitsTexts {
  /** How to ask about other tiers, such as `Contact Support`. */
  readonly otherTiers: string;
  readonly newCard: string;
}

interface LimitsTableProps {
  readonly texts: LimitsTexts;
  /** The tier of the connected wallet; null if unknown. */
  readonly tier: CardTier | 'None' | null;
}

export function LimitsTable({ texts, tier }: LimitsTableProps) {
  const columns = ['Tier', 'Minimum stake', 'Daily limit', 'Monthly limit', texts.newCard];
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
          {TIER_TERMS.map((terms) => (
            <tr key={terms.tier} aria-current={terms.tier === tier ? 'true' : undefined}>
              <th scope="row">
                {terms.tier}
                {terms.tier === tier ? <span className={styles.yourTier}>Your tier</span> : null}
              </th>
              <td data-name={columns[1]}>{bdText(terms.minimumStakeBd)}</td>
              <td data-name={columns[2]}>{dollarText(terms.dailyLimitUsd)}</td>
              <td data-name={columns[3]}>{dollarText(terms.monthlyLimitUsd)}</td>
              <td data-name={columns[4]}>{dollarText(terms.newCardMonthlyLimitUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {tier === 'None' ? (
        <p className={styles.quiet}>The connected wallet does not qualify for any of these tiers.</p>
      ) : null}
      <p className={styles.quiet}>Other tiers: {texts.otherTiers}.</p>
    </>
  );
}

export default walletIsland(ConnectedLimits);

function ConnectedLimits({ texts }: { readonly texts: LimitsTexts }) {
  const reading = useEligibility(useWallet().walletAddress);
  return <LimitsTable texts={texts} tier={reading.kind === 'known' ? reading.body.tier : null} />;
}
