import { LONGEST } from '../../../data/model/application-rules.ts';
import { shorten } from '../../../data/model/format.ts';
import { formatStake } from '../figure/moved-amount.ts';
import { DraftHint } from '../form/DraftHint.tsx';
import { FailureBanner } from '../form/FailureBanner.tsx';
import { FaultSummary } from '../form/FaultSummary.tsx';
import { Field } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import { Trap } from '../form/Trap.tsx';
import { useForm } from '../form/use-form.ts';
import { ApplicationSuccess } from './ApplicationSuccess.tsx';
import { applicationPlan } from './application-plan.ts';
import type { VerifiedWallet } from './verified-wallet.ts';

const TITLE = 'card-form-title';

interface ApplicationFormProps extends VerifiedWallet {
  /** Goes back to the choice of a wallet; what was typed stays in the draft. */
  readonly onOtherWallet: () => void;
}

/** The application form for a wallet whose stake qualifies, and what follows it. */
export default function ApplicationForm({ onOtherWallet, ...verified }: ApplicationFormProps) {
  const form = useForm(applicationPlan(verified));
  const { sending, values } = form;
  const { walletAddress, tier, stakedAmount } = verified;
  if (sending.kind === 'accepted') {
    return <ApplicationSuccess referenceNumber={sending.referenceNumber} tier={tier} />;
  }
  const isSubmitting = sending.kind === 'submitting';
  const trap = form.field('website');
  return (
    <form className={styles.form} onSubmit={form.onSubmit} aria-labelledby={TITLE} noValidate>
      <p className={styles.banner}>
        <strong>Wallet verified</strong>
        <span>
          {tier} tier, {formatStake(stakedAmount)} BD staked
        </span>
      </p>
      <h2 className="visually-hidden" id={TITLE}>
        Virtual card application
      </h2>
      <FaultSummary faults={form.faults} summary={form.summary} />
      <fieldset>
        <legend>Personal information</legend>
        <div className={styles.two}>
          <Field
            {...form.field('firstName')}
            label="First name"
            autoComplete="given-name"
            maxLength={LONGEST.namePart - 1}
          />
          <Field
            {...form.field('lastName')}
            label="Last name"
            autoComplete="family-name"
            maxLength={LONGEST.namePart}
          />
        </div>
      </fieldset>
      <fieldset>
        <legend>Contact information</legend>
        <div className={styles.two}>
          <Field {...form.field('email')} label="Email" type="email" autoComplete="email" />
          <Field
            {...form.field('phoneNumber')}
            label="Phone number"
            type="tel"
            autoComplete="tel"
            maxLength={LONGEST.phone}
          />
        </div>
      </fieldset>
      <fieldset>
        <legend>Card configuration</legend>
        <Field
          {...form.field('alias')}
          label="Card alias"
          hint="Choose a name you'll easily recognize, of 3 to 20 characters."
          autoComplete="off"
          maxLength={LONGEST.cardAlias}
        />
      </fieldset>
      <section aria-labelledby={`${TITLE}-summary`}>
        <h3 id={`${TITLE}-summary`}>Summary</h3>
        <dl className="definitions">
          <div>
            <dt>Wallet</dt>
            <dd className={styles.address} title={walletAddress}>
              {shorten(walletAddress, 8)}
            </dd>
          </div>
          <div>
            <dt>Tier</dt>
            <dd>{tier}</dd>
          </div>
          <div>
            <dt>BD staked</dt>
            <dd>{formatStake(stakedAmount)} BD</dd>
          </div>
          <div>
            <dt>Name</dt>
            <dd>{`${values.firstName} ${values.lastName}`.trim() || '–'}</dd>
          </div>
          <div>
            <dt>Card alias</dt>
            <dd>{values.alias || '–'}</dd>
          </div>
          <div>
            <dt>Funding</dt>
            <dd>USDT (ERC-20) only</dd>
          </div>
        </dl>
      </section>
      <Trap id={trap.id} value={trap.value} onValue={trap.onValue} />
      {sending.kind === 'refused' || sending.kind === 'no-network' ? (
        <FailureBanner
          title="Submission Error"
          words={
            sending.kind === 'no-network'
              ? 'The portal could not be reached. Check your connection.'
              : (sending.words ?? 'The portal answered with a fault.')
          }
          retry={form.retry}
        />
      ) : null}
      <p className={styles.ways}>
        <button type="submit" className="button gold" disabled={isSubmitting}>
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
