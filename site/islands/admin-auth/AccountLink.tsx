import { type SubmitEvent, useEffect, useLayoutEffect, useState } from 'react';
import { takeToken } from '../../data/link-token.ts';
import { LOGIN_PATH, storeAdminSession } from '../admin/admin-session.ts';
import {
  EMPTY_NEW_PASSWORD,
  Failure,
  FormActions,
  NewPasswordFields,
  newPasswordError,
} from '../admin/form-parts.tsx';
import { Field } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import {
  type AccountLinkDetails,
  logIn,
  readLink,
  setPasswordByLink,
  useWait,
  waitText,
} from './auth-calls.ts';

const SECOND_FACTOR_URL = '/admin/account#two-factor';

type Stage =
  | { readonly kind: 'loading' }
  | { readonly kind: 'open'; readonly token: string; readonly link: AccountLinkDetails }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'done' };

const NO_TOKEN = 'This page needs the whole link from your email. Open the link again.';

/** Sets the password of an account with the one-time link of an invitation or a password reset. */
export default function AccountLink() {
  const [stage, setStage] = useState<Stage>({ kind: 'loading' });
  useLayoutEffect(() => {
    let latestReadId = 0;
    const open = async () => {
      const token = takeToken();
      if (token === null) return;
      latestReadId += 1;
      const readId = latestReadId;
      const outcome = await readLink(token);
      if (readId !== latestReadId) return;
      setStage(outcome.kind === 'refused' ? outcome : { kind: 'open', token, link: outcome });
    };
    if (!location.hash.includes('token=')) setStage({ kind: 'refused', message: NO_TOKEN });
    void open();
    // Pasting a link into the open page changes only the fragment, so the page is not reloaded.
    const reopen = () => void open();
    addEventListener('hashchange', reopen);
    return () => {
      latestReadId = Number.NaN;
      removeEventListener('hashchange', reopen);
    };
  }, []);

  switch (stage.kind) {
    case 'loading':
      return <p className="script-only">Loading...</p>;
    case 'refused':
      return <Failure message={stage.message} />;
    case 'open':
      return (
        <PasswordForm
          key={stage.token}
          token={stage.token}
          link={stage.link}
          onDone={() => setStage({ kind: 'done' })}
        />
      );
    case 'done':
      return (
        <div className={styles.form} data-stage="done">
          <p className={styles.banner} role="status">
            Your new password is set. You can sign in with it now.
          </p>
          <p className={styles.actions}>
            <a className="button gold" href={LOGIN_PATH}>
              Admin login
            </a>
          </p>
        </div>
      );
  }
}

interface PasswordFormProps {
  readonly token: string;
  readonly link: AccountLinkDetails;
  /** Called if the admin has to sign in. */
  readonly onDone: () => void;
}

function PasswordForm({ token, link, onDone }: PasswordFormProps) {
  const isInvitation = link.kind === 'invitation';
  const [username, setUsername] = useState(link.username ?? '');
  const [newPassword, setNewPassword] = useState(EMPTY_NEW_PASSWORD);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const wait = useWait();
  useEffect(() => {
    document.getElementById(link.username === null ? 'link-username' : 'link-password')?.focus();
  }, [link]);

  /**
   * Signs in an invited admin and opens the page for adding a second factor. After a password reset, or if signing in
   * fails, calls `onDone`.
   */
  const signIn = async (name: string) => {
    const outcome = isInvitation ? await logIn({ username: name, password: newPassword.password }) : null;
    if (outcome?.kind !== 'signed-in') return onDone();
    try {
      storeAdminSession(outcome.sessionId, { username: outcome.username });
      location.replace(SECOND_FACTOR_URL);
    } catch {
      // Storage is blocked. The login page explains the problem.
      onDone();
    }
  };
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy || wait.secondsLeft > 0) return;
    if (username.trim() === '') return setFailure('Enter a username.');
    const error = newPasswordError(newPassword);
    if (error !== null) return setFailure(error);
    setBusy(true);
    setFailure(null);
    const chosenUsername = link.username === null ? { username } : {};
    const outcome = await setPasswordByLink({ token, password: newPassword.password, ...chosenUsername });
    if (outcome.kind === 'done') return signIn(outcome.username);
    setBusy(false);
    setFailure(outcome.message);
    wait.start(outcome.waitSeconds);
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-labelledby="account-link" noValidate>
      <p>
        {isInvitation
          ? `You have been invited to the team as ${link.role}. Once you have joined, you can add a second factor.`
          : 'Set a new password. All sessions of your account will end.'}
      </p>
      {failure === null ? null : <Failure message={failure} />}
      {link.username === null ? (
        <Field
          id="link-username"
          name="username"
          value={username}
          onValue={setUsername}
          label="Username"
          autoComplete="username"
          maxLength={64}
        />
      ) : (
        <>
          <p>
            Username: <strong>{username}</strong>
          </p>
          {/* Password managers save this username with the password. */}
          <input type="text" name="username" value={username} autoComplete="username" readOnly hidden />
        </>
      )}
      <NewPasswordFields prefix="link" label="Password" value={newPassword} onValue={setNewPassword} />
      <FormActions
        submitLabel={isInvitation ? 'Join the team' : 'Set password'}
        busyLabel="Saving..."
        isBusy={isBusy}
        isDisabled={wait.secondsLeft > 0}
      />
      {wait.secondsLeft > 0 ? (
        <p className={styles.quiet}>You can try again in {waitText(wait.secondsLeft)}.</p>
      ) : null}
    </form>
  );
}
