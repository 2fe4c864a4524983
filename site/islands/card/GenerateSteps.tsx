import { type ReactNode, type SubmitEvent, useRef, useState } from 'react';
import { shorten } from '../../../data/model/format.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import styles from './card.module.css';

/** In characters. */
const HOLDER_NAME_LENGTH = { min: 2, max: 24 } as const;

/** The characters that the server accepts in a name. */
const NAME_CHARACTERS = /^[\p{L}\p{M} .'’-]+$/u;

/** What is wrong with a cardholder name; null if it is valid. */
export function holderNameError(name: string): string | null {
  const trimmed = name.trim();
  if (trimmed === '') return 'Enter the cardholder name.';
  if (trimmed.length < HOLDER_NAME_LENGTH.min)
    return `The cardholder name needs at least ${HOLDER_NAME_LENGTH.min} characters.`;
  if (trimmed.length > HOLDER_NAME_LENGTH.max)
    return `The cardholder name can have at most ${HOLDER_NAME_LENGTH.max} characters.`;
  return NAME_CHARACTERS.test(trimmed) ? null : 'Use letters, spaces, periods, apostrophes and hyphens only.';
}

interface GenerateFormProps {
  readonly isGenerating: boolean;
  /** Cards that can still be issued; null if unknown. */
  readonly cardsLeft: number | null;
  readonly generate: (holderName: string) => void;
}

function GenerateForm({ isGenerating, cardsLeft, generate }: GenerateFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isGenerating) return;
    const found = holderNameError(name);
    setFailure(found);
    if (found === null) generate(name.trim());
    else input.current?.focus();
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <label htmlFor="holder-name">Name on the card</label>
      <p className={styles.quiet} id="holder-name-hint">
        As it should appear on the card.
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
        aria-invalid={failure !== null}
        aria-describedby={failure === null ? 'holder-name-hint' : 'holder-name-error'}
        onChange={({ target }) => {
          setName(target.value);
          setFailure(null);
        }}
      />
      <div role="alert">
        {failure === null ? null : (
          <p className={styles.failure} id="holder-name-error">
            {failure}
          </p>
        )}
      </div>
      <button type="submit" className="button gold" aria-disabled={isGenerating}>
        {isGenerating ? 'Generating Card...' : 'Generate Virtual Mastercard'}
      </button>
      {cardsLeft === null ? null : (
        <p className={styles.quiet}>{cardsLeft === 1 ? '1 card' : `${cardsLeft} cards`} left.</p>
      )}
    </form>
  );
}

/** How far the connected wallet is on the way to a card. */
export interface CardProgress {
  /** Null if no wallet is connected. */
  readonly wallet: string | null;
  readonly isConnecting: boolean;
  /** Whether ownership of the wallet is proven; null while that is checked. */
  readonly isProved: boolean | null;
  readonly isProving: boolean;
  /** Whether the wallet's stake qualifies; null while that is unknown. */
  readonly isEligible: boolean | null;
  readonly cardsLeft: number | null;
  readonly isGenerating: boolean;
  /** Why the last action failed. */
  readonly failure: string | null;
}

interface GenerateStepsProps {
  readonly progress: CardProgress;
  readonly connect: () => void;
  readonly prove: () => void;
  readonly generate: (holderName: string) => void;
}

export function GenerateSteps({ progress, connect, prove, generate }: GenerateStepsProps) {
  const { wallet, isProved } = progress;
  const isHydrated = useHydrated();
  const due = wallet === null ? 1 : isProved === true ? 3 : 2;
  return (
    <>
      <ol className={styles.steps}>
        <Step due={due} number={1} title="Connect your staking wallet">
          {due > 1 ? (
            <p className={styles.quiet}>{wallet === null ? null : shorten(wallet)}</p>
          ) : (
            <button
              type="button"
              className="button gold script-only"
              onClick={connect}
              disabled={!isHydrated}
              aria-disabled={progress.isConnecting}
            >
              {progress.isConnecting ? 'Connecting…' : 'Connect Wallet'}
            </button>
          )}
        </Step>
        <Step due={due} number={2} title="Prove ownership">
          {due === 2 ? <Prove progress={progress} prove={prove} /> : null}
          {due === 1 ? (
            <p className={styles.quiet}>You sign a message. It costs nothing and moves no tokens.</p>
          ) : null}
        </Step>
        <Step due={due} number={3} title="Generate the card">
          {due === 3 ? <Generate progress={progress} generate={generate} /> : null}
        </Step>
      </ol>
      <div role="alert">
        {progress.failure === null ? null : <p className={styles.failure}>{progress.failure}</p>}
      </div>
      {wallet !== null && progress.isEligible === false ? (
        <>
          <p className={styles.quiet}>
            A card requires a qualifying stake. BD that you hold but have not staked does not count.
          </p>
          <a className="button gold" href="/staking#stake">
            Stake BD Token to Qualify
          </a>
        </>
      ) : null}
    </>
  );
}

interface StepProps {
  readonly due: number;
  readonly number: number;
  readonly title: string;
  readonly children: ReactNode;
}

function Step({ due, number, title, children }: StepProps) {
  const state = number < due ? 'done' : number === due ? 'due' : 'later';
  return (
    <li data-step={state} aria-current={state === 'due' ? 'step' : undefined}>
      <h3>
        {title} {state === 'done' ? <span className={styles.done}>Done</span> : null}
      </h3>
      {children}
    </li>
  );
}

function Prove({ progress, prove }: Pick<GenerateStepsProps, 'progress' | 'prove'>) {
  if (progress.isProved === null) return <p className={styles.quiet}>Checking wallet ownership…</p>;
  return (
    <>
      <p className={styles.quiet}>
        {progress.isEligible === false
          ? 'Only needed if this wallet already has a card. Signing costs nothing and moves no tokens.'
          : 'Sign a message in your wallet. It costs nothing and moves no tokens.'}
      </p>
      <button
        type="button"
        className={progress.isEligible === false ? 'button' : 'button gold'}
        onClick={prove}
        aria-disabled={progress.isProving}
      >
        {progress.isProving ? 'Waiting for your wallet…' : 'Prove Ownership'}
      </button>
    </>
  );
}

function Generate({ progress, generate }: Pick<GenerateStepsProps, 'progress' | 'generate'>) {
  if (progress.cardsLeft === 0)
    return (
      <p className={styles.quiet}>All cards have been issued. Before you stake for one, contact the team.</p>
    );
  if (progress.isEligible === null) return <p className={styles.quiet}>Checking the stake on the chain…</p>;
  if (!progress.isEligible) return null;
  return (
    <GenerateForm isGenerating={progress.isGenerating} cardsLeft={progress.cardsLeft} generate={generate} />
  );
}
