import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { LOCK_DAYS, STATED_YIELD_PERCENT } from '../../../data/model/staking-terms.ts';
import { formatMoved } from '../ui/format.ts';
import styles from './stake.module.css';
import { type TierGap, typedAmount } from './stake-amount.ts';

/** A heading that takes the focus when it appears. */
export function FocusedHeading({ children }: { readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <h3 ref={heading} tabIndex={-1}>
      {children}
    </h3>
  );
}

/** The terms of a stake. Shown wherever a stake can be started or signed. */
export function StakeTerms({ isStaking }: { readonly isStaking: boolean }) {
  return (
    <ul className={styles.terms}>
      {isStaking ? (
        <li>
          <strong>This wallet already has a stake.</strong> Staking again restarts its lock. Use another
          wallet for an extra stake.
        </li>
      ) : null}
      <li>Locked for {LOCK_DAYS} days. There is no early withdrawal, for any reason.</li>
      <li>Staking again with the same wallet restarts the lock.</li>
      <li>
        The stated annual yield of {STATED_YIELD_PERCENT}% is set by the project. It is neither compounded nor
        guaranteed, and the price can fall while you cannot sell.
      </li>
    </ul>
  );
}

interface StakeFormProps {
  readonly typed: string;
  readonly onTyped: (text: string) => void;
  /** The amount needed for each tier. Null while the wallet's stake is unknown. */
  readonly gaps: readonly TierGap[] | null;
  /** Whether the wallet is known to have a stake. */
  readonly isStaking: boolean;
  readonly isBuilding: boolean;
  readonly failure: string | null;
  readonly build: (amount: string) => void;
}

export function StakeForm({ typed, onTyped, gaps, isStaking, isBuilding, failure, build }: StakeFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isInvalid, setInvalid] = useState(false);
  const change = (text: string) => {
    onTyped(text);
    setInvalid(false);
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBuilding) return;
    const amount = typedAmount(typed);
    setInvalid(amount === null);
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
          aria-invalid={isInvalid}
          aria-describedby={isInvalid ? 'stake-amount-error' : undefined}
          onChange={({ target }) => change(target.value)}
        />
        <span aria-hidden="true">BD</span>
      </span>
      {gaps === null || gaps.length === 0 ? null : (
        <fieldset className={styles.gaps}>
          <legend>Amount needed for each tier</legend>
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
        {isInvalid ? (
          <p className={styles.failure} id="stake-amount-error">
            Enter an amount of BD, such as 1500000 or 0.5.
          </p>
        ) : failure === null ? null : (
          <p className={styles.failure}>{failure}</p>
        )}
      </div>
      <StakeTerms isStaking={isStaking} />
      <button type="submit" className="button gold" aria-disabled={isBuilding}>
        {isBuilding ? 'Checking…' : 'Review Stake'}
      </button>
      <p className={styles.quiet}>
        Nothing is signed yet: the portal simulates the stake first and shows its costs.
      </p>
    </form>
  );
}
