import { type SubmitEvent, useState } from 'react';
import { isAdminRole } from '../../../data/model/admin-roles.ts';
import form from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { SelectField } from '../form/SelectField.tsx';
import { change, type TeamMember } from './account-calls.ts';
import styles from './admin-account.module.css';
import { ChangeNotice } from './ChangeNotice.tsx';
import { newPasswordFault, PASSWORD_HINT } from './new-password-fault.ts';
import { ROLE_CHOICES } from './role-choices.ts';
import { SecretField } from './SecretField.tsx';
import { type Change, useChange } from './use-change.ts';

interface ManageAdminProps {
  readonly member: TeamMember;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

interface PartProps {
  readonly member: TeamMember;
  readonly changing: Change;
  readonly onChanged: () => void;
}

/** What an owner does with the account of another admin. */
export function ManageAdmin({ member, onChanged, onClose }: ManageAdminProps) {
  const changing = useChange();
  const part = { member, changing, onChanged };
  return (
    <ModalDialog labelledby="manage-admin" isBusy={changing.isBusy} onClose={onClose}>
      {(close) => (
        <div className={form.form}>
          <h2 id="manage-admin">Manage {member.username}</h2>
          <ChangeNotice state={changing.state} />
          <RolePart {...part} />
          <AccessPart {...part} />
          <ResetPart {...part} />
          <p className={form.ways}>
            <button type="button" className="button" disabled={changing.isBusy} onClick={close}>
              Close
            </button>
          </p>
        </div>
      )}
    </ModalDialog>
  );
}

function RolePart({ member, changing, onChanged }: PartProps) {
  const [role, setRole] = useState<string>(member.role);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isAdminRole(role)) return changing.refuse('Choose the role.');
    void changing.run(
      () => change('/api/admin/team/role', { id: member.id, role }),
      () => {
        onChanged();
        return `${member.username} has the role ${role} from now on.`;
      },
    );
  };
  return (
    <form className={styles.own} onSubmit={submit} aria-label="Role" noValidate>
      <SelectField
        id="manage-role"
        name="role"
        value={role}
        fault={null}
        onValue={setRole}
        label="Role"
        choices={ROLE_CHOICES}
      />
      <p className={form.ways}>
        <button type="submit" className="button" disabled={changing.isBusy || role === member.role}>
          Save Role
        </button>
      </p>
    </form>
  );
}

function AccessPart({ member, changing, onChanged }: PartProps) {
  const { id, username, disabledAt } = member;
  const isOut = disabledAt !== null;
  const turn = () =>
    void changing.run(
      () => (isOut ? change('/api/admin/team/enable', { id }) : change('/api/admin/team/disable', { id })),
      () => {
        onChanged();
        return isOut ? `${username} may sign in again.` : `${username} is shut out, and signed out.`;
      },
    );
  return (
    <section className={styles.own} aria-labelledby="manage-access">
      <h3 id="manage-access">Access</h3>
      <p className={styles.quiet}>
        {isOut
          ? 'This admin is shut out and cannot sign in.'
          : 'Shutting an admin out ends its sessions at once. It can be let in again.'}
      </p>
      <p className={form.ways}>
        <button type="button" className="button" disabled={changing.isBusy} onClick={turn}>
          {isOut ? 'Let In Again' : 'Shut Out'}
        </button>
      </p>
    </section>
  );
}

function ResetPart({ member, changing, onChanged }: PartProps) {
  const { id, username, hasTotp } = member;
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [removeTotp, setRemoveTotp] = useState(false);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fault = newPasswordFault(password, again);
    if (fault !== null) return changing.refuse(fault);
    void changing.run(
      () => change('/api/admin/team/reset-password', { id, newPassword: password, removeTotp }),
      () => {
        setPassword('');
        setAgain('');
        setRemoveTotp(false);
        onChanged();
        return `The password of ${username} is reset, and its sessions have ended.`;
      },
    );
  };
  return (
    <form className={styles.own} onSubmit={submit} aria-labelledby="manage-reset" noValidate>
      <h3 id="manage-reset">Reset the password</h3>
      <div className={form.two}>
        <SecretField
          id="reset-password"
          label="New Password"
          value={password}
          onValue={setPassword}
          hint={PASSWORD_HINT}
          isNew
        />
        <SecretField
          id="reset-confirm"
          label="Confirm New Password"
          value={again}
          onValue={setAgain}
          hint="The same again."
          isNew
        />
      </div>
      {hasTotp ? (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={removeTotp}
            onChange={({ target }) => setRemoveTotp(target.checked)}
          />
          Turn off its two-factor authentication, too: the app and the recovery codes are lost
        </label>
      ) : null}
      <p className={form.ways}>
        <button type="submit" className="button" disabled={changing.isBusy}>
          Reset Password
        </button>
      </p>
    </form>
  );
}
