import { blankPng, samplePdf } from '../../api/documents/testing/sample-documents.ts';
import { LOAN_FIELDS } from '../../api/loan/testing/send-loan.ts';

export interface Upload {
  readonly contentType: string;
  readonly body: Buffer;
}

const BOUNDARY = 'attack-boundary';
const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

export const passportOf = (number: number): Buffer => samplePdf({ inside: `% Applicant ${number}\n` });

const BILL_PDF = samplePdf();
const BILL_PICTURE = blankPng(40, 20);
/** Every twentieth application has a picture, so the process also loads the library that re-encodes pictures. */
const PICTURE_EVERY = 20;

const formPart = (name: string, bytes: Buffer | string, file = '') => [
  Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`),
  Buffer.from(bytes),
  Buffer.from('\r\n'),
];

/** A loan application with documents. The same number always gives the same body. */
export function loanUpload(number: number): Upload {
  const fields = { ...LOAN_FIELDS, name: `Applicant ${number}`, email: `applicant@host-${number}.example` };
  const isPicture = number % PICTURE_EVERY === 0;
  const body = Buffer.concat([
    ...Object.entries(fields).flatMap(([name, value]) => formPart(name, value)),
    ...formPart('passportCopy', passportOf(number), '; filename="passport.pdf"'),
    ...formPart('utilityBill', isPicture ? BILL_PICTURE : BILL_PDF, '; filename="bill"'),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);
  return { contentType: CONTENT_TYPE, body };
}
