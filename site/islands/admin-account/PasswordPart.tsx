import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import form from '../form/form.module.css';
import { change, sessionsQuery } from './account-calls.ts';
import styles from './admin-account.module.css';
import { ChangeNotice } from './ChangeNotice.tsx';
import { newPasswordFault, PASSWORD_HINT } from './new-password-fault.ts';
import { SecretField } from './SecretField.tsx';
import { useChange } from './use-change.ts';

/** Changes one's own password. @param username tells password managers whose it is */
export function PasswordPart({ username }: { readonly username: string }) {
  const client = useQueryClient();
  const [current, setCurrent] = useState('');
  const [chosen, setChosen] = useState('');
  const [again, setAgain] = useState('');
  const changing = useChange();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fault = current === '' ? 'Give the password that holds now.' : newPasswordFault(chosen, again);
    if (fault !== null) return changing.refuse(fault);
    void changing.run(
      () => change('/api/admin/password', { password: current, newPassword: chosen }),
      () => {
        for (const clear of [setCurrent, setChosen, setAgain]) clear('');
        void client.invalidateQueries(sessionsQuery());
        return 'Your password is changed, and every other session of yours has ended.';
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
        <SecretField id="current-password" label="Current Password" value={current} onValue={setCurrent} />
        <SecretField
          id="new-password"
          label="New Password"
          value={chosen}
          onValue={setChosen}
          hint={PASSWORD_HINT}
          isNew
        />
        <SecretField
          id="confirm-password"
          label="Confirm New Password"
          value={again}
          onValue={setAgain}
          isNew
        />
        <ChangeNotice state={changing.state} />
        <p className={form.ways}>
          <button type="submit" className="button gold" disabled={changing.isBusy}>
            {changing.isBusy ? 'Changing Password...' : 'Change Password'}
          </button>
        </p>
      </form>
    </section>
  );
}
