import { type SubmitEvent, useState } from 'react';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { AdminOnly } from './AdminOnly.tsx';
import styles from './erasure.module.css';
import { askForErasure, type Erasure, type ErasureRequest } from './erasure-call.ts';
import { ErasureProof, FoundData } from './FoundData.tsx';

/** Tells an owner what is held of a person, erases it once they typed whose it is, and shows the proof. */
export default function ErasureForm() {
  return (
    <AdminOnly>
      <Erasing />
    </AdminOnly>
  );
}

function Erasing() {
  const [values, setValues] = useState({ email: '', walletAddress: '', request: '' });
  const [asked, setAsked] = useState<ErasureRequest | null>(null);
  const [answer, setAnswer] = useState<Erasure | null>(null);
  const [confirmed, setConfirmed] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);

  const email = values.email.trim();
  const walletAddress = values.walletAddress.trim();
  const request = values.request.trim();
  const isComplete = (email !== '' || walletAddress !== '') && request !== '';
  /** What is typed to confirm: the mailbox, or the wallet where no mailbox is given. */
  const subject = asked?.email ?? asked?.walletAddress ?? '';

  const ask = async (asking: ErasureRequest, preview: boolean) => {
    setAsking(true);
    setFault(null);
    const outcome = await askForErasure(asking, preview);
    setAsking(false);
    setConfirmed('');
    if (outcome.kind === 'failed') {
      setFault(outcome.words);
      return;
    }
    setAsked(asking);
    setAnswer(outcome.erasure);
  };
  const preview = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isComplete || isAsking) return;
    const named = { ...(email && { email }), ...(walletAddress && { walletAddress }) };
    void ask({ ...named, request }, true);
  };
  const erase = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (asked === null || confirmed.trim() !== subject || isAsking) return;
    void ask(asked, false);
  };
  /** What was found is of the values that were asked for, and of no others. */
  const change = (name: keyof typeof values) => (value: string) => {
    setValues({ ...values, [name]: value });
    setAnswer(null);
  };

  const failure =
    fault === null ? null : (
      <div className={form.failure} role="alert">
        <p className={form.title}>Request Failed</p>
        <p>{fault}</p>
      </div>
    );
  if (answer?.proof) return <ErasureProof text={answer.proof.text} />;
  return (
    <div className={styles.erasing}>
      <form className={form.form} onSubmit={preview} noValidate>
        <Field
          id="erasure-email"
          name="email"
          value={values.email}
          fault={null}
          onValue={change('email')}
          label="Email"
          type="email"
          hint="Any spelling of the mailbox that the forms were sent with."
          maxLength={254}
          autoComplete="off"
          optional
        />
        <Field
          id="erasure-wallet"
          name="walletAddress"
          value={values.walletAddress}
          fault={null}
          onValue={change('walletAddress')}
          label="Wallet address"
          hint="Only a wallet that the person proved to be theirs: every record that names it goes."
          maxLength={44}
          autoComplete="off"
          mono
          optional
        />
        <Field
          id="erasure-request"
          name="request"
          value={values.request}
          fault={null}
          onValue={change('request')}
          label="Request"
          hint="Its number or a short sign, such as MAIL-12. It goes into the audit trail, so it names nobody."
          maxLength={40}
          autoComplete="off"
        />
        <p className={form.ways}>
          <button type="submit" className="button" disabled={!isComplete || isAsking}>
            {isAsking && answer === null ? 'Looking...' : 'Show What Is Held'}
          </button>
        </p>
      </form>
      {answer === null || asked === null ? (
        failure
      ) : (
        <section aria-labelledby="erasure-found" className={styles.part}>
          <FoundData found={answer} />
          <form className={form.form} onSubmit={erase} noValidate>
            <Field
              id="erasure-confirm"
              name="confirm"
              value={confirmed}
              fault={null}
              onValue={setConfirmed}
              label={`Type ${subject} to confirm`}
              hint="What is erased cannot be brought back."
              maxLength={254}
              autoComplete="off"
            />
            <p className={form.ways}>
              <button
                type="submit"
                className="button gold"
                disabled={confirmed.trim() !== subject || isAsking}
              >
                {isAsking ? 'Erasing...' : 'Erase'}
              </button>
            </p>
            {failure}
          </form>
        </section>
      )}
    </div>
  );
}
