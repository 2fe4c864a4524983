import { type SubmitEvent, useRef, useState } from 'react';
import { MAX_CARDS } from '../../../data/model/tiers.ts';
import { CardholderFields, readEnteredCardholder } from './CardholderFields.tsx';
import styles from './card.module.css';
import type { OwnCard } from './use-own-card.ts';

const GENERIC_HOLDER_NAME = 'BlackDuck Cardholder';

const HOLDER_NAME_LENGTH = { min: 2, max: 24 } as const;

/** The characters that the server accepts in a cardholder name. */
const NAME_CHARACTERS = /^[\p{L}\p{M} .'’-]+$/u;

export function holderNameError(name: string): string | null {
  const trimmed = name.trim();
  if (trimmed === '') return 'Enter the cardholder name.';
  if (trimmed.length < HOLDER_NAME_LENGTH.min)
    return `The cardholder name needs at least ${HOLDER_NAME_LENGTH.min} characters.`;
  if (trimmed.length > HOLDER_NAME_LENGTH.max)
    return `The cardholder name can have at most ${HOLDER_NAME_LENGTH.max} characters.`;
  return NAME_CHARACTERS.test(trimmed) ? null : 'Use letters, spaces, periods, apostrophes and hyphens only.';
}

interface GenerateCardFormProps {
  readonly ownCard: OwnCard;
  readonly moveFocusOnNextStep: () => void;
}

export function GenerateCardForm({ ownCard, moveFocusOnNextStep }: GenerateCardFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState<string>(GENERIC_HOLDER_NAME);
  const [nameError, setNameError] = useState<string | null>(null);
  const needsCardholder = ownCard.cardholderFields.length > 0;
  const isGenerating = ownCard.task === 'generating';
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isGenerating) return;
    const error = holderNameError(name);
    setNameError(error);
    if (error !== null) {
      input.current?.focus();
      return;
    }
    const cardholder = needsCardholder
      ? readEnteredCardholder(event.currentTarget, ownCard.cardholderFields)
      : undefined;
    if (cardholder === null) return;
    moveFocusOnNextStep();
    ownCard.generate(name.trim(), cardholder);
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <label htmlFor="holder-name">Name on the card</label>
      <p className={styles.quiet} id="holder-name-hint">
        As it should appear on the card. You can keep the suggested name.
      </p>
      <input
        ref={input}
        id="holder-name"
        value={name}
        maxLength={HOLDER_NAME_LENGTH.max}
        required
        readOnly={isGenerating}
        autoComplete="cc-name"
        spellCheck={false}
        // Selects the generic name, so that typing replaces it.
        onFocus={({ target }) => {
          if (name === GENERIC_HOLDER_NAME) target.select();
        }}
        aria-invalid={nameError !== null}
        aria-describedby={nameError === null ? 'holder-name-hint' : 'holder-name-error'}
        onChange={({ target }) => {
          setName(target.value);
          setNameError(null);
        }}
      />
      <div role="alert">
        {nameError === null ? null : (
          <p className={styles.failure} id="holder-name-error">
            {nameError}
          </p>
        )}
      </div>
      {needsCardholder ? <CardholderFields fields={ownCard.cardholderFields} /> : null}
      <button type="submit" className="button gold" aria-disabled={isGenerating}>
        {isGenerating ? 'Generating Card...' : 'Generate Virtual Mastercard'}
      </button>
      <div role="alert">
        {ownCard.failure?.step === 'get' ? <p className={styles.failure}>{ownCard.failure.text}</p> : null}
      </div>
      {ownCard.cardsLeft === null ? null : (
        <p className={styles.quiet}>
          {ownCard.cardsLeft === 1
            ? '1 card is left.'
            : `${ownCard.cardsLeft} of ${MAX_CARDS} cards are left.`}
        </p>
      )}
    </form>
  );
}
