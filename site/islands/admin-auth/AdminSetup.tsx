import { type SubmitEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { MIN_PASSWORD_LENGTH } from '../../../data/model/admin-rules.ts';
import { isMailAddress } from '../../../data/model/form-text.ts';
import { takeToken } from '../../data/link-token.ts';
import { LOGIN_PATH } from '../admin/admin-session.ts';
import { Failure, FormActions, newPasswordError } from '../admin/form-parts.tsx';
import { ErrorSummary, Field, type FieldValueProps } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import { createFirstAdmin, readSetupState, useWait, waitText } from './auth-calls.ts';

const REDIRECT_DELAY_MS = 2_000;

type Stage = 'loading' | 'open' | 'link-needed' | 'closed' | 'created';

/** The form that creates the first admin. It is closed once an admin exists. */
export default function AdminSetup() {
  const [stage, setStage] = useState<Stage>('loading');
  const [token, setToken] = useState<string | null>(null);

  useLayoutEffect(() => {
    // Pasting a link into the open page changes only the fragment, so the page is not reloaded.
    const readToken = () => {
      const linkToken = takeToken();
      if (linkToken !== null) setToken(linkToken);
    };
    readToken();
    addEventListener('hashchange', readToken);
    return () => removeEventListener('hashchange', readToken);
  }, []);
  useEffect(() => {
    let isMounted = true;
    void readSetupState().then((state) => {
      if (!isMounted) return;
      // If the state is unknown, the form is shown: the server checks the state again when the form is sent.
      if (state === null || (state.isOpen && !state.needsLink)) setStage('open');
      else setStage(state.isOpen ? 'link-needed' : 'closed');
    });
    return () => {
      isMounted = false;
    };
  }, []);
  useEffect(() => {
    if (stage !== 'created') return;
    const timer = setTimeout(() => location.assign(LOGIN_PATH), REDIRECT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [stage]);

  const form = (
    <SetupForm token={token} onCreated={() => setStage('created')} onClosed={() => setStage('closed')} />
  );
  switch (stage) {
    case 'loading':
      return <p className="script-only">Loading...</p>;
    case 'open':
      return form;
    case 'link-needed':
      return token === null ? (
        <p data-stage="link-needed">
          Open the one-time link that the server printed when it started. To get a new link, restart the
          server.
        </p>
      ) : (
        form
      );
    case 'closed':
      return (
        <div className={styles.form} data-stage="closed">
          <p role="status">An admin already exists, so setup is closed.</p>
          <p className={styles.actions}>
            <a className="button gold" href={LOGIN_PATH}>
              Admin login
            </a>
          </p>
        </div>
      );
    case 'created':
      return (
        <p className={styles.banner} role="status">
          <strong>Setup Complete!</strong> Admin user created successfully. Redirecting to login...
        </p>
      );
  }
}

const EMPTY_VALUES = { username: '', email: '', password: '', confirm: '' };
type FieldName = keyof typeof EMPTY_VALUES;

const INVALID_EMAIL = 'Enter an email address such as name@example.com, or leave it empty.';

function errorsOf({
  username,
  email,
  password,
  confirm,
}: typeof EMPTY_VALUES): Record<FieldName, string | null> {
  const address = email.trim();
  return {
    username: username.trim() === '' ? 'Enter a username.' : null,
    email: address === '' || isMailAddress(address) ? null : INVALID_EMAIL,
    password: newPasswordError({ password, repeatedPassword: password }),
    confirm: password === confirm ? null : 'Passwords do not match',
  };
}

interface SetupFormProps {
  /** From the one-time link; null without a link. */
  readonly token: string | null;
  readonly onCreated: () => void;
  /** Called if another admin was created in the meantime. */
  readonly onClosed: () => void;
}

function SetupForm({ token, onCreated, onClosed }: SetupFormProps) {
  const summary = useRef<HTMLDivElement>(null);
  const [values, setValues] = useState(EMPTY_VALUES);
  const [isSubmitted, setSubmitted] = useState(false);
  const [refusalCount, setRefusalCount] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const wait = useWait();
  useEffect(() => {
    if (refusalCount > 0) summary.current?.focus();
  }, [refusalCount]);

  const errors = errorsOf(values);
  const summaryErrors = Object.entries(errors).flatMap(([name, message]) =>
    message === null ? [] : [{ id: `setup-${name}`, message }],
  );
  const fieldWiring = (name: FieldName): FieldValueProps => ({
    id: `setup-${name}`,
    name,
    value: values[name],
    error: isSubmitted ? errors[name] : null,
    onValue: (value) => setValues((before) => ({ ...before, [name]: value })),
  });
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy || wait.secondsLeft > 0) return;
    setSubmitted(true);
    setFailure(null);
    if (summaryErrors.length > 0) return setRefusalCount((count) => count + 1);
    setBusy(true);
    const { username, password } = values;
    const email = values.email.trim();
    const outcome = await createFirstAdmin({ username, password, ...(email === '' ? {} : { email }) }, token);
    setBusy(false);
    if (outcome.kind === 'created') return onCreated();
    if (outcome.kind === 'closed') return onClosed();
    setFailure(outcome.message);
    wait.start(outcome.waitSeconds);
  };
  return (
    <form className={`${styles.form} script-only`} onSubmit={submit} aria-labelledby="setup" noValidate>
      <ErrorSummary errors={isSubmitted ? summaryErrors : []} summary={summary} />
      {failure === null ? null : <Failure message={failure} />}
      <Field {...fieldWiring('username')} label="Username" autoComplete="username" maxLength={64} />
      <Field
        {...fieldWiring('email')}
        label="Email"
        type="email"
        autoComplete="email"
        maxLength={254}
        optional
      />
      <Field
        {...fieldWiring('password')}
        label="Password"
        type="password"
        hint={`At least ${MIN_PASSWORD_LENGTH} characters.`}
        autoComplete="new-password"
        maxLength={256}
      />
      <Field
        {...fieldWiring('confirm')}
        label="Confirm Password"
        type="password"
        autoComplete="new-password"
        maxLength={256}
      />
      <FormActions
        submitLabel="Create Admin Account"
        busyLabel="Creating Admin..."
        isBusy={isBusy}
        isDisabled={wait.secondsLeft > 0}
      />
      {wait.secondsLeft > 0 ? (
        <p className={styles.quiet}>You can try again in {waitText(wait.secondsLeft)}.</p>
      ) : null}
    </form>
  );
}
