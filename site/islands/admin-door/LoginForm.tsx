import { type SubmitEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { keepAdminSession } from '../admin/admin-session.ts';
import { addressBehind } from '../admin/door-address.ts';
import { useSignedIn } from '../admin/use-admin-session.ts';
import { Field } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import { giveBack, type LoginOutcome, logIn } from './door-calls.ts';
import { typedBefore } from './typed-before.ts';
import { useWait, waitText } from './use-wait.ts';

const NOT_KEPT =
  'This browser keeps nothing for the portal, so nobody can stay signed in. Allow it to store data for this site, and sign in again.';

/** The admins' login: by name and password, and a code where the account has a second factor. Who is signed in goes on. */
export default function LoginForm() {
  const form = useRef<HTMLFormElement>(null);
  const [isAwake, setAwake] = useState(false);
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asksForCode, setAsksForCode] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const wait = useWait();
  const signedIn = useSignedIn();

  useLayoutEffect(() => {
    setUsername(typedBefore(form.current, 'username'));
    setPassword(typedBefore(form.current, 'password'));
    setAwake(true);
  }, []);
  useEffect(() => {
    if (signedIn === 'signed-in') location.replace(addressBehind(location));
  }, [signedIn]);
  useEffect(() => {
    if (asksForCode) document.getElementById('login-code')?.focus();
  }, [asksForCode]);

  const settle = (outcome: LoginOutcome) => {
    switch (outcome.kind) {
      case 'signed-in':
        try {
          // Who is signed in goes on.
          keepAdminSession(outcome.sessionId, { username: outcome.username });
        } catch {
          setFailure(NOT_KEPT);
          void giveBack(outcome.sessionId);
        }
        return;
      case 'code-needed':
        if (asksForCode) setFailure(outcome.words);
        setAsksForCode(true);
        return;
      case 'refused':
        setFailure(outcome.words);
        setCode('');
        wait.begin(outcome.waitFor);
    }
  };
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy || wait.left > 0) return;
    if (username.trim() === '' || password === '') {
      setFailure('Give the username and the password.');
      return;
    }
    setBusy(true);
    setFailure(null);
    const given = code.trim() === '' ? {} : { code: code.trim() };
    const outcome = await logIn({ username, password, ...given });
    setBusy(false);
    settle(outcome);
  };

  if (signedIn === 'signed-in') return <p role="status">You are signed in. The admin area opens...</p>;
  return (
    <form
      ref={form}
      className={`${styles.form} script-only`}
      onSubmit={submit}
      aria-labelledby="login"
      noValidate
    >
      {failure === null ? null : (
        <div className={styles.failure} role="alert">
          <p className={styles.title}>{failure}</p>
        </div>
      )}
      <Field
        id="login-username"
        name="username"
        value={username}
        fault={null}
        onValue={setUsername}
        label="Username"
        autoComplete="username"
        maxLength={64}
      />
      <Field
        id="login-password"
        name="password"
        value={password}
        fault={null}
        onValue={setPassword}
        label="Password"
        type="password"
        autoComplete="current-password"
        maxLength={256}
      />
      {asksForCode ? (
        <Field
          id="login-code"
          name="code"
          value={code}
          fault={null}
          onValue={setCode}
          label="Code"
          hint="The six digits that your authenticator app shows, or one of your recovery codes."
          autoComplete="one-time-code"
          maxLength={64}
          mono
        />
      ) : null}
      <p className={styles.ways}>
        {/* Before the script runs a submission would put both into the page's address. */}
        <button type="submit" className="button gold" disabled={!isAwake || isBusy || wait.left > 0}>
          {isBusy ? 'Signing in...' : 'Sign in'}
        </button>
      </p>
      {wait.left > 0 ? <p className={styles.quiet}>You can try again in {waitText(wait.left)}.</p> : null}
    </form>
  );
}
