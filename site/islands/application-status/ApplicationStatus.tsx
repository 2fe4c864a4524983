import { type SubmitEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { FIELD_WORDS } from '../../../data/model/application-rules.ts';
import { cleanLine, isMailAddress } from '../../../data/model/form-text.ts';
import { REFERENCE_NUMBER } from '../../../data/model/reference-number.ts';
import { FaultSummary } from '../form/FaultSummary.tsx';
import { Field } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import { readStatus, type StatusReading } from './status-query.ts';
import { referenceOfFragment } from './status-words.ts';
import { Timeline } from './Timeline.tsx';

const NO_REFERENCE = 'Please enter the reference number, such as BD-20260102-123456';
const IDS = { reference: 'status-reference', email: 'status-email' } as const;

/** Looks where an application or a request stands, by its reference number and mail address. */
export default function ApplicationStatus() {
  const form = useRef<HTMLFormElement>(null);
  const summary = useRef<HTMLDivElement>(null);
  const [isAwake, setAwake] = useState(false);
  const [reference, setReference] = useState('');
  const [email, setEmail] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [refusals, setRefusals] = useState(0);
  const [reading, setReading] = useState<StatusReading>({ kind: 'idle' });
  useLayoutEffect(() => {
    // What was typed before the script ran is kept; else a link may have named the number.
    const typed = (id: string) => {
      const input = form.current?.elements.namedItem(id);
      return input instanceof HTMLInputElement ? input.value : '';
    };
    setReference(typed('referenceNumber') || referenceOfFragment(location.hash));
    setEmail(typed('email'));
    setAwake(true);
  }, []);
  useEffect(() => {
    if (refusals > 0) summary.current?.focus();
  }, [refusals]);

  const number = cleanLine(reference).toUpperCase();
  const address = cleanLine(email);
  const referenceFault = REFERENCE_NUMBER.test(number) ? null : NO_REFERENCE;
  const emailFault = isMailAddress(address) ? null : FIELD_WORDS.email;
  const faults = [
    { id: IDS.reference, words: referenceFault },
    { id: IDS.email, words: emailFault },
  ].flatMap(({ id, words }) => (isChecked && words !== null ? [{ id, words }] : []));

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setChecked(true);
    if (referenceFault !== null || emailFault !== null) {
      setRefusals((count) => count + 1);
      return;
    }
    setReading({ kind: 'reading' });
    setReading(await readStatus(number, address));
  };
  const isReading = reading.kind === 'reading';
  return (
    <>
      <form
        ref={form}
        className={`${styles.form} script-only`}
        onSubmit={submit}
        aria-label="Application status"
        noValidate
      >
        <FaultSummary faults={faults} summary={summary} />
        <div className={styles.two}>
          <Field
            id={IDS.reference}
            name="referenceNumber"
            value={reference}
            fault={isChecked ? referenceFault : null}
            onValue={setReference}
            label="Reference number"
            hint="It begins with BD- and stands in the confirmation email."
            autoComplete="off"
            maxLength={64}
            mono
          />
          <Field
            id={IDS.email}
            name="email"
            value={email}
            fault={isChecked ? emailFault : null}
            onValue={setEmail}
            label="Email address"
            hint="The one that you gave when you sent it."
            type="email"
            autoComplete="email"
          />
        </div>
        <p className={styles.ways}>
          {/* Before the script runs a submission would put both into the page's address. */}
          <button type="submit" className="button gold" disabled={!isAwake || isReading}>
            {isReading ? 'Looking...' : 'Show Status'}
          </button>
        </p>
      </form>
      <Reading reading={reading} />
    </>
  );
}

function Reading({ reading }: { readonly reading: StatusReading }) {
  switch (reading.kind) {
    case 'known':
      return <Timeline body={reading.body} />;
    case 'refused':
      return (
        <p className={styles.answer} role="alert">
          {reading.words ?? 'The portal answered with a fault. Try again; if it stays, tell support.'}
        </p>
      );
    case 'no-network':
      return (
        <p className={styles.answer} role="alert">
          The portal could not be reached. Check your connection and try again.
        </p>
      );
    default:
      return null;
  }
}
