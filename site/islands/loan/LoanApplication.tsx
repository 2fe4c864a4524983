import { lazy, Suspense, useEffect, useState } from 'react';
import { LOAN_LONGEST, type LoanFile } from '../../../data/model/loan-application-rules.ts';
import { DraftHint } from '../form/DraftHint.tsx';
import { FailureBanner } from '../form/FailureBanner.tsx';
import { FaultSummary } from '../form/FaultSummary.tsx';
import { Field } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import { type Choice, SelectField } from '../form/SelectField.tsx';
import { Trap } from '../form/Trap.tsx';
import { useForm } from '../form/use-form.ts';
import { ACCEPTED, fileFault, fileMark, markedName } from './chosen-file.ts';
import { FileField } from './FileField.tsx';
import { loanPlan, NO_FILES } from './loan-plan.ts';

const LoanSuccess = lazy(() => import('./LoanSuccess.tsx'));

interface Words {
  readonly label: string;
  readonly hint: string;
}
interface Choices extends Words {
  readonly options: readonly Choice[];
}

/** The words of the form, which an editor writes, and the countries. */
export interface LoanApplicationProps {
  readonly labelledby: string;
  /** `GB United Kingdom`, one a line. */
  readonly countries: string;
  readonly investmentAmount: Choices;
  readonly investorType: Choices;
  readonly riskSuitability: Choices;
  readonly conversionOption: Choices;
  readonly passportCopy: Words;
  readonly utilityBill: Words;
  readonly note: string;
}

const choicesOf = (countries: string): readonly Choice[] =>
  countries.split('\n').map((line) => ({ value: line.slice(0, 2), label: line.slice(3) }));

/** The application for the loan note, with its two documents. */
export default function LoanApplication({ labelledby, countries, note, ...words }: LoanApplicationProps) {
  const [files, setFiles] = useState(NO_FILES);
  const [share, setShare] = useState(0);
  const form = useForm(loanPlan(files, setShare));
  const [taken, setTaken] = useState<string | null>(null);
  const [isAwake, setAwake] = useState(false);
  const { sending } = form;
  useEffect(() => setAwake(true), []);
  useEffect(() => {
    if (sending.kind !== 'accepted') return;
    setFiles(NO_FILES);
    setTaken(sending.referenceNumber);
  }, [sending]);
  const isSubmitting = sending.kind === 'submitting';
  const trap = form.field('website');

  const fileField = (name: LoanFile) => {
    const { id, value, fault, onValue } = form.field(name);
    const file = files[name];
    return (
      <FileField
        {...words[name]}
        id={id}
        name={name}
        accept={ACCEPTED}
        file={file}
        lost={file === null ? markedName(value) : null}
        // A file that cannot be taken is told of at once, a missing one when the form is sent.
        fault={fault ?? (file && fileFault(name, file))}
        onFile={(chosen) => {
          setFiles((held) => ({ ...held, [name]: chosen }));
          onValue(chosen ? fileMark(chosen) : '');
        }}
      />
    );
  };
  return (
    <>
      <form
        className={`${styles.form} script-only`}
        onSubmit={form.onSubmit}
        aria-labelledby={labelledby}
        noValidate
      >
        <FaultSummary faults={form.faults} summary={form.summary} />
        <div className={styles.two}>
          <Field
            {...form.field('name')}
            label="Full name"
            autoComplete="name"
            maxLength={LOAN_LONGEST.name}
          />
          <Field {...form.field('email')} label="Email" type="email" autoComplete="email" />
        </div>
        <SelectField
          {...form.field('country')}
          label="Country"
          hint="Where you live and pay tax; of a territory, the state it belongs to."
          choices={choicesOf(countries)}
          autoComplete="country"
        />
        <SelectField
          {...form.field('investmentAmount')}
          {...words.investmentAmount}
          choices={words.investmentAmount.options}
        />
        <div className={styles.two}>
          <SelectField
            {...form.field('investorType')}
            {...words.investorType}
            choices={words.investorType.options}
          />
          <SelectField
            {...form.field('conversionOption')}
            {...words.conversionOption}
            choices={words.conversionOption.options}
          />
        </div>
        <SelectField
          {...form.field('riskSuitability')}
          {...words.riskSuitability}
          choices={words.riskSuitability.options}
        />
        {fileField('passportCopy')}
        {fileField('utilityBill')}
        <p className={styles.quiet}>{note}</p>
        <Field
          {...form.field('comments')}
          label="Comments"
          optional
          rows={4}
          maxLength={LOAN_LONGEST.comments}
        />
        <Trap id={trap.id} value={trap.value} onValue={trap.onValue} />
        {sending.kind === 'refused' || sending.kind === 'no-network' ? (
          <FailureBanner
            title="Submission Error"
            words={
              sending.kind === 'no-network'
                ? 'The portal could not be reached. Check your connection.'
                : (sending.words ?? 'The portal answered with a fault.')
            }
            retry={form.retry}
          />
        ) : null}
        <p className={styles.ways}>
          {/* Before the script runs a submission would put what was typed into the page's address. */}
          <button type="submit" className="button gold" disabled={!isAwake || isSubmitting}>
            {isSubmitting ? 'Submitting Application...' : 'Submit Application'}
          </button>
        </p>
        {isSubmitting ? <progress aria-label="Documents sent" max={1} value={share} /> : null}
        <DraftHint />
        <p className={styles.quiet}>Files are not kept: after a reload they have to be chosen again.</p>
      </form>
      {taken === null ? null : (
        <Suspense fallback={null}>
          <LoanSuccess referenceNumber={taken} onClose={() => setTaken(null)} />
        </Suspense>
      )}
    </>
  );
}
