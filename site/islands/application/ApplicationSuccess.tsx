import { CARD_TIERS, termsOf } from '../../../data/model/tiers.ts';
import styles from '../form/form.module.css';
import { StatusLink } from '../form/StatusLink.tsx';
import { SuccessHead } from '../form/SuccessHead.tsx';

const dollars = (amount: number) => `$${amount.toLocaleString('en-US')}`;

/** What follows the application form. */
export function ApplicationSuccess({
  referenceNumber,
  tier,
}: {
  readonly referenceNumber: string;
  readonly tier: string;
}) {
  const known = CARD_TIERS.find((candidate) => candidate === tier);
  const limits = known === undefined ? null : termsOf(known);
  return (
    <div className={styles.form}>
      <div>
        <SuccessHead
          id="card-form-success"
          title="Application Secured Successfully"
          referenceNumber={referenceNumber}
        />
        <p>A confirmation email is on its way. The team reviews applications within 24 hours.</p>
      </div>
      <div>
        <dl className="definitions">
          <div>
            <dt>Tier</dt>
            <dd>{tier}</dd>
          </div>
          <div>
            <dt>Monthly limit on a new card</dt>
            <dd>{limits ? dollars(limits.newCardMonthlyLimitUsd) : 'Contact Support'}</dd>
          </div>
          {limits ? (
            <div>
              <dt>Full limits of the tier</dt>
              <dd>
                {dollars(limits.dailyLimitUsd)} a day, {dollars(limits.monthlyLimitUsd)} a month
              </dd>
            </div>
          ) : null}
        </dl>
        <p className={styles.quiet}>
          <a href="/virtual-card#spending-limits">All limits by tier</a>
        </p>
      </div>
      <p className={styles.ways}>
        <a className="button gold" href="/">
          Return to Dashboard
        </a>
        <a className="button" href="/virtual-card" target="_blank" rel="noopener noreferrer">
          Learn More<span className="visually-hidden"> (opens in a new tab)</span>
        </a>
        <StatusLink referenceNumber={referenceNumber} />
      </p>
    </div>
  );
}
