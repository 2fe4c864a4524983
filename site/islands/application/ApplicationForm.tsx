import { useWatch } from 'react-hook-form';
import type { BodyOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { submitApplicationV2 } from '../../../data/contract/submissions.ts';
import { cleanLine } from '../../../data/model/form-text.ts';
import { shorten } from '../../../data/model/format.ts';
import { CARD_FORM } from '../../../data/model/forms/card-forms.ts';
import { SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { CARD_TIERS, tierTerms } from '../../../data/model/tiers.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { FailureBanner } from '../form/FailureBanner.tsx';
import { DraftHint, FormFields } from '../form/FormFields.tsx';
import styles from '../form/form.module.css';
import { StatusLink, SuccessHead } from '../form/Success.tsx';
import { useSubmission } from '../form/use-submission.ts';
import { formatStake } from '../ui/format.ts';
import type { StakeVerification } from '../verification/verify-stake.ts';

const dollars = (amount: number) => `$${amount.toLocaleString('en-US')}`;
const fullLimitsText = ({ dailyLimitUsd, monthlyLimitUsd }: ReturnType<typeof tierTerms>) =>
  `${dollars(dailyLimitUsd)} a day, ${dollars(monthlyLimitUsd)} a month`;

interface ApplicationSuccessProps {
  readonly referenceNumber: string;
  readonly tier: string;
}

function ApplicationSuccess({ referenceNumber, tier }: ApplicationSuccessProps) {
  const cardTier = CARD_TIERS.find((candidate) => candidate === tier);
  const limits = cardTier && tierTerms(cardTier);
  const facts: readonly (readonly [label: string, value: string])[] = [
    ['Tier', tier],
    ['Monthly limit on a new card', limits ? dollars(limits.newCardMonthlyLimitUsd) : 'Contact Support'],
    ...(limits ? [['Full limits for the tier', fullLimitsText(limits)] as const] : []),
  ];
  return (
    <div className={styles.form}>
      <div>
        <SuccessHead
          id="card-form-success"
          title="Application Secured Successfully"
          referenceNumber={referenceNumber}
        />
        <p>
          A confirmation email is on its way. The team reviews applications within{' '}
          {SERVICE_TIMES.applicationReviewHours} hours.
        </p>
      </div>
      <div>
        <dl className="definitions">
          {facts.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <p className={styles.quiet}>
          <a href="/virtual-card#spending-limits">All limits by tier</a>
        </p>
      </div>
      <p className={styles.actions}>
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

const TITLE_ID = 'card-form-title';

/** A wallet that qualifies by its stake or because the team whitelisted it. */
export type VerifiedWallet = Pick<StakeVerification, 'walletAddress' | 'tier' | 'stakedAmount'>;

function showFailure(message: string | null): void {
  const text = message ?? 'Error occurred but application data is logged for recovery';
  void showToast({ title: 'Submission Error', text, kind: 'failure', seconds: 10 });
}

interface ApplicationFormProps extends VerifiedWallet {
  /** Returns to the wallet check. The entered values stay in the draft. */
  readonly onOtherWallet: () => void;
}

export default function ApplicationForm({
  walletAddress,
  tier,
  stakedAmount,
  onOtherWallet,
}: ApplicationFormProps) {
  const form = useSubmission(CARD_FORM, {
    wallet: walletAddress,
    path: PATHS.submitApplicationV2,
    payload: ({
      firstName,
      lastName,
      phoneNumber,
      website,
      ...otherValues
    }): BodyOf<typeof submitApplicationV2> => ({
      ...otherValues,
      name: `${cleanLine(firstName)} ${cleanLine(lastName)}`,
      phone: phoneNumber,
      wallet: walletAddress,
      bd_amount: stakedAmount,
      tier,
      ...(website && { website }),
    }),
    onAccepted: (referenceNumber) =>
      void showToast({
        title: 'Application Secured Successfully',
        text: `Your reference number is ${referenceNumber}.`,
        kind: 'success',
      }),
    onFailed: (failure) => showFailure(failure.kind === 'refused' ? failure.message : null),
  });
  const { sendState } = form;
  const { firstName, lastName, alias } = useWatch({ control: form.hookForm.control });
  if (sendState.kind === 'accepted') {
    return <ApplicationSuccess referenceNumber={sendState.referenceNumber} tier={tier} />;
  }
  const isSubmitting = sendState.kind === 'submitting';
  const summary: readonly (readonly [label: string, value: string, title?: string])[] = [
    ['Wallet', shorten(walletAddress, 8), walletAddress],
    ['Tier', tier],
    ['BD staked', `${formatStake(stakedAmount)} BD`],
    ['Name', `${firstName} ${lastName}`.trim() || '–'],
    ['Card alias', String(alias) || '–'],
    ['Funding', 'USDT (ERC-20) only'],
  ];
  return (
    <form {...form.formProps} className={styles.form} aria-labelledby={TITLE_ID}>
      <p className={styles.banner}>
        <strong>Wallet verified</strong>
        <span>
          {tier} tier, {formatStake(stakedAmount)} BD staked
        </span>
      </p>
      <h2 className="visually-hidden" id={TITLE_ID}>
        Virtual card application
      </h2>
      <FormFields form={form} />
      <section aria-labelledby={`${TITLE_ID}-summary`}>
        <h3 id={`${TITLE_ID}-summary`}>Summary</h3>
        <dl className="definitions">
          {summary.map(([label, value, title]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className={title && 'full-id'} title={title}>
                {value}
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <FailureBanner title="Submission Error" sendState={sendState} retry={form.retry} />
      <p className={styles.actions}>
        <button type="submit" className="button gold" aria-disabled={isSubmitting}>
          {isSubmitting ? 'Processing Application...' : 'Submit Application'}
        </button>
        <button type="button" className="button" onClick={onOtherWallet} disabled={isSubmitting}>
          Use another wallet
        </button>
      </p>
      <DraftHint />
    </form>
  );
}
