import { type SubmitEvent, useLayoutEffect, useRef, useState } from 'react';
import { SERVICE_TIMES } from '../../../data/model/service-times.ts';
import { useAwake } from '../../data/use-figure.ts';
import styles from '../position/position.module.css';
import { addressOf } from '../position/wallet-address.ts';

const NO_ADDRESS = 'That is not a Solana address. Copy it from the wallet, whole.';

interface AddressFormProps {
  /** Offered where nothing was typed; null where no wallet is connected. */
  readonly connected: string | null;
  readonly isVerifying: boolean;
  readonly onVerify: (walletAddress: string) => void;
}

/** Takes the address of the wallet that is to be checked. */
export function AddressForm({ connected, isVerifying, onVerify }: AddressFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const [isRefused, setRefused] = useState(false);
  const awake = useAwake();
  useLayoutEffect(() => {
    // What was typed before the script ran is kept.
    if (input.current?.value) setTyped(input.current.value);
  }, []);
  const text = typed ?? connected ?? '';
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const address = addressOf(text);
    setRefused(address === null);
    if (address === null) input.current?.focus();
    else onVerify(address);
  };
  return (
    <form className={`${styles.form} script-only`} onSubmit={submit} noValidate>
      <label htmlFor="verify-wallet">Wallet address</label>
      <p className={styles.hint} id="verify-hint">
        Verification can take up to {SERVICE_TIMES.verificationSeconds} seconds.
      </p>
      <div className={styles.entry}>
        <input
          ref={input}
          id="verify-wallet"
          value={text}
          maxLength={100}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          readOnly={isVerifying}
          aria-invalid={isRefused}
          aria-describedby={isRefused ? 'verify-error' : 'verify-hint'}
          onChange={({ target }) => {
            setTyped(target.value);
            setRefused(false);
          }}
        />
        {/* Before the script runs a submission would load the page anew, without what was typed. */}
        <button type="submit" className="button gold" disabled={!awake || isVerifying || text.trim() === ''}>
          {isVerifying ? 'Verifying...' : 'Verify Wallet'}
        </button>
      </div>
      <p className={styles.error} id="verify-error" role="alert">
        {isRefused ? NO_ADDRESS : null}
      </p>
    </form>
  );
}
