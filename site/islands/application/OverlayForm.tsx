import { LONGEST } from '../../../data/model/application-rules.ts';
import { formatStake } from '../figure/moved-amount.ts';
import { DraftHint } from '../form/DraftHint.tsx';
import { FailureBanner } from '../form/FailureBanner.tsx';
import { FaultSummary } from '../form/FaultSummary.tsx';
import { Field } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import { Trap } from '../form/Trap.tsx';
import type { Form, SubmitFailure } from '../form/use-form.ts';
import type { OverlayField } from './overlay-plan.ts';
import type { VerifiedWallet } from './verified-wallet.ts';

const FAILED = 'Application submission failed. Please try again or contact support.';
const NO_NETWORK = 'Network error occurred. Please check your connection and try again.';

/** What a Telegram account is for. */
const TELEGRAM_USES = [
  'Instant delivery notices',
  '2FA for transactions',
  'Balance updates',
  '24/7 support',
] as const;

interface OverlayFormProps {
  readonly form: Form<OverlayField>;
  readonly verified: VerifiedWallet;
  readonly titleId: string;
  readonly close: () => void;
}

/** The overlay before the application is sent. */
export function OverlayForm({ form, verified, titleId, close }: OverlayFormProps) {
  const { walletAddress, tier, stakedAmount } = verified;
  const isSubmitting = form.sending.kind === 'submitting';
  const trap = form.field('website');
  return (
    <form className={styles.form} onSubmit={form.onSubmit} aria-labelledby={titleId} noValidate>
      <p className={styles.banner}>
        <strong>Verification complete</strong>
        <span>Your stake qualifies for a card.</span>
      </p>
      <header>
        <h2 id={titleId}>Virtual Mastercard Application</h2>
        <p className={styles.quiet}>
          A virtual card for BD stakers, funded exclusively in USDT on the ERC-20 network.
        </p>
      </header>
      <section className={styles.panel} aria-labelledby={`${titleId}-account`}>
        <h3 id={`${titleId}-account`}>Account details</h3>
        <dl className="definitions">
          <div>
            <dt>Membership tier</dt>
            <dd>{tier}</dd>
          </div>
          <div>
            <dt>BD holdings</dt>
            <dd>{formatStake(stakedAmount)} BD</dd>
          </div>
          <div>
            <dt>Wallet address</dt>
            <dd className={styles.address}>{walletAddress}</dd>
          </div>
        </dl>
      </section>
      <FaultSummary faults={form.faults} summary={form.summary} />
      <Field
        {...form.field('cardAlias')}
        label="Card Alias"
        hint="Choose a name you'll easily recognize"
        autoComplete="off"
        maxLength={LONGEST.cardAlias}
      />
      <Field
        {...form.field('fullName')}
        label="Full Legal Name"
        autoComplete="name"
        maxLength={LONGEST.name}
      />
      <Field {...form.field('email')} label="Email Address" type="email" autoComplete="email" />
      <Field
        {...form.field('telegram')}
        label="Telegram Account"
        prefix="@"
        autoComplete="off"
        maxLength={LONGEST.telegram}
      />
      <section className={styles.panel} aria-labelledby={`${titleId}-telegram`}>
        <h3 id={`${titleId}-telegram`}>Why Telegram is Required</h3>
        <ul>
          {TELEGRAM_USES.map((use) => (
            <li key={use}>{use}</li>
          ))}
        </ul>
      </section>
      <Field
        {...form.field('notes')}
        label="Additional Requirements"
        optional
        rows={3}
        maxLength={LONGEST.notes}
      />
      <Trap id={trap.id} value={trap.value} onValue={trap.onValue} />
      <OverlayFailure sending={form.sending} retry={form.retry} />
      <p className={styles.ways}>
        <button type="submit" className="button gold" disabled={isSubmitting}>
          {isSubmitting ? 'Processing Application...' : 'Submit Application'}
        </button>
        <button type="button" className="button" onClick={close} disabled={isSubmitting}>
          Cancel
        </button>
      </p>
      <DraftHint />
    </form>
  );
}

function isFailure(sending: Form<OverlayField>['sending']): sending is SubmitFailure {
  return sending.kind === 'refused' || sending.kind === 'no-network';
}

function OverlayFailure({ sending, retry }: Pick<Form<OverlayField>, 'sending' | 'retry'>) {
  if (!isFailure(sending)) return null;
  return sending.kind === 'no-network' ? (
    <FailureBanner words={NO_NETWORK} retry={retry} />
  ) : (
    <FailureBanner words={FAILED} detail={sending.words} retry={retry} />
  );
}
