import type { ReactNode } from 'react';
import { shorten } from '../../../data/model/format.ts';
import styles from './card.module.css';
import { GenerateForm } from './GenerateForm.tsx';

/** How far the connected wallet has come on the way to a card. */
export interface CardWay {
  /** Null where no wallet is connected. */
  readonly wallet: string | null;
  readonly isConnecting: boolean;
  /** Whether its ownership is proved; null while that is being asked. */
  readonly isProved: boolean | null;
  readonly isProving: boolean;
  /** Null while it is not known. */
  readonly isEligible: boolean | null;
  /** Cards that are left of all; null while it is not known. */
  readonly cardsLeft: number | null;
  readonly isGenerating: boolean;
  /** What went wrong with the last thing that was tried; null where nothing did. */
  readonly fault: string | null;
}

interface GenerateStepsProps {
  readonly way: CardWay;
  readonly connect: () => void;
  readonly prove: () => void;
  readonly generate: (holderName: string) => void;
}

/** Connect, prove, generate: the one that is due says what it asks for. */
export function GenerateSteps({ way, connect, prove, generate }: GenerateStepsProps) {
  const { wallet, isProved } = way;
  const due = wallet === null ? 1 : isProved === true ? 3 : 2;
  return (
    <>
      <ol className={styles.steps}>
        <Step due={due} number={1} title="Connect the wallet that stakes">
          {due > 1 ? (
            <p className={styles.quiet}>{wallet === null ? null : shorten(wallet)}</p>
          ) : (
            <button
              type="button"
              className="button gold script-only"
              onClick={connect}
              aria-disabled={way.isConnecting}
            >
              {way.isConnecting ? 'Connecting…' : 'Connect Wallet'}
            </button>
          )}
        </Step>
        <Step due={due} number={2} title="Prove that it is yours">
          {due === 2 ? <Prove way={way} prove={prove} /> : null}
          {due === 1 ? (
            <p className={styles.quiet}>A signed message. It costs nothing and moves nothing.</p>
          ) : null}
        </Step>
        <Step due={due} number={3} title="Generate the card">
          {due === 3 ? <Generate way={way} generate={generate} /> : null}
        </Step>
      </ol>
      <div role="alert">{way.fault === null ? null : <p className={styles.fault}>{way.fault}</p>}</div>
      {wallet !== null && way.isEligible === false ? (
        <>
          <p className={styles.quiet}>
            A card is made for a wallet whose stake qualifies. BD that is held but not staked does not count.
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

function Prove({ way, prove }: { readonly way: CardWay; readonly prove: () => void }) {
  if (way.isProved === null) return <p className={styles.quiet}>Looking whether it is proved already…</p>;
  return (
    <>
      <p className={styles.quiet}>
        {way.isEligible === false
          ? 'Only needed if this wallet has a card already. A signed message, which moves nothing.'
          : 'Sign a message in your wallet. It costs nothing and moves nothing.'}
      </p>
      <button
        type="button"
        className={way.isEligible === false ? 'button' : 'button gold'}
        onClick={prove}
        aria-disabled={way.isProving}
      >
        {way.isProving ? 'Waiting for your wallet…' : 'Prove Ownership'}
      </button>
    </>
  );
}

function Generate({
  way,
  generate,
}: {
  readonly way: CardWay;
  readonly generate: (holderName: string) => void;
}) {
  if (way.cardsLeft === 0)
    return (
      <p className={styles.quiet}>All cards are given out. Do not stake for one without asking first.</p>
    );
  if (way.isEligible === null)
    return <p className={styles.quiet}>The stake has to be read from the chain first.</p>;
  if (!way.isEligible) return null;
  return <GenerateForm isGenerating={way.isGenerating} cardsLeft={way.cardsLeft} generate={generate} />;
}
