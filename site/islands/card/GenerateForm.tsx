import { type SubmitEvent, useRef, useState } from 'react';
import styles from './card.module.css';
import { HOLDER_NAME_LENGTH, holderNameFault } from './holder-name.ts';

interface GenerateFormProps {
  readonly isGenerating: boolean;
  /** Null while it is not known. */
  readonly cardsLeft: number | null;
  readonly generate: (holderName: string) => void;
}

/** Asks for the name on the card. */
export function GenerateForm({ isGenerating, cardsLeft, generate }: GenerateFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isGenerating) return;
    const found = holderNameFault(name);
    setFault(found);
    if (found === null) generate(name.trim());
    else input.current?.focus();
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <label htmlFor="holder-name">Name on the card</label>
      <p className={styles.quiet} id="holder-name-hint">
        As you sign. It is kept with the card.
      </p>
      <input
        ref={input}
        id="holder-name"
        value={name}
        maxLength={HOLDER_NAME_LENGTH.most}
        required
        readOnly={isGenerating}
        autoComplete="cc-name"
        spellCheck={false}
        aria-invalid={fault !== null}
        aria-describedby={fault === null ? 'holder-name-hint' : 'holder-name-fault'}
        onChange={({ target }) => {
          setName(target.value);
          setFault(null);
        }}
      />
      <div role="alert">
        {fault === null ? null : (
          <p className={styles.fault} id="holder-name-fault">
            {fault}
          </p>
        )}
      </div>
      <button type="submit" className="button gold" aria-disabled={isGenerating}>
        {isGenerating ? 'Generating Card...' : 'Generate Virtual Mastercard'}
      </button>
      {cardsLeft === null ? null : <p className={styles.quiet}>{cardsLeft} cards are left.</p>}
    </form>
  );
}
