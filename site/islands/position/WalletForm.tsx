import { type SubmitEvent, useLayoutEffect, useRef, useState } from 'react';
import { useAwake } from '../../data/use-figure.ts';
import styles from './position.module.css';
import { askForWallet } from './shown-wallet.ts';
import { type AskedWallet, addressOf } from './wallet-address.ts';

const NO_KEY = 'That is not a Solana address. Copy it from the wallet, whole.';

/** Takes the address of a wallet; the one that is asked for stands in it. */
export function WalletForm({ asked }: { readonly asked: AskedWallet }) {
  const input = useRef<HTMLInputElement>(null);
  const [known, setKnown] = useState(asked);
  const [text, setText] = useState(asked.text);
  const [isRefused, setRefused] = useState(false);
  const awake = useAwake();
  useLayoutEffect(() => {
    // What was typed before the script ran is kept.
    if (input.current?.value) setText(input.current.value);
  }, []);
  if (known !== asked) {
    // The way back, or a link, asked for another.
    setKnown(asked);
    setText(asked.text);
    setRefused(asked.text !== '' && asked.address === null);
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const address = addressOf(text);
    setRefused(address === null);
    if (address === null) input.current?.focus();
    else if (address !== asked.address) askForWallet(address);
  };
  return (
    <form className={`${styles.form} script-only`} onSubmit={submit} noValidate>
      <label htmlFor="position-wallet">Wallet address</label>
      <p className={styles.hint} id="position-hint">
        A Solana address. Looking needs no signature, and this page never asks for a seed phrase.
      </p>
      <div className={styles.entry}>
        <input
          ref={input}
          id="position-wallet"
          value={text}
          maxLength={100}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-invalid={isRefused}
          aria-describedby={isRefused ? 'position-error' : 'position-hint'}
          onChange={({ target }) => {
            setText(target.value);
            setRefused(false);
          }}
        />
        {/* Before the script runs a submission would load the page anew, without what was typed. */}
        <button type="submit" className="button gold" disabled={!awake}>
          Show Position
        </button>
        {asked.address === null ? null : (
          <button
            type="button"
            className="button"
            onClick={() => {
              askForWallet(null);
              input.current?.focus();
            }}
          >
            Forget
          </button>
        )}
      </div>
      <p className={styles.error} id="position-error" role="alert">
        {isRefused ? NO_KEY : null}
      </p>
    </form>
  );
}
