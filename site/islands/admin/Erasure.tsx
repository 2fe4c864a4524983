import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { ERASED_PART_LABELS, ERASED_PARTS } from '../../../data/model/erased-parts.ts';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { CopyButton } from '../ui/CopyButton.tsx';
import { AdminPage } from './AdminPage.tsx';
import styles from './admin.module.css';
import { type Erasure as Result, useChange } from './admin-calls.ts';

/** Shows an owner what is stored about a person, erases it after a confirmation, and shows the proof. */
export default function Erasure() {
  return (
    <AdminPage>
      <ErasureForms />
    </AdminPage>
  );
}

/** The person that the request names. */
interface Person {
  readonly email?: string;
  readonly walletAddress?: string;
  readonly request: string;
}

function ErasureForms() {
  const [values, setValues] = useState({ email: '', walletAddress: '', request: '' });
  const [person, setPerson] = useState<Person | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const [confirmed, setConfirmed] = useState('');
  const { isBusy, notice, run } = useChange();

  const email = values.email.trim();
  const walletAddress = values.walletAddress.trim();
  const request = values.request.trim();
  const isComplete = (email !== '' || walletAddress !== '') && request !== '';
  /** The text to type as confirmation: the email address, or the wallet if there is none. */
  const subject = person?.email ?? person?.walletAddress ?? '';

  const send = async (target: Person, preview: boolean) => {
    await run(PATHS.erasePerson, { ...target, preview }, (body) => {
      setPerson(target);
      setResult(body);
      return null;
    });
    setConfirmed('');
  };
  const search = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isComplete) return;
    void send({ ...(email && { email }), ...(walletAddress && { walletAddress }), request }, true);
  };
  const erase = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (person !== null && confirmed.trim() === subject) void send(person, false);
  };
  const field = (name: keyof typeof values) => ({
    id: `erasure-${name}`,
    name,
    value: values[name],
    autoComplete: 'off' as const,
    onValue: (value: string) => {
      setValues({ ...values, [name]: value });
      // The result is valid only for the values that were searched for.
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
          {...field('email')}
          label="Email"
          type="email"
          hint="The address used in the forms. Any spelling of it works."
          maxLength={254}
          optional
        />
        <Field
          {...field('walletAddress')}
          label="Wallet address"
          hint="Only a wallet that the person has proven to control. Every record that names it is included."
          maxLength={44}
          mono
          optional
        />
        <Field
          {...field('request')}
          label="Request"
          hint="Its number or a short id, such as MAIL-12. It is stored in the audit trail, so don't use a name."
          maxLength={40}
        />
        <p className={form.actions}>
          <button type="submit" className="button" disabled={!isComplete || isBusy}>
            {isBusy && result === null ? 'Searching...' : 'Show stored data'}
          </button>
        </p>
      </form>
      {result === null || person === null ? (
        failure
      ) : (
        <section aria-labelledby="erasure-found" className={styles.stored}>
          <StoredData found={result} />
          <form className={form.form} onSubmit={erase} noValidate>
            <Field
              id="erasure-confirm"
              name="confirm"
              value={confirmed}
              onValue={setConfirmed}
              label={`Type ${subject} to confirm`}
              hint="This can't be undone."
              maxLength={254}
              autoComplete="off"
            />
            <p className={form.actions}>
              <button type="submit" className="button gold" disabled={confirmed.trim() !== subject || isBusy}>
                {isBusy ? 'Erasing...' : 'Erase'}
              </button>
            </p>
            {failure}
          </form>
        </section>
      )}
    </div>
  );
}

/** What is stored about a person, before it is erased. */
function StoredData({ found }: { readonly found: Result }) {
  const { records, counts, outboxFiles, otherWallets, kept, backups } = found;
  const rows = ERASED_PARTS.map((part) => [ERASED_PART_LABELS[part], counts[part]] as const);
  const stored = [...rows, ['Mails in the outbox', outboxFiles] as const].filter(([, count]) => count > 0);
  return (
    <>
      <h2 id="erasure-found">Stored data</h2>
      {stored.length === 0 ? (
        <p>No data is stored. You can still run the erasure to get proof.</p>
      ) : (
        <dl className={styles.found}>
          {stored.map(([label, count]) => (
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
          The records name other wallets. Their proofs and sessions are kept: {otherWallets.join(', ')}
        </p>
      ) : null}
      {kept.liveCards > 0 ? (
        <p>Active cards for this wallet: {kept.liveCards}. They are kept; close them first.</p>
      ) : null}
      {kept.adminAccounts > 0 ? (
        <p>Admin accounts with this address: {kept.adminAccounts}. They are kept.</p>
      ) : null}
      <p>{backups.note}</p>
    </>
  );
}

/** Proof of erasure, to send to the person whose data was erased. */
function Proof({ text }: { readonly text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The focused button was removed.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section aria-labelledby="erasure-proof">
      <h2 id="erasure-proof" ref={heading} tabIndex={-1} className={styles.erased}>
        Erased
      </h2>
      <p role="status">Send this proof to the person now. Its salt is not stored anywhere else.</p>
      <pre className={styles.proof}>{text}</pre>
      <p>
        <CopyButton text={text} name="proof" isNamed />
      </p>
    </section>
  );
}
