import { type ReactNode, type SubmitEvent, useLayoutEffect, useRef } from 'react';
import { useHydrated } from '../../data/use-hydrated.ts';
import { OwnName } from './OwnName.tsx';
import styles from './ui.module.css';

interface AddressEntryProps {
  readonly id: string;
  readonly hint: ReactNode;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly isInvalid: boolean;
  readonly isBusy?: boolean;
  /** Whether the submit button is plain, because another action on the page is more important. */
  readonly isSecondary?: boolean;
  readonly submitLabel: string;
  readonly canSubmit?: boolean;
  /** @returns whether the text is an address. If not, the field gets the focus. */
  readonly onSubmit: () => boolean;
  readonly children?: ReactNode;
}

export function AddressEntry(props: AddressEntryProps) {
  const { id, hint, text, onText, isInvalid, isBusy = false, isSecondary = false, canSubmit = true } = props;
  const input = useRef<HTMLInputElement>(null);
  const isHydrated = useHydrated();
  const initial = useRef({ text, onText });
  useLayoutEffect(() => {
    const typedText = input.current?.value;
    // The visitor may have typed before hydration.
    if (typedText && typedText !== initial.current.text) initial.current.onText(typedText);
  }, []);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    if (!props.onSubmit()) input.current?.focus();
  };
  return (
    <form className={`${styles.address} script-only`} onSubmit={submit} noValidate>
      <label htmlFor={id}>Wallet address</label>
      <p className={styles.hint} id={`${id}-hint`}>
        {hint}
      </p>
      <div className={styles.entry}>
        <input
          ref={input}
          id={id}
          dir="ltr"
          value={text}
          maxLength={100}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          readOnly={isBusy}
          aria-invalid={isInvalid}
          aria-describedby={isInvalid ? `${id}-error` : `${id}-hint`}
          onChange={({ target }) => onText(target.value)}
        />
        {/* Disabled before hydration, when submitting would lose the text. Enabled while busy, so that it keeps the focus. */}
        <button
          type="submit"
          className={isSecondary ? 'button' : 'button gold'}
          disabled={!isHydrated || !canSubmit}
          aria-disabled={isBusy}
        >
          {props.submitLabel}
        </button>
        {props.children}
      </div>
      <OwnName address={text.trim()} />
      <p className={styles.error} id={`${id}-error`} role="alert">
        {isInvalid ? "That isn't a valid Solana address. Copy the full address." : null}
      </p>
    </form>
  );
}
