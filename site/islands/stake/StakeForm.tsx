import { lazy, type ReactNode, type SubmitEvent, Suspense, useRef, useState } from 'react';
import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { LOCK_DAYS, STATED_YIELD_PERCENT } from '../../../data/model/staking-terms.ts';
import { FRESHNESS, freshnessOfReads } from '../../../data/model/value-state.ts';
import { sourceOf } from '../../data/source-freshness.ts';
import type { AvailableBalance } from '../../data/stake-calls.ts';
import { Age } from '../ui/Figure.tsx';
import type { Retry } from '../ui/provenance.ts';
import { RetryButton } from '../ui/ReadStates.tsx';
import { Outlook } from './Outlook.tsx';
import styles from './stake.module.css';
import { halfOf, parseTypedAmount, stakeOutlook, type TierAbove, tiersAbove } from './stake-amount.ts';

const StakeWarnings = lazy(() => import('./StakeWarnings.tsx'));

export const BALANCE_INTERVAL_MS = 60_000;

/** The terms are shown wherever a stake can be started or signed. */
export function StakeTerms({ isStaking }: { readonly isStaking: boolean }) {
  return (
    <ul className={styles.terms}>
      {isStaking ? (
        <li>
          <strong>This wallet already has a stake.</strong> Staking again restarts its lock. Use another
          wallet for an extra stake.
        </li>
      ) : null}
      <li>Locked for {LOCK_DAYS} days. There is no early withdrawal for any reason.</li>
      {isStaking ? null : <li>Staking again with the same wallet restarts the lock.</li>}
      <li>
        The stated annual yield of {STATED_YIELD_PERCENT}% is set by the project. It is neither compounded nor
        guaranteed, and the price can fall while you cannot sell.
      </li>
    </ul>
  );
}

interface StakeFormProps {
  readonly walletAddress: string | null;
  readonly typedText: string;
  readonly onTypedText: (text: string) => void;
  /** The wallet's stake in BD, decimal text; null while it is unknown. */
  readonly staked: string | null;
  readonly availableReading: AvailableReading;
  readonly isBuilding: boolean;
  readonly failure: string | null;
  readonly build: (amount: string) => void;
  readonly shareLink: ReactNode;
}

export function StakeForm(props: StakeFormProps) {
  const {
    walletAddress,
    typedText,
    onTypedText,
    staked,
    availableReading,
    isBuilding,
    failure,
    build,
    shareLink,
  } = props;
  const input = useRef<HTMLInputElement>(null);
  const [isInvalid, setInvalid] = useState(false);
  const change = (text: string) => {
    if (isBuilding) return;
    onTypedText(text);
    setInvalid(false);
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBuilding) return;
    setInvalid(amount === null);
    if (amount === null) input.current?.focus();
    else build(amount);
  };
  const availableAmount = availableReading.kind === 'known' ? availableReading.body.available : null;
  const half = availableAmount === null ? null : halfOf(availableAmount);
  const presets = [
    ...(half === null ? [] : [['Half', half] as const]),
    ...(availableAmount === null || availableAmount === '0' ? [] : [['Max', availableAmount] as const]),
  ];
  const amount = parseTypedAmount(typedText);
  const outlook = amount === null ? null : stakeOutlook(amount, staked, availableAmount);
  const isStaking = staked !== null && staked !== '0';
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <label htmlFor="stake-amount">Amount to stake</label>
      <span className={styles.entry}>
        <input
          ref={input}
          id="stake-amount"
          value={typedText}
          inputMode="decimal"
          maxLength={40}
          required
          readOnly={isBuilding}
          autoComplete="off"
          aria-invalid={isInvalid}
          aria-describedby={isInvalid ? 'stake-amount-error stake-available' : 'stake-available'}
          onChange={({ target }) => change(target.value)}
        />
        <span aria-hidden="true">BD</span>
        {presets.map(([label, preset]) => (
          <button
            key={label}
            type="button"
            className={`button ${styles.preset}`}
            aria-disabled={isBuilding}
            onClick={() => change(preset)}
          >
            {label}
          </button>
        ))}
      </span>
      <p className={styles.available} id="stake-available">
        <AvailableText reading={availableReading} isTooMuch={outlook?.isTooMuch ?? false} />
      </p>
      <div className={styles.status} role="status">
        <Suspense fallback={null}>
          {walletAddress === null ? null : (
            <StakeWarnings walletAddress={walletAddress} staked={staked} outlook={outlook} />
          )}
        </Suspense>
      </div>
      {staked === null ? null : (
        <Tiers
          isBalanceKnown={availableAmount !== null}
          tiers={tiersAbove(staked, availableAmount)}
          choose={change}
          isBusy={isBuilding}
        />
      )}
      <Outlook amount={amount} outlook={outlook} startsAt={null} />
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
      {shareLink}
    </form>
  );
}

