import { type SubmitEvent, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { ERASED_PART_LABELS, ERASED_PARTS } from '../../../data/model/erased-parts.ts';
import { Field } from '../form/Field.tsx';
import { focusOnMount } from '../form/focus-on-mount.ts';
import form from '../form/form.module.css';
import { CopyButton } from '../ui/CopyButton.tsx';
import { AdminPage } from './AdminPage.tsx';
import styles from './admin.module.css';
import { type ErasureResult as Result, useChange } from './admin-calls.ts';
import { FormActions, OwnPasswordField } from './form-parts.tsx';
import '../../styles/definitions.css';

export default function Erasure() {
  return (
    <AdminPage>
      <ErasureForms />
    </AdminPage>
  );
}

interface Person {
  readonly email?: string;
  readonly walletAddress?: string;
  /** The number of the person's erasure request, such as `MAIL-12`. */
  readonly request: string;
}

function ErasureForms() {
  const [values, setValues] = useState({ email: '', walletAddress: '', request: '' });
  const [person, setPerson] = useState<Person | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const [confirmation, setConfirmation] = useState('');
  const [ownPassword, setOwnPassword] = useState('');
  const { isBusy, notice, sendAndNotify } = useChange();

  const email = values.email.trim();
  const walletAddress = values.walletAddress.trim();
  const request = values.request.trim();
  const isComplete = (email !== '' || walletAddress !== '') && request !== '';
  /** What an owner types to confirm: the email address or, without one, the wallet address. */
  const confirmationText = person?.email ?? person?.walletAddress ?? '';
  const isConfirmed = confirmation.trim() === confirmationText && ownPassword !== '';

  const send = async (
    target: Person,
    options: { preview: true } | { preview: false; ownPassword: string },
  ) => {
    await sendAndNotify(PATHS.erasePerson, { ...target, ...options }, (body) => {
      setPerson(target);
      setResult(body);
      return null;
    });
    setConfirmation('');
    setOwnPassword('');
  };
  const search = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isComplete || isBusy) return;
    void send(
      { ...(email && { email }), ...(walletAddress && { walletAddress }), request },
      { preview: true },
    );
  };
  const erase = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (person !== null && isConfirmed && !isBusy) void send(person, { preview: false, ownPassword });
  };
  const fieldProps = (name: keyof typeof values) => ({
    id: `erasure-${name}`,
    name,
    value: values[name],
    autoComplete: 'off' as const,
    onValue: (value: string) => {
      setValues({ ...values, [name]: value });
      // Removes the result, which belongs to the previous values.
      setResult(null);
    },
  });

  const failure = notice && (
    <div className={form.failure} role="alert">
      <p className={form.title}>Request Failed</p>
      <p>{notice.message}</p>
    </div>
  );
  if (result?.proof) return <Proof text={result.proof.text} />;
  return (
    <div className={styles.erasing}>
      <form className={form.form} onSubmit={search} noValidate>
        <Field
          {...fieldProps('email')}
          label="Email"
          type="email"
          hint="The address that the person entered in our forms. Variants of the same mailbox are included."
          maxLength={254}
          optional
        />
        <Field
          {...fieldProps('walletAddress')}
          label="Wallet address"
          hint="Enter only a wallet that the person has proved they control. All records that name it are included."
          maxLength={44}
          isMono
          optional
        />
        <Field
          {...fieldProps('request')}
          label="Request"
          hint="The request number, such as MAIL-12. It is stored in the audit trail, so don't enter a name."
          maxLength={40}
        />
        <FormActions
          submitLabel="Show stored data"
          busyLabel={result === null ? 'Searching...' : 'Show stored data'}
          isBusy={isBusy}
          isDisabled={!isComplete}
          isPlain
        />
      </form>
      {result === null || person === null ? (
        failure
      ) : (
        <section aria-labelledby="erasure-found" className={styles.stored}>
          <StoredData result={result} />
          <form className={form.form} onSubmit={erase} noValidate>
            <Field
              id="erasure-confirm"
              name="confirm"
              value={confirmation}
              onValue={setConfirmation}
              label={`Type ${confirmationText} to confirm`}
              hint="This can't be undone."
              maxLength={254}
              autoComplete="off"
            />
            <OwnPasswordField id="erasure-own" value={ownPassword} onValue={setOwnPassword} />
            <FormActions
              submitLabel="Erase"
              busyLabel="Erasing..."
              isBusy={isBusy}
              isDisabled={!isConfirmed}
            />
            {failure}
          </form>
        </section>
      )}
    </div>
  );
}

function StoredData({ result }: { readonly result: Result }) {
  const { records, counts, outboxFiles, otherWallets, kept, backups } = result;
  const rows = ERASED_PARTS.map((part) => [ERASED_PART_LABELS[part], counts[part]] as const);
  const storedRows = [...rows, ['Emails in the outbox', outboxFiles] as const].filter(
    ([, count]) => count > 0,
  );
  return (
    <>
      <h2 id="erasure-found">Stored data</h2>
      {storedRows.length === 0 ? (
        <p>No data is stored. You can still run the erasure to get proof.</p>
      ) : (
        <dl className="definitions">
          {storedRows.map(([label, count]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{count}</dd>
            </div>
          ))}
        </dl>
      )}
      {records.length > 0 ? (
        <p className={styles.long}>
          Records: {records.map(({ referenceNumber }) => referenceNumber).join(', ')}
        </p>
      ) : null}
      {otherWallets.length > 0 ? (
        <p className={styles.long}>
          The records also name other wallets, whose ownership proofs and sessions are kept:{' '}
          {otherWallets.join(', ')}
        </p>
      ) : null}
      {kept.liveCards > 0 ? (
        <p>Active cards for this wallet: {kept.liveCards}. Close them first: erasing does not close them.</p>
      ) : null}
      {kept.adminAccounts > 0 ? (
        <p>Admin accounts with this email address: {kept.adminAccounts}. They are not erased.</p>
      ) : null}
      <p>{backups.note}</p>
    </>
  );
}

function Proof({ text }: { readonly text: string }) {
  return (
    <section aria-labelledby="erasure-proof">
      <h2 id="erasure-proof" ref={focusOnMount} tabIndex={-1} className={styles.erased}>
        Erased
      </h2>
      <p role="status">Send this proof to the person now. It contains a salt that is not stored.</p>
      <pre className={styles.proof}>{text}</pre>
      <p>
        <CopyButton text={text} name="proof" showsName />
      </p>
    </section>
  );
}
