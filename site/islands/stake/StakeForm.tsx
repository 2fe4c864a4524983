import { type SubmitEvent, useRef, useState } from 'react';
import { formatMoved } from '../figure/moved-amount.ts';
import { StakeTerms } from './StakeTerms.tsx';
import styles from './stake.module.css';
import type { TierGap } from './stake-amount.ts';
import { typedAmount } from './stake-amount.ts';

interface StakeFormProps {
  readonly typed: string;
  readonly onTyped: (text: string) => void;
  /** What is missing to each tier; null while it is not known what the wallet stakes. */
  readonly gaps: readonly TierGap[] | null;
  /** Whether the wallet stakes already; false while that is not known. */
  readonly isStaking: boolean;
  readonly isBuilding: boolean;
  readonly fault: string | null;
  readonly build: (amount: string) => void;
}

const NO_AMOUNT = 'Enter how many BD to stake, such as 1500000 or 0.5.';

/** Takes the amount of a stake, beside what the stake binds to. */
export function StakeForm({ typed, onTyped, gaps, isStaking, isBuilding, fault, build }: StakeFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isRefused, setRefused] = useState(false);
  const change = (text: string) => {
    onTyped(text);
    setRefused(false);
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBuilding) return;
    const amount = typedAmount(typed);
    setRefused(amount === null);
    if (amount === null) input.current?.focus();
    else build(amount);
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <label htmlFor="stake-amount">Amount to stake</label>
      <span className={styles.entry}>
        <input
          ref={input}
          id="stake-amount"
          value={typed}
          inputMode="decimal"
          maxLength={40}
          required
          readOnly={isBuilding}
          autoComplete="off"
          aria-invalid={isRefused}
          aria-describedby={isRefused ? 'stake-amount-fault' : undefined}
          onChange={({ target }) => change(target.value)}
        />
        <span aria-hidden="true">BD</span>
      </span>
      {gaps === null || gaps.length === 0 ? null : (
        <fieldset className={styles.gaps}>
          <legend>What is missing to a card tier</legend>
          {gaps.map(({ tier, missing }) => (
            <button
              key={tier}
              type="button"
              className="button"
              aria-disabled={isBuilding}
              onClick={() => {
                if (!isBuilding) change(missing);
              }}
            >
              {tier} · {formatMoved(missing).replace(/\.00$/, '')}
            </button>
          ))}
        </fieldset>
      )}
      <div role="alert">
        {isRefused ? (
          <p className={styles.fault} id="stake-amount-fault">
            {NO_AMOUNT}
          </p>
        ) : fault === null ? null : (
          <p className={styles.fault}>{fault}</p>
        )}
      </div>
      <StakeTerms isStaking={isStaking} />
      <button type="submit" className="button gold" aria-disabled={isBuilding}>
        {isBuilding ? 'Trying It Out…' : 'Review the Stake'}
      </button>
      <p className={styles.quiet}>
        Nothing is signed yet: the portal tries the stake out and shows what it costs.
      </p>
    </form>
  );
}
