import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import type { createPasskey } from '../../data/passkeys.ts';
import { Loaded } from '../admin/AdminPage.tsx';
import { passkeysQuery, useChange } from '../admin/admin-calls.ts';
import { FormActions, Notice, SecretField } from '../admin/form-parts.tsx';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import styles from './admin-account.module.css';
import { AccountTable, Age } from './Sessions.tsx';

const NOT_CREATED =
  'No passkey was created. You cancelled, it took too long, or this device already has one of your passkeys.';

type Action =
  | { readonly kind: 'add' }
  | { readonly kind: 'remove'; readonly id: string; readonly name: string };

export function Passkeys() {
  const reading = useQuery(passkeysQuery());
  const [action, setAction] = useState<Action | null>(null);
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const change = useChange();
  const formElement = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // Focuses the first field of the form, because the button that had the focus is gone.
    if (action !== null) formElement.current?.querySelector('input')?.focus();
  }, [action]);
  const switchAction = (next: Action | null) => {
    setAction(next);
    setName('');
    setPassword('');
    change.clearNotice();
  };
  const finish = (message: string) => {
    switchAction(null);
    return message;
  };
  const add = async () => {
    const outcome = await change.send(PATHS.beginPasskey, { password });
    if (outcome === null) return;
    if (outcome.kind !== 'done') return change.showError(outcome.message);
    let passkey: Awaited<ReturnType<typeof createPasskey>>;
    try {
      const passkeys = await import('../../data/passkeys.ts');
      passkey = await passkeys.createPasskey(outcome.body);
    } catch {
      return change.showError(NOT_CREATED);
    }
    await change.sendAndNotify(PATHS.addPasskey, { name: name.trim(), passkey }, () =>
      finish('The passkey was added. Your other sessions have ended.'),
    );
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (action === null) return;
    if (action.kind === 'add' && name.trim() === '') return change.showError('Enter a name for the passkey.');
    if (password === '') return change.showError('Enter your current password.');
    if (action.kind === 'add') return void add();
    const { id } = action;
    void change.sendAndNotify(PATHS.removePasskey, { id, password }, () =>
      finish('The passkey was removed. Your other sessions have ended.'),
    );
  };
  return (
    <section aria-labelledby="passkeys">
      <div className={styles.head}>
        <h2 id="passkeys">Passkeys</h2>
        {typeof PublicKeyCredential === 'function' && action === null ? (
          <button type="button" className="button" onClick={() => switchAction({ kind: 'add' })}>
            Add passkey
          </button>
        ) : null}
      </div>
      <div className={`${form.form} ${styles.part}`}>
        <p>
          A passkey signs you in with your device’s screen lock or a security key, without your password. Once
          you have one, a password alone is not enough: you also need a passkey or a code. Add a second
          passkey, or set up two-factor authentication, so that a lost device does not lock you out.
        </p>
        <Notice notice={change.notice} />
        {action === null ? null : (
          <form
            ref={formElement}
            className={`${form.form} ${styles.narrow}`}
            onSubmit={submit}
            aria-labelledby="passkeys"
            noValidate
          >
            {action.kind === 'remove' ? (
              <p>Remove the passkey “{action.name}”? You can’t sign in with it any more.</p>
            ) : (
              <Field
                id="passkey-name"
                name="name"
                value={name}
                onValue={setName}
                label="Name"
                hint="For example, the device that stores it."
                autoComplete="off"
                maxLength={64}
              />
            )}
            <SecretField
              id="passkey-password"
              label="Current password"
              value={password}
              onValue={setPassword}
            />
            <FormActions
              submitLabel={action.kind === 'add' ? 'Create passkey' : 'Remove passkey'}
              isBusy={change.isBusy}
              onCancel={() => switchAction(null)}
            />
          </form>
        )}
        <Loaded reading={reading} what="your passkeys">
          {({ passkeys }) =>
            passkeys.length === 0 ? (
              <p className={styles.quiet}>You have no passkeys.</p>
            ) : (
              <AccountTable caption="Your passkeys" columns={['Name', 'Added', 'Last used']} action="Remove">
                {passkeys.map(({ id, name: passkeyName, createdAt, lastUsedAt }) => (
                  <tr key={id}>
                    <th scope="row">{passkeyName}</th>
                    <td data-name="Added">
                      <Age at={createdAt} />
                    </td>
                    <td data-name="Last used">{lastUsedAt === null ? 'Never' : <Age at={lastUsedAt} />}</td>
                    <td className={styles.buttonCell}>
                      <button
                        type="button"
                        className="button"
                        disabled={change.isBusy}
                        onClick={() => switchAction({ kind: 'remove', id, name: passkeyName })}
                      >
                        Remove<span className="visually-hidden"> the passkey {passkeyName}</span>
                      </button>
                    </td>
                  </tr>
                ))}
              </AccountTable>
            )
          }
        </Loaded>
      </div>
    </section>
  );
}
