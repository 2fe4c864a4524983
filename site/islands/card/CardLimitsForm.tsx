import { type SubmitEvent, useState } from 'react';
import type { CardSummary } from '../../../data/contract/cards.ts';
import { dollarText } from '../../../data/model/facts/amount-text.ts';
import { higherTier, tierTerms } from '../../../data/model/tiers.ts';
import styles from './card.module.css';
import { useEligibility } from './use-eligibility.ts';
import type { CardTask } from './use-own-card.ts';

/** Parses an amount in whole US dollars; null if the text is anything else. */
function wholeDollars(text: string): number | null {
  const digits = text.replace(/[\s,$]/g, '');
  return /^\d{1,8}$/.test(digits) && Number(digits) > 0 ? Number(digits) : null;
}

export interface CardLimitsFormProps {
  readonly card: CardSummary;
  readonly task: CardTask;
  /** @returns whether the limits were changed */
  readonly changeLimits: (daily: number, monthly: number) => Promise<boolean>;
}

type Problem = { readonly field: 'daily' | 'monthly'; readonly text: string };

export function CardLimitsForm({ card, task, changeLimits }: CardLimitsFormProps) {
  const { daily, monthly, arePending } = card.limits;
  const reading = useEligibility(card.walletAddress);
  const tier = (reading.kind === 'known' && higherTier(reading.body.tier, card.tier)) || card.tier;
  const tierLimits = tierTerms(tier);
  const [typedTexts, setTypedTexts] = useState<{ readonly daily: string; readonly monthly: string } | null>(
    null,
  );
  const shownTexts = typedTexts ?? { daily: String(daily), monthly: String(monthly) };
  const [problem, setProblem] = useState<Problem | null>(null);

  function problemOf(newDaily: number | null, newMonthly: number | null): Problem | null {
    const text = 'Enter whole US dollars, without cents.';
    if (newDaily === null) return { field: 'daily', text };
    if (newMonthly === null) return { field: 'monthly', text };
    if (newDaily > tierLimits.dailyLimitUsd)
      return { field: 'daily', text: `Enter at most ${dollarText(tierLimits.dailyLimitUsd)} a day.` };
    if (newMonthly > tierLimits.monthlyLimitUsd)
      return { field: 'monthly', text: `Enter at most ${dollarText(tierLimits.monthlyLimitUsd)} a month.` };
    return newDaily > newMonthly
      ? { field: 'daily', text: 'The daily limit cannot exceed the monthly limit.' }
      : null;
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const [newDaily, newMonthly] = [wholeDollars(shownTexts.daily), wholeDollars(shownTexts.monthly)];
    const newProblem = problemOf(newDaily, newMonthly);
    setProblem(newProblem);
    if (newProblem) {
      event.currentTarget.querySelector<HTMLInputElement>(`[name=${newProblem.field}]`)?.focus();
    } else if (newDaily !== null && newMonthly !== null && task === 'none') {
      void changeLimits(newDaily, newMonthly).then((isChanged) => isChanged && setTypedTexts(null));
    }
  };

  return (
    <details>
      <summary>
        Limits: {dollarText(daily)} a day, {dollarText(monthly)} a month
      </summary>
      {arePending ? (
        <p role="status" data-limits="pending">
          Waiting for the card issuer to confirm these limits.
        </p>
      ) : null}
      <p className={styles.quiet}>
        {tier} allows up to {dollarText(tierLimits.dailyLimitUsd)} a day and{' '}
        {dollarText(tierLimits.monthlyLimitUsd)} a month. Raising a limit requires a new signature. If your
        stake no longer allows a limit, we lower the limit. If your stake falls below the card’s tier, we
        freeze the card.
      </p>
      <form className={styles.form} onSubmit={submit} noValidate>
        {(['daily', 'monthly'] as const).map((field) => (
          <div key={field} className={styles.field}>
            <label htmlFor={`limit-${field}`}>
              {field === 'daily' ? 'Daily limit (USD)' : 'Monthly limit (USD)'}
            </label>
            <input
              id={`limit-${field}`}
              name={field}
              inputMode="numeric"
              autoComplete="off"
              value={shownTexts[field]}
              aria-invalid={problem?.field === field}
              aria-describedby={problem?.field === field ? 'limit-problem' : undefined}
              onChange={({ target }) => {
                setTypedTexts({ ...shownTexts, [field]: target.value });
                setProblem(null);
              }}
            />
          </div>
        ))}
        <div role="alert">
          {problem === null ? null : (
            <p className={styles.failure} id="limit-problem">
              {problem.text}
            </p>
          )}
        </div>
        <button type="submit" className="button" aria-disabled={task !== 'none'}>
          {task === 'limiting' ? 'Saving…' : 'Save Limits'}
        </button>
      </form>
    </details>
  );
}
