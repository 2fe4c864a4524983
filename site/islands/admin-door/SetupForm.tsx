import { type SubmitEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { isLongEnough, PASSWORD_TOO_SHORT } from '../../../data/model/admin-rules.ts';
import { isMailAddress } from '../../../data/model/form-text.ts';
import { FaultSummary } from '../form/FaultSummary.tsx';
import { Field, type FieldWiring } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import { createFirstAdmin } from './door-calls.ts';
import { useWait, waitText } from './use-wait.ts';

const BLANK = { username: '', email: '', password: '', confirm: '' };
type Name = keyof typeof BLANK;

/** The fault of each field in words. */
function faultsOf({ username, email, password, confirm }: typeof BLANK): Partial<Record<Name, string>> {
  return {
    ...(username.trim() === '' ? { username: 'Give the username.' } : {}),
    ...(email.trim() === '' || isMailAddress(email.trim())
      ? {}
      : { email: 'Give a mail address such as name@example.com, or leave it empty.' }),
    ...(isLongEnough(password) ? {} : { password: PASSWORD_TOO_SHORT }),
    ...(password === confirm ? {} : { confirm: 'Passwords do not match' }),
  };
}

interface SetupFormProps {
  /** Of the one-time link; null without one. */
  readonly token: string | null;
  readonly onCreated: () => void;
  /** An admin was there already. */
  readonly onClosed: () => void;
}

/** Creates the first admin. */
export function SetupForm({ token, onCreated, onClosed }: SetupFormProps) {
  const summary = useRef<HTMLDivElement>(null);
  const [isAwake, setAwake] = useState(false);
  const [values, setValues] = useState(BLANK);
  const [isChecked, setChecked] = useState(false);
  const [refusals, setRefusals] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const wait = useWait();
  useLayoutEffect(() => setAwake(true), []);
  useEffect(() => {
    if (refusals > 0) summary.current?.focus();
  }, [refusals]);

  const faults = isChecked ? faultsOf(values) : {};
  const field = (name: Name): FieldWiring => ({
    id: `setup-${name}`,
    name,
    value: values[name],
    fault: faults[name] ?? null,
    onValue: (value) => setValues((before) => ({ ...before, [name]: value })),
  });
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy || wait.left > 0) return;
    setChecked(true);
    setFailure(null);
    if (Object.keys(faultsOf(values)).length > 0) {
      setRefusals((count) => count + 1);
      return;
    }
    setBusy(true);
    const { username, password } = values;
    const email = values.email.trim();
    const outcome = await createFirstAdmin({ username, password, ...(email === '' ? {} : { email }) }, token);
    setBusy(false);
    if (outcome.kind === 'created') return onCreated();
    if (outcome.kind === 'closed') return onClosed();
    setFailure(outcome.words);
    wait.begin(outcome.waitFor);
  };
  const found = Object.entries(faults).map(([name, words]) => ({ id: `setup-${name}`, words }));
  return (
    <form className={`${styles.form} script-only`} onSubmit={submit} aria-labelledby="setup" noValidate>
      <FaultSummary faults={found} summary={summary} />
      {failure === null ? null : (
        <div className={styles.failure} role="alert">
          <p className={styles.title}>{failure}</p>
        </div>
      )}
      <Field {...field('username')} label="Username" autoComplete="username" maxLength={64} />
      <Field {...field('email')} label="Email" type="email" autoComplete="email" maxLength={254} optional />
      <Field
        {...field('password')}
        label="Password"
        type="password"
        hint="At least 6 characters."
        autoComplete="new-password"
        maxLength={256}
      />
      <Field
        {...field('confirm')}
        label="Confirm Password"
        type="password"
        autoComplete="new-password"
        maxLength={256}
      />
      <p className={styles.ways}>
        <button type="submit" className="button gold" disabled={!isAwake || isBusy || wait.left > 0}>
          {isBusy ? 'Creating Admin...' : 'Create Admin Account'}
        </button>
      </p>
      {wait.left > 0 ? <p className={styles.quiet}>You can try again in {waitText(wait.left)}.</p> : null}
    </form>
  );
}
