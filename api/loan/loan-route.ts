import { createHash, randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { applyForLoan } from '../../data/contract/submissions.ts';
import { storedFields } from '../../data/model/forms/field.ts';
import { DOCUMENT_BYTES, LOAN_FORM, type LoanFile } from '../../data/model/forms/loan-form.ts';
import { preferredReference } from '../../data/model/reference-number.ts';
import type { LoanDocumentKind } from '../../data/model/submission-status.ts';
import type { LoanDocument } from '../../data/store/submission-port.ts';
import {
  readForm,
  responseOf,
  type SubmissionContext,
  submissionOptions,
} from '../applications/take-submission.ts';
import type { MasterKey } from '../documents/master-key.ts';
import { readDocument, type SentFile } from '../documents/read-document.ts';
import { readUpload, type Upload, type UploadForm, UploadLimiter } from '../documents/read-upload.ts';
import { sealDocument } from '../documents/sealed-document.ts';
import { ApiError } from '../errors.ts';
import { type ApiRoute, callRoute } from '../known-calls.ts';
import { clientAddress } from '../security/rate-limit.ts';

const FORM: UploadForm = { files: applyForLoan.files, fileBytes: DOCUMENT_BYTES, textBytes: 64_000 };

const KINDS: Readonly<Record<LoanFile, LoanDocumentKind>> = {
  passportCopy: 'passport-copy',
  utilityBill: 'utility-bill',
};
const FIELDS = Object.keys(KINDS) as readonly LoanFile[];

/** @throws {ApiError} `invalid-body` with the message for each missing file */
function requireFiles(
  files: Upload['files'],
): readonly { readonly field: LoanFile; readonly file: SentFile }[] {
  const missing = FIELDS.filter((field) => !files.has(field));
  if (missing.length > 0) {
    const text = missing.map((field) => `${LOAN_FORM.fields[field].missing}.`).join(' ');
    throw new ApiError('invalid-body', { text });
  }
  return FIELDS.flatMap((field) => {
    const file = files.get(field);
    return file ? [{ field, file }] : [];
  });
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Bytes for all uploads in progress: enough for six forms with two documents of the maximum size. */
const UPLOAD_BYTES = 128_000_000;

/** `POST /api/convertible-loan`. The documents are encrypted before they are stored. */
export function loanRoute(context: SubmissionContext & { readonly masterKey: MasterKey }): ApiRoute {
  const { store, masterKey, now, rateLimits } = context;
  const uploads = new UploadLimiter({ bytes: UPLOAD_BYTES, perAddress: rateLimits['uploads-of-address'] });

  async function accept(request: Request, upload: Upload) {
    const { referenceNumber: preferred, website: _, ...body } = readForm(applyForLoan.body, upload.fields);
    const sent = requireFiles(upload.files);
    // The reference number is left out, because the client generates a new one for each retry.
    const identity = { ...body, files: sent.map(({ file }) => sha256(file.bytes)) };
    const options = submissionOptions(request, identity, { success: true }, context);
    const at = now();
    const documents: LoanDocument[] = [];
    for (const { field, file } of sent) {
      const { bytes, ...facts } = await readDocument(file, applyForLoan.files[field]);
      const id = randomUUID();
      documents.push({ id, kind: KINDS[field], ...facts, ...sealDocument(masterKey, id, bytes) });
    }
    const application = {
      ...storedFields(LOAN_FORM.fields, body),
      investmentAmount: Number(body.investmentAmount),
      id: randomUUID(),
      createdAt: at,
    };
    const drawReference = preferredReference(preferred, at, options.drawReference);
    const { submissions } = store;
    return responseOf(
      await submissions.submit('loan-application', application, { ...options, drawReference }, documents),
    );
  }

  // The handler reads the body, after the memory check.
  const readBody: RequestHandler = (_request, _response, next) => next();
  return callRoute(applyForLoan, { readBody, limit: 'submissions' }, async (request, response) => {
    const slot = uploads.start(clientAddress(request));
    try {
      response.json(await accept(request, await readUpload(request, FORM, slot)));
    } finally {
      slot.release();
    }
  });
}
