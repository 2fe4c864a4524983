import { type SubmitEvent, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { isAdminRole } from '../../../data/model/admin-rules.ts';
import { type Change, type TeamMember, useChange } from '../admin/admin-calls.ts';
import {
  FormActions,
  NewPasswordFields,
  NO_PASSWORD,
  Notice,
  newPasswordError,
  OWN_PASSWORD_NEEDED,
  OwnPasswordField,
  ROLE_CHOICES,
} from '../admin/form-parts.tsx';
import { Field, type FieldWiring, SelectField } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import styles from './admin-account.module.css';

const ROLE_NEEDED = 'Choose a role.';

function RoleField(field: Pick<FieldWiring, 'id' | 'value' | 'onValue'>) {
  return <SelectField {...field} name="role" label="Role" choices={ROLE_CHOICES} />;
}

const EMPTY = { username: '', email: '', role: '' };

/** Adds an admin with a password that the owner sends them. */
export function AddAdmin({ onClose }: { readonly onClose: () => void }) {
  const [values, setValues] = useState(EMPTY);
  const [password, setPassword] = useState(NO_PASSWORD);
  const [ownPassword, setOwnPassword] = useState('');
  const { isBusy, notice, run, refuse } = useChange();
  const set = (name: keyof typeof EMPTY) => (value: string) =>
    setValues((before) => ({ ...before, [name]: value }));
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { username, role } = values;
    const email = values.email.trim();
    if (username.trim() === '') return refuse('Enter a username.');
    if (!isAdminRole(role)) return refuse(ROLE_NEEDED);
    const error = newPasswordError(password);
    if (error !== null) return refuse(error);
    if (ownPassword === '') return refuse(OWN_PASSWORD_NEEDED);
    const account = { username, password: password.password, role, ...(email === '' ? {} : { email }) };
    const admin = { ...account, ownPassword };
    void run(PATHS.addToTeam, admin, () => {
      setValues(EMPTY);
      setPassword(NO_PASSWORD);
      setOwnPassword('');
      return `${username.trim()} can sign in now. Send them the password and ask them to change it.`;
    });
  };
  return (
    <ModalDialog labelledby="add-admin" isBusy={isBusy} onClose={onClose}>
      {(close) => (
        <form className={form.form} onSubmit={submit} aria-labelledby="add-admin" noValidate>
          <h2 id="add-admin">Add admin</h2>
          <Field
            id="add-username"
            name="username"
            value={values.username}
            onValue={set('username')}
            label="Username"
            autoComplete="off"
            maxLength={64}
          />
          <Field
            id="add-email"
            name="email"
            value={values.email}
            onValue={set('email')}
            label="Email"
            type="email"
            autoComplete="off"
            maxLength={254}
            optional
          />
          <RoleField id="add-role" value={values.role} onValue={set('role')} />
          <div className={form.two}>
            <NewPasswordFields prefix="add" label="Password" value={password} onValue={setPassword} />
          </div>
          <OwnPasswordField id="add-own" value={ownPassword} onValue={setOwnPassword} />
          <Notice notice={notice} />
          <FormActions submit="Add" busy="Adding..." isBusy={isBusy} cancel="Close" onCancel={close} />
        </form>
      )}
    </ModalDialog>
  );
}

interface ManageAdminProps {
  readonly member: TeamMember;
  readonly onClose: () => void;
}

interface SectionProps {
  readonly member: TeamMember;
  readonly changing: Change;
}

interface OwnPasswordProps extends SectionProps {
  /** The owner's own password; empty if it was not typed yet. */
  readonly ownPassword: string;
}

/** The dialog in which an owner changes another admin's access, role and password. */
export function ManageAdmin({ member, onClose }: ManageAdminProps) {
  const changing = useChange();
  const [ownPassword, setOwnPassword] = useState('');
  const section = { member, changing };
  return (
    <ModalDialog labelledby="manage-admin" isBusy={changing.isBusy} onClose={onClose}>
      {(close) => (
        <div className={form.form}>
          <h2 id="manage-admin">Manage {member.username}</h2>
          <Notice notice={changing.notice} />
          <Access {...section} />
          <OwnPasswordField id="manage-own" value={ownPassword} onValue={setOwnPassword} />
          <Role {...section} ownPassword={ownPassword} />
          <PasswordReset {...section} ownPassword={ownPassword} />
          <p className={form.actions}>
            <button type="button" className="button" disabled={changing.isBusy} onClick={close}>
              Close
            </button>
          </p>
        </div>
      )}
    </ModalDialog>
  );
}

function Role({ member, changing, ownPassword }: OwnPasswordProps) {
  const [role, setRole] = useState<string>(member.role);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isAdminRole(role)) return changing.refuse(ROLE_NEEDED);
    if (ownPassword === '') return changing.refuse(OWN_PASSWORD_NEEDED);
    const { id, username } = member;
    void changing.run(
      PATHS.changeRole,
      { id, role, ownPassword },
      () => `${username}'s role is now ${role}.`,
    );
  };
  return (
    <form className={styles.own} onSubmit={submit} aria-label="Role" noValidate>
      <RoleField id="manage-role" value={role} onValue={setRole} />
      <FormActions submit="Save role" isBusy={changing.isBusy} isDisabled={role === member.role} isPlain />
    </form>
  );
}

function Access({ member, changing }: SectionProps) {
  const { id, username, disabledAt } = member;
  const isDisabled = disabledAt !== null;
  const toggle = () =>
    isDisabled
      ? changing.run(PATHS.enableAdmin, { id }, () => `${username} can sign in again.`)
      : changing.run(PATHS.disableAdmin, { id }, () => `${username} was deactivated and signed out.`);
  return (
    <section className={styles.own} aria-labelledby="manage-access">
      <h3 id="manage-access">Access</h3>
      <p className={styles.quiet}>
        {isDisabled
          ? "This account is deactivated and can't sign in."
          : 'Deactivating signs the admin out at once. You can reactivate the account later.'}
      </p>
      <p className={form.actions}>
        <button type="button" className="button" disabled={changing.isBusy} onClick={() => void toggle()}>
          {isDisabled ? 'Reactivate' : 'Deactivate'}
        </button>
      </p>
    </section>
  );
}

function PasswordReset({ member, changing, ownPassword }: OwnPasswordProps) {
  const { id, username, hasTotp } = member;
  const [password, setPassword] = useState(NO_PASSWORD);
  const [removeTotp, setRemoveTotp] = useState(false);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const error = newPasswordError(password);
    if (error !== null) return changing.refuse(error);
    if (ownPassword === '') return changing.refuse(OWN_PASSWORD_NEEDED);
    const reset = { id, newPassword: password.password, removeTotp, ownPassword };
    void changing.run(PATHS.resetPassword, reset, () => {
      setPassword(NO_PASSWORD);
      setRemoveTotp(false);
      return `${username}'s password was reset, and all of their sessions have ended.`;
    });
  };
  return (
    <form className={styles.own} onSubmit={submit} aria-labelledby="manage-reset" noValidate>
      <h3 id="manage-reset">Reset password</h3>
      <div className={form.two}>
        <NewPasswordFields prefix="reset" label="New password" value={password} onValue={setPassword} />
      </div>
      {hasTotp ? (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={removeTotp}
            onChange={({ target }) => setRemoveTotp(target.checked)}
          />
          Also turn off two-factor authentication. Their app and recovery codes will stop working.
        </label>
      ) : null}
      <FormActions submit="Reset password" isBusy={changing.isBusy} isPlain />
    </form>
  );
}
