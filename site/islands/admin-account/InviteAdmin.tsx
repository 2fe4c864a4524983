import { type SubmitEvent, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { isAdminRole } from '../../../data/model/admin-rules.ts';
import { isMailAddress } from '../../../data/model/form-text.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import { useChange } from '../admin/admin-calls.ts';
import { FormActions, Notice, OWN_PASSWORD_NEEDED, OwnPasswordField } from '../admin/form-parts.tsx';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { OneTimeLink, ROLE_NEEDED, RoleField } from './ManageAdmin.tsx';

interface InviteAdminProps {
  /** Empty for a new invitation; otherwise, the address whose unused link is renewed. */
  readonly initialEmail: string;
  readonly sendsMail: boolean;
  readonly onClose: () => void;
}

/** A second invitation to the same address replaces the first one. */
export function InviteAdmin({ initialEmail, sendsMail, onClose }: InviteAdminProps) {
  const initialValues = { email: initialEmail, username: '', role: '' };
  const [values, setValues] = useState(initialValues);
  const [ownPassword, setOwnPassword] = useState('');
  const [link, setLink] = useState<string | null>(null);
  const { isBusy, notice, sendAndNotify, showError } = useChange();
  const setField = (name: keyof typeof initialValues) => (value: string) =>
    setValues((before) => ({ ...before, [name]: value }));
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { role } = values;
    const email = values.email.trim();
    const username = values.username.trim();
    if (!isMailAddress(email)) return showError('Enter an email address such as name@example.com.');
    if (!isAdminRole(role)) return showError(ROLE_NEEDED);
    if (ownPassword === '') return showError(OWN_PASSWORD_NEEDED);
    setLink(null);
    const invitation = { email, role, ...(username === '' ? {} : { username }), ownPassword };
    void sendAndNotify(PATHS.inviteToTeam, invitation, (response) => {
      setValues({ email: '', username: '', role: '' });
      setOwnPassword('');
      setLink(response.link);
      return response.link === null
        ? `The invitation was sent to ${email}.`
        : `Send the link below to ${email}.`;
    });
  };
  return (
    <ModalDialog labelledby="invite-admin" isBusy={isBusy} onClose={onClose}>
      {(close) => (
        <form className={form.form} onSubmit={submit} aria-labelledby="invite-admin" noValidate>
          <h2 id="invite-admin">Invite admin</h2>
          <p>
            {sendsMail ? 'The person gets a link by email' : 'You get a link for the person'}. The link works
            once, within {PORTAL_LIMITS.adminLinkHours} hours.
          </p>
          <Field
            id="invite-email"
            name="email"
            value={values.email}
            onValue={setField('email')}
            label="Email"
            type="email"
            autoComplete="off"
            maxLength={254}
          />
          <Field
            id="invite-username"
            name="username"
            value={values.username}
            onValue={setField('username')}
            label="Username"
            hint="Leave it empty to let the person choose."
            autoComplete="off"
            maxLength={64}
            optional
          />
          <RoleField id="invite-role" value={values.role} onValue={setField('role')} />
          <OwnPasswordField id="invite-own" value={ownPassword} onValue={setOwnPassword} />
          <Notice notice={notice} />
          {link === null ? null : <OneTimeLink link={link} sendsMail={sendsMail} />}
          <FormActions
            submitLabel="Invite"
            busyLabel="Inviting..."
            isBusy={isBusy}
            cancelLabel="Close"
            onCancel={close}
          />
        </form>
      )}
    </ModalDialog>
  );
}
