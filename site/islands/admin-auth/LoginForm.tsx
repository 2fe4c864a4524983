import { type SubmitEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { returnUrl, storeAdminSession, useSignInState } from '../admin/admin-session.ts';
import { CodeField, Failure, FormActions, SecretField } from '../admin/form-parts.tsx';
import { Field } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import {
  endAdminSession,
  type LoginOutcome,
  logIn,
  logInWithPasskey,
  useWait,
  waitText,
} from './auth-calls.ts';

const NO_PASSKEY = 'No passkey was used. Try again, or sign in with your password.';
/** Milliseconds until the passkey offer in autofill gets a new challenge. The old challenge is valid for longer than that. */
const PASSKEY_OFFER_MS = 4 * 60_000;

const STORAGE_BLOCKED =
  "This browser blocks storage for this site, so you can't stay signed in. Allow storage and sign in again.";

/** The text that the visitor or the browser entered into a field before hydration. */
function existingValue(form: HTMLFormElement | null, name: string): string {
  const input = form?.elements.namedItem(name);
  return input instanceof HTMLInputElement ? input.value : '';
}

/**
 * Signs in with username and password, and with a code or a passkey if the account has a second factor.
 * A passkey alone is also enough.
 */
export default function LoginForm() {
  const form = useRef<HTMLFormElement>(null);
  const [isHydrated, setHydrated] = useState(false);
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [isCodeNeeded, setCodeNeeded] = useState(false);
  const [supportsPasskeys, setSupportsPasskeys] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const wait = useWait();
  const isWaiting = wait.secondsLeft > 0 && code.trim() === '';
  const signInState = useSignInState();

  useLayoutEffect(() => {
    setUsername(existingValue(form.current, 'username'));
    setPassword(existingValue(form.current, 'login-password'));
    setHydrated(true);
  }, []);
  useEffect(() => {
    if (signInState === 'signed-in') location.replace(returnUrl(location));
  }, [signInState]);
  useEffect(() => {
    if (isCodeNeeded) document.getElementById('login-code')?.focus();
  }, [isCodeNeeded]);

  const passkeyRequest = useRef<AbortController | null>(null);
  /** Offers passkeys in the username field's autofill until the page closes or the admin chooses another way to sign in. */
  const offerPasskeys = async () => {
    const passkeys = await import('../../data/passkeys.ts').catch(() => null);
    if (!(await passkeys?.hasPasskeyAutofill())) return;
    const controller = new AbortController();
    passkeyRequest.current?.abort();
    passkeyRequest.current = controller;
    const renewalTimer = setTimeout(() => void offerPasskeys(), PASSKEY_OFFER_MS);
    controller.signal.addEventListener('abort', () => clearTimeout(renewalTimer));
    const outcome = await logInWithPasskey('conditional', controller.signal);
    if (outcome !== null && !controller.signal.aborted) handleOutcome(outcome);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    setSupportsPasskeys(typeof PublicKeyCredential === 'function');
    void offerPasskeys();
    return () => passkeyRequest.current?.abort();
  }, []);
  /** @param credentials username and password, if the passkey is the second factor; null to sign in with the passkey alone */
  const startPasskeyLogin = async (credentials: { username: string; password: string } | null) => {
    // The browser allows one passkey request at a time.
    passkeyRequest.current?.abort();
    setBusy(true);
    setFailure(null);
    const controller = new AbortController();
    passkeyRequest.current = controller;
    const outcome = await logInWithPasskey('optional', controller.signal, credentials);
    setBusy(false);
    if (outcome === null) setFailure(NO_PASSKEY);
    else handleOutcome(outcome);
    const isNewest = passkeyRequest.current === controller && !controller.signal.aborted;
    if (outcome?.kind !== 'signed-in' && isNewest) void offerPasskeys();
  };

  const handleOutcome = (outcome: LoginOutcome) => {
    switch (outcome.kind) {
      case 'signed-in':
        try {
          storeAdminSession(outcome.sessionId, { username: outcome.username });
        } catch {
          setFailure(STORAGE_BLOCKED);
          void endAdminSession(outcome.sessionId);
        }
        return;
      case 'code-needed':
        if (isCodeNeeded) setFailure(outcome.message);
        setCodeNeeded(true);
        return;
      case 'passkey-needed':
        void startPasskeyLogin({ username, password });
        return;
      case 'too-many-attempts':
      case 'refused':
        if (outcome.kind === 'too-many-attempts') setCodeNeeded(true);
        setFailure(outcome.message);
        setCode('');
        wait.start(outcome.waitSeconds);
    }
  };
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy || isWaiting) return;
    if (username.trim() === '' || password === '') return setFailure('Enter your username and password.');
    setBusy(true);
    setFailure(null);
    const factor = code.trim() === '' ? {} : { code: code.trim() };
    const outcome = await logIn({ username, password, ...factor });
    setBusy(false);
    handleOutcome(outcome);
  };

  if (signInState === 'signed-in') return <p role="status">You're signed in. Opening the admin area...</p>;
  return (
    <form
      ref={form}
      className={`${styles.form} script-only`}
      onSubmit={submit}
      aria-labelledby="login"
      noValidate
    >
      {failure === null ? null : <Failure message={failure} />}
      <Field
        id="login-username"
        name="username"
        value={username}
        onValue={setUsername}
        label="Username"
        autoComplete="username webauthn"
        maxLength={64}
      />
      <SecretField id="login-password" label="Password" value={password} onValue={setPassword} />
      {isCodeNeeded ? (
        <CodeField
          id="login-code"
          value={code}
          onValue={setCode}
          hint={`The six digits from your authenticator app, or a recovery code.${wait.secondsLeft > 0 ? ' With a code, you can sign in without waiting.' : ''}`}
        />
      ) : null}
      {/* Disabled until the script runs: a plain submission would put the password into the URL. */}
      <FormActions
        submitLabel="Sign in"
        busyLabel="Signing in..."
        isBusy={isBusy}
        isDisabled={!isHydrated || isWaiting}
      />
      {supportsPasskeys ? (
        <p className={styles.actions}>
          <button
            type="button"
            className="button"
            disabled={isBusy}
            onClick={() => void startPasskeyLogin(null)}
          >
            Sign in with a passkey
          </button>
        </p>
      ) : null}
      {wait.secondsLeft > 0 ? (
        <p className={styles.quiet}>You can try again in {waitText(wait.secondsLeft)}.</p>
      ) : null}
    </form>
  );
}
