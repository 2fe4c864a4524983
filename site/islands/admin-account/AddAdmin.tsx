import { type SubmitEvent, useState } from 'react';
import { isAdminRole } from '../../../data/model/admin-roles.ts';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { SelectField } from '../form/SelectField.tsx';
import { change } from './account-calls.ts';
import { ChangeNotice } from './ChangeNotice.tsx';
import { newPasswordFault, PASSWORD_HINT } from './new-password-fault.ts';
import { ROLE_CHOICES } from './role-choices.ts';
import { SecretField } from './SecretField.tsx';
import { useChange } from './use-change.ts';

interface AddAdminProps {
  readonly onAdded: () => void;
  readonly onClose: () => void;
}

/** Creates another admin, who is told the first password by whoever makes it up. */
export function AddAdmin({ onAdded, onClose }: AddAdminProps) {
  const [username, setUsername] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const adding = useChange();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (username.trim() === '') return adding.refuse('Give the username.');
    if (!isAdminRole(role)) return adding.refuse('Choose the role.');
    const fault = newPasswordFault(password, again);
    if (fault !== null) return adding.refuse(fault);
    const mail = email.trim();
    void adding.run(
      () =>
        change('/api/admin/team/add', { username, password, role, ...(mail === '' ? {} : { email: mail }) }),
      () => {
        for (const clear of [setUsername, setEmail, setRole, setPassword, setAgain]) clear('');
        onAdded();
        return `${username.trim()} can sign in now. Tell them the password, which they should change.`;
      },
    );
  };
  return (
    <ModalDialog labelledby="add-admin" isBusy={adding.isBusy} onClose={onClose}>
      {(close) => (
        <form className={form.form} onSubmit={submit} aria-labelledby="add-admin" noValidate>
          <h2 id="add-admin">Add Admin</h2>
          <Field
            id="add-username"
            name="username"
            value={username}
            fault={null}
            onValue={setUsername}
            label="Username"
            autoComplete="off"
            maxLength={64}
          />
          <Field
            id="add-email"
            name="email"
            value={email}
            fault={null}
            onValue={setEmail}
            label="Email"
            type="email"
            autoComplete="off"
            maxLength={254}
            optional
          />
          <SelectField
            id="add-role"
            name="role"
            value={role}
            fault={null}
            onValue={setRole}
            label="Role"
            choices={ROLE_CHOICES}
          />
          <div className={form.two}>
            <SecretField
              id="add-password"
              label="Password"
              value={password}
              onValue={setPassword}
              hint={PASSWORD_HINT}
              isNew
            />
            <SecretField
              id="add-confirm"
              label="Confirm Password"
              value={again}
              onValue={setAgain}
              hint="The same again."
              isNew
            />
          </div>
          <ChangeNotice state={adding.state} />
          <p className={form.ways}>
            <button type="submit" className="button gold" disabled={adding.isBusy}>
              {adding.isBusy ? 'Adding...' : 'Add'}
            </button>
            <button type="button" className="button" disabled={adding.isBusy} onClick={close}>
              Close
            </button>
          </p>
        </form>
      )}
    </ModalDialog>
  );
}
