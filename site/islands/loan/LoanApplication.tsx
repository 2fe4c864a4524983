import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import * as PATHS from '../../../data/contract/paths.ts';
import { cleanLine } from '../../../data/model/form-text.ts';
import { LOAN_FORM, type LoanFileFieldName } from '../../../data/model/forms/loan-form.ts';
import { REFERENCE_SERIALS, referenceNumber } from '../../../data/model/reference-number.ts';
import { uploadForm } from '../../data/upload-form.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { fileNameIn } from '../form/draft.ts';
import { FailureBanner } from '../form/FailureBanner.tsx';
import type { Choice } from '../form/Field.tsx';
import { DraftHint, FormFields } from '../form/FormFields.tsx';
import styles from '../form/form.module.css';
import { idOf } from '../form/use-fields.ts';
import { useSubmission } from '../form/use-submission.ts';
import { FileField, fileError } from './FileField.tsx';
import { LoanSuccess } from './LoanSuccess.tsx';

const isLoanFile = (name: string): name is LoanFileFieldName =>
  name === 'passportCopy' || name === 'utilityBill';

const countryChoices = (countries: string): readonly Choice[] =>
  countries.split('\n').map((line) => ({ value: line.slice(0, 2), label: line.slice(3) }));

/** A random reference number. If it is taken, the server issues a different one. */
function proposeReference(): string {
  const { from, below } = REFERENCE_SERIALS;
  const [randomNumber = 0] = crypto.getRandomValues(new Uint32Array(1));
  return referenceNumber(Date.now(), from + (randomNumber % (below - from)));
}

interface LoanApplicationProps {
  readonly labelledby: string;
  /** One country per line, such as `GB United Kingdom`. */
  readonly countries: string;
  /** The note about what happens to the documents. */
  readonly note: string;
}

export default function LoanApplication({ labelledby, countries, note }: LoanApplicationProps) {
  const isHydrated = useHydrated();
  const [uploadedShare, setUploadedShare] = useState(0);
  const [acceptedReference, setAcceptedReference] = useState<string | null>(null);
  const form = useSubmission(LOAN_FORM, {
    path: PATHS.applyForLoan,
    fileError: (name, file) => (isLoanFile(name) ? fileError(name, file) : null),
    payload: (values) => values,
    upload: (values, idempotencyKey) => {
      const formData = new FormData();
      for (const [name, value] of Object.entries(values)) if (value) formData.append(name, value);
      formData.set('name', cleanLine(values.name));
      formData.append('referenceNumber', proposeReference());
      return uploadForm(PATHS.applyForLoan, formData, idempotencyKey, setUploadedShare);
    },
    onAccepted: setAcceptedReference,
    onFailed: () =>
      void showToast({
        title: 'Submission Error',
        text: 'There was an issue submitting your application. Please try again or contact us directly.',
        kind: 'failure',
        seconds: 6,
      }),
  });
  const isSubmitting = form.sendState.kind === 'submitting';
  const values = useWatch({ control: form.hookForm.control });

  const renderFile = (name: string, error: string | null) => {
    if (!isLoanFile(name)) return null;
    const value = values[name];
    const fingerprint = isHydrated ? form.storedDraft[name] : undefined;
    return (
      <FileField
        id={idOf(form, name)}
        name={name}
        file={value instanceof File ? value : null}
        lostFileName={fingerprint === undefined ? null : fileNameIn(fingerprint)}
        error={error}
        onFile={(file) => form.setFile(name, file)}
      />
    );
  };
  return (
    <>
      <form {...form.formProps} className={`${styles.form} script-only`} aria-labelledby={labelledby}>
        <FormFields
          form={form}
          countries={countryChoices(countries)}
          renderFile={renderFile}
          contentAfter={{ utilityBill: <p className={styles.quiet}>{note}</p> }}
        />
        <FailureBanner title="Submission Error" sendState={form.sendState} retry={form.retry} />
        <p className={styles.actions}>
          {/* Disabled until the script runs: without it, a submission would put the values into the URL. */}
          <button type="submit" className="button gold" disabled={!isHydrated} aria-disabled={isSubmitting}>
            {isSubmitting ? 'Submitting Application...' : 'Submit Application'}
          </button>
        </p>
        {isSubmitting ? <progress aria-label="Upload progress" max={1} value={uploadedShare} /> : null}
        <div>
          <DraftHint />
          <p className={styles.quiet}>Files are not saved. After a reload, choose them again.</p>
        </div>
      </form>
      {acceptedReference === null ? null : (
        <LoanSuccess referenceNumber={acceptedReference} onClose={() => setAcceptedReference(null)} />
      )}
    </>
  );
}
