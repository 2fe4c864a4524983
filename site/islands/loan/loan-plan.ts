import type { applyForLoan } from '../../../data/contract/loan.ts';
import { cleanLine } from '../../../data/model/form-text.ts';
import { type LoanFile, loanFaults } from '../../../data/model/loan-application-rules.ts';
import { REFERENCE_SERIALS, referenceNumber } from '../../../data/model/reference-number.ts';
import { uploadForm } from '../../data/upload-form.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import type { FormPlan } from '../form/use-form.ts';
import { fileFault, fileMark } from './chosen-file.ts';

const PATH: (typeof applyForLoan)['path'] = '/api/convertible-loan';

export type LoanField =
  | 'name'
  | 'email'
  | 'country'
  | 'investmentAmount'
  | 'investorType'
  | 'riskSuitability'
  | 'conversionOption'
  | LoanFile
  | 'comments'
  | 'website';

/** The files that are held; what the draft keeps of them are their marks. */
export type ChosenFiles = Readonly<Record<LoanFile, File | null>>;

export const NO_FILES: ChosenFiles = { passportCopy: null, utilityBill: null };

const NO_VALUES: Readonly<Record<LoanField, string>> = {
  name: '',
  email: '',
  country: '',
  investmentAmount: '',
  investorType: '',
  riskSuitability: '',
  conversionOption: '',
  passportCopy: '',
  utilityBill: '',
  comments: '',
  website: '',
};

/** A number as the form draws it; where it is taken, the server issues another. */
function drawReference(): string {
  const { from, below } = REFERENCE_SERIALS;
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return referenceNumber(Date.now(), from + (drawn % (below - from)));
}

/** The application for the loan note, with the files that are held at the moment. */
export function loanPlan(files: ChosenFiles, onProgress: (share: number) => void): FormPlan<LoanField> {
  return {
    name: 'loan',
    initial: NO_VALUES,
    rules: {
      ...loanFaults,
      passportCopy: () => fileFault('passportCopy', files.passportCopy),
      utilityBill: () => fileFault('utilityBill', files.utilityBill),
    },
    path: PATH,
    payload: (values) => ({
      ...values,
      passportCopy: files.passportCopy && fileMark(files.passportCopy),
      utilityBill: files.utilityBill && fileMark(files.utilityBill),
    }),
    send: (values, key) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(values)) {
        if (value !== '' && !Object.hasOwn(NO_FILES, name)) form.append(name, value);
      }
      form.set('name', cleanLine(values.name));
      form.append('referenceNumber', drawReference());
      for (const [name, file] of Object.entries(files)) if (file) form.append(name, file);
      return uploadForm(PATH, form, key, onProgress);
    },
    onFailed: () =>
      void showToast({
        title: 'Submission Error',
        text: 'There was an issue submitting your application. Please try again or contact us directly.',
        kind: 'failure',
        seconds: 6,
      }),
  };
}
