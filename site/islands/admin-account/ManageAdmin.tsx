import { type SubmitEvent, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { isAdminRole } from '../../../data/model/admin-rules.ts';
import { type ChangeSender, type TeamMember, useChange } from '../admin/admin-calls.ts';
import {
  FormActions,
  Notice,
  OWN_PASSWORD_NEEDED,
  OwnPasswordField,
  ROLE_CHOICES,
} from '../admin/form-parts.tsx';
import { type FieldValueProps, SelectField } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import styles from './admin-account.module.css';

export const ROLE_NEEDED = 'Choose a role.';

export function RoleField(field: Pick<FieldValueProps, 'id' | 'value' | 'onValue'>) {
  return <SelectField {...field} name="role" label="Role" choices={ROLE_CHOICES} />;
}

interface ManageAdminProps {
  readonly member: TeamMember;
  readonly sendsMail: boolean;
  readonly onClose: () => void;
}

interface SectionProps {
  readonly member: TeamMember;
  readonly change: ChangeSender;
}

interface OwnPasswordProps extends SectionProps {
  readonly ownPassword: string;
}

export function ManageAdmin({ member, sendsMail, onClose }: ManageAdminProps) {
  const change = useChange();
  const [ownPassword, setOwnPassword] = useState('');
  const section = { member, change };
  return (
    <ModalDialog labelledby="manage-admin" isBusy={change.isBusy} onClose={onClose}>
      {(close) => (
        <div className={form.form}>
          <h2 id="manage-admin">Manage {member.username}</h2>
          <Notice notice={change.notice} />
          <Access {...section} />
          <OwnPasswordField id="manage-own" value={ownPassword} onValue={setOwnPassword} />
          <RoleForm {...section} ownPassword={ownPassword} />
          <PasswordReset {...section} ownPassword={ownPassword} sendsMail={sendsMail} />
          <p className={form.actions}>
            <button type="button" className="button" disabled={change.isBusy} onClick={close}>
              Close
            </button>
          </p>
        </div>
      )}
    </ModalDialog>
  );
}

function RoleForm({ member, change, ownPassword }: OwnPasswordProps) {
  const [role, setRole] = useState<string>(member.role);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isAdminRole(role)) return change.showError(ROLE_NEEDED);
    if (ownPassword === '') return change.showError(OWN_PASSWORD_NEEDED);
    const { id, username } = member;
    void change.sendAndNotify(
      PATHS.changeRole,
      { id, role, ownPassword },
      () => `${username}'s role is now ${role}.`,
    );
  };
  return (
    <form className={styles.own} onSubmit={submit} aria-label="Role" noValidate>
      <RoleField id="manage-role" value={role} onValue={setRole} />
      <FormActions submitLabel="Save role" isBusy={change.isBusy} isDisabled={role === member.role} isPlain />
    </form>
  );
}

function Access({ member, change }: SectionProps) {
  const { id, username, disabledAt } = member;
  const isDisabled = disabledAt !== null;
  const toggle = () =>
    isDisabled
      ? change.sendAndNotify(PATHS.enableAdmin, { id }, () => `${username} can sign in again.`)
      : change.sendAndNotify(PATHS.disableAdmin, { id }, () => `${username} was deactivated and signed out.`);
  return (
    <section className={styles.own} aria-labelledby="manage-access">
      <h3 id="manage-access">Access</h3>
      <p className={styles.quiet}>
        {isDisabled
          ? "This account is deactivated and can't sign in."
          : 'Deactivating signs the admin out at once. You can reactivate the account later.'}
      </p>
      <p className={form.actions}>
        <button type="button" className="button" disabled={change.isBusy} onClick={() => void toggle()}>
          {isDisabled ? 'Reactivate' : 'Deactivate'}
        </button>
      </p>
    </section>
  );
}

function PasswordReset({ member, change, ownPassword, sendsMail }: OwnPasswordProps & SendsMailProps) {
  const { id, username, email, hasTotp, passkeys } = member;
  const [removeSecondFactors, setRemoveSecondFactors] = useState(false);
  const [link, setLink] = useState<string | null>(null);
  const isMailed = sendsMail && email !== null;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (ownPassword === '') return change.showError(OWN_PASSWORD_NEEDED);
    void change.sendAndNotify(PATHS.resetPassword, { id, removeSecondFactors, ownPassword }, (response) => {
      setRemoveSecondFactors(false);
      setLink(response.link);
      return response.link === null
        ? `The link was sent to ${email}.`
        : `Send the link below to ${username}.`;
    });
  };
  return (
    <form className={styles.own} onSubmit={submit} aria-labelledby="manage-reset" noValidate>
      <h3 id="manage-reset">Reset password</h3>
      <p className={styles.quiet}>
        {isMailed
          ? `${username} gets an email with a link to set a new password.`
          : `You get a link to send to ${username}, who can set a new password with it.`}{' '}
        Until then, the current password works. To stop all access now, deactivate the account.
      </p>
      {hasTotp || passkeys > 0 ? (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={removeSecondFactors}
            onChange={({ target }) => setRemoveSecondFactors(target.checked)}
          />
          Also remove their second factors. Their app, recovery codes and passkeys will stop working.
        </label>
      ) : null}
      {link === null ? null : <OneTimeLink link={link} sendsMail={sendsMail} />}
      <FormActions
        submitLabel={isMailed ? 'Send reset link' : 'Create reset link'}
        isBusy={change.isBusy}
        isPlain
      />
    </form>
  );
}

interface SendsMailProps {
  readonly sendsMail: boolean;
}

export function OneTimeLink({ link, sendsMail }: SendsMailProps & { readonly link: string }) {
  return (
    <div className={styles.link}>
      <p>
        {sendsMail ? 'The account has no email address' : 'No mail server is configured'}, so send this link
        through a channel that you trust. It is shown only once.
      </p>
      <p className={styles.secret}>{link}</p>
      <CopyButton text={link} name="link" showsName />
    </div>
  );
}
