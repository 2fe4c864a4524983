import { randomUUID } from 'node:crypto';
import { bulkhead } from 'cockatiel';
import type { Request } from 'express';
import { applyForLoan } from '../../data/contract/submissions.ts';
import { toStoredFields } from '../../data/model/forms/field.ts';
import { LOAN_FORM, type LoanFileFieldName, MAX_DOCUMENT_BYTES } from '../../data/model/forms/loan-form.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import { createReferenceSource } from '../../data/model/reference-number.ts';
import type { LoanDocumentKind } from '../../data/model/submission-status.ts';
import type { LoanDocument } from '../../data/store/submission-port.ts';
import {
  readForm,
  readIdempotencyKeyHash,
  type SubmissionContext,
  submissionOptions,
  submissionResponse,
} from '../applications/submission-helpers.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { documentQuotas, quotaError } from '../documents/document-quotas.ts';
import type { MasterKey } from '../documents/master-key.ts';
import { readDocument } from '../documents/read-document.ts';
import {
  readSpooledFile,
  readUpload,
  type SpooledFile,
  type Upload,
  type UploadForm,
} from '../documents/read-upload.ts';
import { type SpooledUpload, UploadSpool } from '../documents/upload-spool.ts';
import { ApiError } from '../errors.ts';
import { leaveBody } from '../json-body.ts';
import { clientNetwork } from '../security/rate-limit.ts';
import { confirmationDigest, confirmationTokens } from './mailbox-confirmation.ts';

const FORM: UploadForm = { files: applyForLoan.files, fileBytes: MAX_DOCUMENT_BYTES, textBytes: 64_000 };

const KIND_BY_FIELD: Readonly<Record<LoanFileFieldName, LoanDocumentKind>> = {
  passportCopy: 'passport-copy',
  utilityBill: 'utility-bill',
};
const FILE_FIELDS = Object.keys(KIND_BY_FIELD) as readonly LoanFileFieldName[];

/** @throws {ApiError} `invalid-body` with the message for each missing file */
function requireFiles(
  files: Upload['files'],
): readonly { readonly field: LoanFileFieldName; readonly file: SpooledFile }[] {
  const missing = FILE_FIELDS.filter((field) => !files.has(field));
  if (missing.length > 0) {
    const text = missing.map((field) => `${LOAN_FORM.fields[field].missing}.`).join(' ');
    throw new ApiError('invalid-body', { text });
  }
  return FILE_FIELDS.flatMap((field) => {
    const file = files.get(field);
    return file ? [{ field, file }] : [];
  });
}

const HOUR_MS = 3_600_000;
/** The maximum bytes on disk for all uploads in progress: enough for fifty forms with two documents of the maximum size. */
const MAX_SPOOL_BYTES = 1_000_000_000;
/** The maximum number of forms whose documents are in memory to be checked and stored. Other forms wait. */
const MAX_ACCEPTED_AT_ONCE = 2;

interface LoanContext extends SubmissionContext {
  readonly masterKey: MasterKey;
  readonly uploadFolder: string;
  readonly isDiskSpaceLow: () => boolean;
}

/** `POST /api/convertible-loan`. The documents are encrypted before they touch the disk. */
export function loanRoute(context: LoanContext): ApiRoute {
  const { store, masterKey, now, rateLimits, uploadFolder: folder, isDiskSpaceLow } = context;
  const spool = new UploadSpool({
    folder,
    maxBytes: MAX_SPOOL_BYTES,
    maxPerNetwork: rateLimits['uploads-of-network'],
    isDiskSpaceLow,
  });
  const acceptQueue = bulkhead(MAX_ACCEPTED_AT_ONCE, Number.POSITIVE_INFINITY);
  const quotasOf = documentQuotas(context);
  const tokenOf = confirmationTokens(masterKey);

  /** @throws {ApiError} `document-quota`, `documents-full` */
  async function requireQuota(request: Request, email: string | null, bytes: number): Promise<void> {
    const quotas = quotasOf(clientNetwork(request), email);
    const exceeded = await store.submissions.exceededQuota(quotas, bytes, readIdempotencyKeyHash(request));
    if (exceeded) throw quotaError(exceeded, now());
  }

  async function documentOf(field: LoanFileFieldName, file: SpooledFile): Promise<LoanDocument> {
    const document = await readSpooledFile(file, masterKey, (sent) =>
      readDocument(sent, applyForLoan.files[field]),
    );
    return { ...document, kind: KIND_BY_FIELD[field] };
  }

  async function accept(request: Request, upload: Upload, spooledUpload: SpooledUpload) {
    // Space may have run out while the form waited for its turn.
    spooledUpload.reserve(0);
    const {
      referenceNumber: preferredNumber,
      website: _,
      ...body
    } = readForm(applyForLoan.body, upload.fields);
    const requiredFiles = requireFiles(upload.files);
    // The reference number is not part of the form's identity, because the client generates a new one for each retry.
    const identity = { ...body, files: requiredFiles.map(({ file }) => file.metadata.contentHash) };
    const options = submissionOptions(request, identity, { success: true }, context);
    const bytes = requiredFiles.reduce((sum, { file }) => sum + file.metadata.byteLength, 0);
    await requireQuota(request, body.email, bytes);
    const at = now();
    const documents: LoanDocument[] = [];
    for (const { field, file } of requiredFiles) documents.push(await documentOf(field, file));
    const id = randomUUID();
    const application = {
      ...toStoredFields(LOAN_FORM.fields, body),
      investmentAmount: Number(body.investmentAmount),
      id,
      createdAt: at,
      confirmationDigest: confirmationDigest(tokenOf(id)),
      confirmBy: at + PORTAL_LIMITS.mailboxConfirmationHours * HOUR_MS,
    };
    const drawReference = createReferenceSource(preferredNumber, at, options.drawReference);
    const quotas = quotasOf(clientNetwork(request), body.email);
    const outcome = await store.submissions.submit(
      'loan-application',
      application,
      { ...options, drawReference, quotas },
      documents,
    );
    return submissionResponse(outcome, at);
  }

  const options = { bodyParser: leaveBody, limit: 'submissions' } as const;
  return callRoute(applyForLoan, options, async (request, response) => {
    // The documents have at least this many bytes. The number is capped below, so that a form that is too large gets an
    // error about its size, not about a quota.
    const minDocumentBytes = Number(request.get('content-length') ?? 0) - FORM.textBytes;
    await requireQuota(
      request,
      null,
      Math.min(Math.max(0, minDocumentBytes), FILE_FIELDS.length * MAX_DOCUMENT_BYTES),
    );
    const spooledUpload = spool.start(clientNetwork(request));
    try {
      const upload = await readUpload(request, FORM, { master: masterKey, spooledUpload });
      response.json(await acceptQueue.execute(() => accept(request, upload, spooledUpload)));
    } finally {
      await spooledUpload.release();
    }
  });
}
