import { useEffect, useRef, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { cleanValue } from '../../../data/model/forms/field.ts';
import { STATUS_FORM } from '../../../data/model/forms/status-form.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import { post, RequestError, serverMessage } from '../../data/request.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import { AnswersChatLink } from '../form/AnswersChatLink.tsx';
import type { SubmissionKey } from '../form/answers-chat.ts';
import { FormFields } from '../form/FormFields.tsx';
import { focusOnMount } from '../form/focus-on-mount.ts';
import styles from '../form/form.module.css';
import { useFields } from '../form/use-fields.ts';
import localStyles from './application-status.module.css';
import { type ApplicationStatusBody, HowToProve, ProvenStatus } from './ProvenStatus.tsx';

type StatusReading =
  | { readonly kind: 'idle' | 'reading' | 'no-network' }
  | { readonly kind: 'known'; readonly body: ApplicationStatusBody; readonly key: SubmissionKey }
  /** The server's message; null if it sent none. */
  | { readonly kind: 'refused'; readonly message: string | null };

/** Never throws. */
async function readStatus(payload: SubmissionKey): Promise<StatusReading> {
  try {
    return { kind: 'known', body: await post(PATHS.applicationStatus, payload), key: payload };
  } catch (error) {
    return error instanceof RequestError
      ? { kind: 'refused', message: serverMessage(error.body) }
      : { kind: 'no-network' };
  }
}

type Status = ApplicationStatusBody['status'];

const STATUS_LABELS: Readonly<Record<Status, { readonly title: string; readonly text: string }>> = {
  received: { title: 'Received', text: "We've received it and notified the team." },
  'in-review': { title: 'In review', text: 'A team member is reviewing it.' },
  approved: { title: 'Approved', text: 'The team has approved it. Our email says what to do next.' },
  refused: { title: 'Not approved', text: 'The team could not approve it. Our email gives the reason.' },
  'documents-deleted': {
    title: 'Documents deleted',
    text: `The email address was not confirmed within ${PORTAL_LIMITS.mailboxConfirmationHours} hours, so the documents were deleted. You can apply again.`,
  },
  withdrawn: {
    title: 'Withdrawn',
    text: 'The team has removed your wallet from the whitelist. Our email gives the reason.',
  },
  'card-issued': { title: 'Card issued', text: 'Your card is ready on the virtual card page.' },
};

/** The statuses that `ProvenStatus` explains to a proven applicant. The timeline then shows them without a text. */
const DECIDED_STATUSES: ReadonlySet<Status> = new Set(['approved', 'refused', 'withdrawn', 'card-issued']);

const KIND_LABELS: Readonly<Record<ApplicationStatusBody['kind'], string>> = {
  'card-application': 'Card application',
  'verification-request': 'Manual verification request',
  'loan-application': 'Loan note application',
};

const DATE_AND_TIME = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;

/**
 * A date and time as text: `2 Jan 2026, 03:04 UTC`. Not imported from `ui/format.ts`, because that would add the scripts of the
 * live islands to this page.
 */
const momentText = (moment: string): string =>
  `${new Date(moment).toLocaleString('en-GB', DATE_AND_TIME)} UTC`;

const FRAGMENT_PATTERN = /^#reference=(BD-\d{8}-\d{6})(?:&proof=([\w-]{43}))?$/;

/** Looks up the status of an application. A link may fill in the reference number and prove ownership of the mailbox. */
export default function ApplicationStatus() {
  const isHydrated = useHydrated();
  const [reading, setReading] = useState<StatusReading>({ kind: 'idle' });
  const [fragment, setFragment] = useState(typeof location === 'undefined' ? '' : location.hash);
  const [, linkedReference = '', proof] = FRAGMENT_PATTERN.exec(fragment) ?? [];
  const form = useFields(STATUS_FORM, { initialValues: { referenceNumber: linkedReference } });
  const { setValue } = form.hookForm;
  const lastReadNumber = useRef(0);
  useEffect(() => {
    // A link in Duckling's chat, or a link pasted into the open page, changes only the fragment.
    const followLink = () => {
      const [, reference, newProof] = FRAGMENT_PATTERN.exec(location.hash) ?? [];
      if (reference === undefined || (reference === linkedReference && newProof === undefined)) return;
      lastReadNumber.current += 1;
      setFragment(location.hash);
      setValue('referenceNumber', reference);
      setReading({ kind: 'idle' });
    };
    addEventListener('hashchange', followLink);
    return () => removeEventListener('hashchange', followLink);
  }, [setValue, linkedReference]);
  const { referenceNumber, email } = STATUS_FORM.fields;
  const isReading = reading.kind === 'reading';
  const submit = form.hookForm.handleSubmit(async (values) => {
    if (isReading) return;
    setReading({ kind: 'reading' });
    lastReadNumber.current += 1;
    const readNumber = lastReadNumber.current;
    const typedReference = cleanValue(referenceNumber, String(values.referenceNumber));
    const result = await readStatus({
      referenceNumber: typedReference,
      email: cleanValue(email, String(values.email)),
      proof: typedReference === linkedReference ? proof : undefined,
    });
    // Ignores the result if a link was opened or another read began in the meantime.
    if (lastReadNumber.current === readNumber) setReading(result);
  });
  return (
    <>
      <form
        className={`${styles.form} script-only`}
        onSubmit={(event) => void submit(event)}
        aria-label="Application status"
        noValidate
      >
        <FormFields form={form} />
        <p className={styles.actions}>
          {/* Disabled until the script runs: a plain submission would put the form's values into the URL. */}
          <button type="submit" className="button gold" disabled={!isHydrated} aria-disabled={isReading}>
            {isReading ? 'Checking...' : 'Show Status'}
          </button>
        </p>
      </form>
      <StatusResult reading={reading} />
    </>
  );
}

function StatusResult({ reading }: { readonly reading: StatusReading }) {
  switch (reading.kind) {
    case 'known':
      return <Timeline body={reading.body} submission={reading.key} />;
    case 'refused':
      return (
        <p className={styles.answer} role="alert">
          {reading.message ?? 'Something went wrong on our side. If it keeps happening, contact support.'}
        </p>
      );
    case 'no-network':
      return (
        <p className={styles.answer} role="alert">
          We could not reach the portal. Check your connection and try again.
        </p>
      );
    default:
      return null;
  }
}

/** The oldest change comes first. */
function Timeline({
  body,
  submission,
}: {
  readonly body: ApplicationStatusBody;
  readonly submission: SubmissionKey;
}) {
  return (
    <section className={localStyles.status} aria-labelledby="status-title" data-status={body.status}>
      <h2 id="status-title" ref={focusOnMount} tabIndex={-1}>
        {KIND_LABELS[body.kind]}: {STATUS_LABELS[body.status].title}
      </h2>
      <p className={localStyles.number}>{body.referenceNumber}</p>
      <ProvenStatus body={body} />
      <ol className={localStyles.timeline}>
        {body.timeline.map(({ at, status, note }) => (
          <li key={`${at} ${status}`}>
            <p className={localStyles.step}>
              <strong>{STATUS_LABELS[status].title}</strong> <time dateTime={at}>{momentText(at)}</time>
            </p>
            {body.proven && DECIDED_STATUSES.has(status) ? null : <p>{note ?? STATUS_LABELS[status].text}</p>}
          </li>
        ))}
      </ol>
      {body.proven === null ? <HowToProve kind={body.kind} /> : null}
      <p>
        <AnswersChatLink {...submission} />
      </p>
    </section>
  );
}
