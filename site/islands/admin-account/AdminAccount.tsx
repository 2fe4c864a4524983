import { useQuery } from '@tanstack/react-query';
import { lazy, type SubmitEvent, Suspense, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { mayActAs } from '../../../data/model/admin-rules.ts';
import { AdminPage, Loaded } from '../admin/AdminPage.tsx';
import { type OwnSession, ownSessionQuery, useChange } from '../admin/admin-calls.ts';
import {
  EMPTY_NEW_PASSWORD,
  FormActions,
  NewPasswordFields,
  Notice,
  newPasswordError,
  SecretField,
} from '../admin/form-parts.tsx';
import form from '../form/form.module.css';
import styles from './admin-account.module.css';
import { Passkeys } from './Passkeys.tsx';
import { Sessions } from './Sessions.tsx';
import { TwoFactor } from './TwoFactor.tsx';

const Team = lazy(() => import('./Team.tsx'));
const WeeklyReport = lazy(() => import('./WeeklyReport.tsx'));

export default function AdminAccount() {
  return (
    <AdminPage>
      <Account />
    </AdminPage>
  );
}

function Account() {
  return (
    <Loaded reading={useQuery(ownSessionQuery())} what="your account">
      {(session) => <Sections session={session} />}
    </Loaded>
  );
}

function Sections({ session }: { readonly session: OwnSession }) {
  const { username, role } = session.user;
  return (
    <div className={styles.account}>
      <div className={styles.pair}>
        <OwnPassword username={username} />
        <TwoFactor session={session} />
      </div>
      <Passkeys />
      <Sessions />
      <Suspense fallback={null}>
        <WeeklyReport />
        {mayActAs(role, 'owner') ? <Team /> : null}
      </Suspense>
    </div>
  );
}

/** The form has a hidden username field, which password managers need. */
function OwnPassword({ username }: { readonly username: string }) {
  const [current, setCurrent] = useState('');
  const [newPassword, setNewPassword] = useState(EMPTY_NEW_PASSWORD);
  const { isBusy, notice, sendAndNotify, showError } = useChange();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const error = current === '' ? 'Enter your current password.' : newPasswordError(newPassword);
    if (error !== null) return showError(error);
    void sendAndNotify(
      PATHS.changeOwnPassword,
      { password: current, newPassword: newPassword.password },
      () => {
        setCurrent('');
        setNewPassword(EMPTY_NEW_PASSWORD);
        return 'Your password was changed. Your other sessions have ended.';
      },
    );
  };
  return (
    <section aria-labelledby="password">
      <h2 id="password" className={styles.head}>
        Password
      </h2>
      <form className={`${form.form} ${styles.part}`} onSubmit={submit} aria-labelledby="password" noValidate>
        <input type="text" name="username" value={username} autoComplete="username" readOnly hidden />
        <SecretField id="current-password" label="Current password" value={current} onValue={setCurrent} />
        <NewPasswordFields prefix="new" label="New password" value={newPassword} onValue={setNewPassword} />
        <Notice notice={notice} />
        <FormActions submitLabel="Change password" busyLabel="Changing password..." isBusy={isBusy} />
      </form>
    </section>
  );
}