export type AvailableReading =
  | { readonly kind: 'reading' }
  | {
      readonly kind: 'known';
      readonly body: AvailableBalance;
      /** Null unless the last read failed. */
      readonly retry: Retry | null;
    }
  | { readonly kind: 'failed'; readonly retry: Retry };

interface AvailableTextProps {
  readonly reading: AvailableReading;
  readonly isTooMuch: boolean;
}

function AvailableText({ reading, isTooMuch }: AvailableTextProps) {
  switch (reading.kind) {
    case 'reading':
      return 'Reading the balance…';
    case 'failed':
      return (
        <>
          Could not read the balance. <RetryButton retry={reading.retry} what="the balance" />
        </>
      );
    case 'known':
      return <KnownBalance {...reading} isTooMuch={isTooMuch} />;
  }
}

const BALANCE_FRESHNESS = freshnessOfReads(BALANCE_INTERVAL_MS, FRESHNESS.chain);

type KnownBalanceProps = Extract<AvailableReading, { kind: 'known' }> & Pick<AvailableTextProps, 'isTooMuch'>;

function KnownBalance({ body: { available, asOf, source }, retry, isTooMuch }: KnownBalanceProps) {
  const read = { asOf: Date.parse(asOf), source: sourceOf(source), calls: [], freshness: BALANCE_FRESHNESS };
  return (
    <>
      {available === '0' ? (
        'This wallet has no BD to stake.'
      ) : (
        <>
          {groupDecimalText(available)} BD available.{' '}
          {isTooMuch ? (
            <strong>Enter that amount or less.</strong>
          ) : (
            'Fees are paid in SOL, not from this amount.'
          )}
        </>
      )}{' '}
      <span className={styles.read}>
        Read from the chain <Age read={read} />
      </span>
      {retry === null ? null : (
        <span className={styles.read}>
          Could not update. <RetryButton retry={retry} what="the balance" />
        </span>
      )}
    </>
  );
}

interface TiersProps {
  readonly isBalanceKnown: boolean;
  readonly tiers: readonly TierAbove[];
  readonly choose: (amount: string) => void;
  readonly isBusy: boolean;
}

/**
 * The tiers that the wallet can reach (all tiers above its stake if the balance is unknown), then those for which it has too
 * little BD.
 */
function Tiers({ isBalanceKnown, tiers, choose, isBusy }: TiersProps) {
  const reachableTiers = tiers.filter(({ shortfall }) => shortfall === null);
  const unreachableTiers = tiers.filter(({ shortfall }) => shortfall !== null);
  return (
    <>
      {reachableTiers.length === 0 ? null : (
        <fieldset className={styles.tiers}>
          <legend>{isBalanceKnown ? 'Tiers within reach' : 'Amount needed for each tier'}</legend>
          {reachableTiers.map(({ tier, amountToTier }) => (
            <button
              key={tier}
              type="button"
              className="button"
              aria-disabled={isBusy}
              onClick={() => choose(amountToTier)}
            >
              {tier} · {groupDecimalText(amountToTier)}
            </button>
          ))}
        </fieldset>
      )}
      {unreachableTiers.length === 0 ? null : (
        <ul className={styles.outOfReach} aria-label="Tiers out of reach">
          {unreachableTiers.map(({ tier, shortfall }) => (
            <li key={tier} data-tier={tier}>
              {tier} <span>needs {groupDecimalText(shortfall ?? '')} BD more in this wallet</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
