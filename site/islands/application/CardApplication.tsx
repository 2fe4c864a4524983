import { lazy, type SubmitEvent, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { formatStake } from '../figure/moved-amount.ts';
import { Field } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import { addressOf, walletOfFragment } from '../position/wallet-address.ts';
import { checkWallet, type WalletCheck } from './wallet-check.ts';

/** Both are loaded for who gets there. */
const ApplicationForm = lazy(() => import('./ApplicationForm.tsx'));
const ManualVerificationModal = lazy(() => import('../manual-verification/ManualVerificationModal.tsx'));

const NO_KEY = 'That is not a Solana address. Copy it from the wallet, whole.';

/** The card application: first the wallet, whose stake has to qualify, then the form. */
export default function CardApplication() {
  const input = useRef<HTMLFormElement>(null);
  const [isAwake, setAwake] = useState(false);
  const [text, setText] = useState('');
  const [isRefused, setRefused] = useState(false);
  const [check, setCheck] = useState<WalletCheck>({ kind: 'none' });

  const start = async (typed: string) => {
    const address = addressOf(typed);
    setRefused(address === null);
    if (address === null) {
      document.getElementById('apply-wallet')?.focus();
      return;
    }
    setCheck({ kind: 'checking' });
    setCheck(await checkWallet(address));
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs once, when the script takes over
  useLayoutEffect(() => {
    setAwake(true);
    // A screen that verified a wallet leads here with it; else what was typed before the script ran is kept.
    const named = walletOfFragment(location.hash)?.text ?? '';
    const field = input.current?.elements.namedItem('walletAddress');
    const typed = field instanceof HTMLInputElement ? field.value : '';
    setText(named || typed);
    if (named !== '') void start(named);
  }, []);

  if (check.kind === 'verified') {
    return (
      <Suspense fallback={null}>
        <ApplicationForm {...check.wallet} />
        <p>
          <button type="button" className="button" onClick={() => setCheck({ kind: 'none' })}>
            Use another wallet
          </button>
        </p>
      </Suspense>
    );
  }
  const isChecking = check.kind === 'checking';
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    void start(text);
  };
  return (
    <>
      <form
        ref={input}
        className={`${styles.form} script-only`}
        onSubmit={submit}
        aria-labelledby="application"
        noValidate
      >
        <Field
          id="apply-wallet"
          name="walletAddress"
          value={text}
          fault={isRefused ? NO_KEY : null}
          onValue={(value) => {
            setText(value);
            setRefused(false);
          }}
          label="Wallet address"
          hint="The Solana wallet that stakes. Checking can take up to 60 seconds."
          autoComplete="off"
          maxLength={100}
          mono
        />
        <p className={styles.ways}>
          {/* Before the script runs a submission would load the page anew, without what was typed. */}
          <button type="submit" className="button gold" disabled={!isAwake || isChecking}>
            {isChecking ? 'Verifying...' : 'Verify Wallet'}
          </button>
        </p>
      </form>
      <CheckAnswer check={check} />
    </>
  );
}

function CheckAnswer({ check }: { readonly check: WalletCheck }) {
  const [isAsking, setAsking] = useState(false);
  if (check.kind === 'failed') {
    return (
      <p className={styles.answer} role="alert">
        {check.words}
      </p>
    );
  }
  if (check.kind !== 'not-eligible') return null;
  return (
    <>
      <div className={styles.answer} role="status">
        <p className={styles.title}>This wallet does not qualify for a card yet</p>
        <p>
          Detected: {check.detection}. {formatStake(check.missing)} BD more have to be staked in it.
        </p>
        <p className={styles.ways}>
          <a className="button" href="/staking">
            Stake BD Token to Qualify
          </a>
          <button type="button" className="button" onClick={() => setAsking(true)}>
            Request Manual Verification
          </button>
        </p>
      </div>
      {isAsking ? (
        <Suspense fallback={null}>
          <ManualVerificationModal
            walletAddress={check.walletAddress}
            currentDetection={check.detection}
            onClose={() => setAsking(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
