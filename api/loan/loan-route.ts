import { createHash, randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { applyForLoan } from '../../data/contract/loan.ts';
import {
  DOCUMENT_BYTES,
  LOAN_FILES,
  LOAN_WORDS,
  type LoanFile,
} from '../../data/model/loan-application-rules.ts';
import { preferredReference } from '../../data/model/reference-number.ts';
import type { LoanDocumentKind } from '../../data/model/submission-status.ts';
import type { LoanDocument, LoanStore } from '../../data/store/loan-port.ts';
import { readForm } from '../applications/read-form.ts';
import { answerOf, submissionTerms } from '../applications/take-submission.ts';
import type { MasterKey } from '../documents/master-key.ts';
import { readDocument, type SentFile } from '../documents/read-document.ts';
import { readUpload, type Upload, type UploadForm } from '../documents/read-upload.ts';
import { sealDocument } from '../documents/sealed-document.ts';
import type { UploadRoom } from '../documents/upload-room.ts';
import { InvalidBodyError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { clientAddress } from '../security/client-address.ts';
import { limited } from '../security/rate-limit.ts';

/** What the call works with. */
export interface LoanDependencies {
  readonly store: LoanStore;
  readonly masterKey: MasterKey;
  readonly room: UploadRoom;
  readonly now: () => number;
  /** Counts the submissions of one address, of all kinds together. */
  readonly limit: RequestHandler;
}

const FORM: UploadForm = { files: LOAN_FILES, fileBytes: DOCUMENT_BYTES, textBytes: 64_000 };

const KINDS: Readonly<Record<LoanFile, LoanDocumentKind>> = {
  passportCopy: 'passport-copy',
  utilityBill: 'utility-bill',
};
const FIELDS = Object.keys(KINDS) as readonly LoanFile[];

/** Both files, or what is said of each that is missing. */
function bothFiles(files: Upload['files']): readonly { readonly field: LoanFile; readonly file: SentFile }[] {
  const missing = FIELDS.filter((field) => !files.has(field));
  if (missing.length > 0) throw new InvalidBodyError(missing.map((field) => LOAN_WORDS[field]).join(' '));
  return FIELDS.flatMap((field) => {
    const file = files.get(field);
    return file ? [{ field, file }] : [];
  });
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** `POST /api/convertible-loan`: anyone may apply, with two documents, which are encrypted before they are kept. */
export function loanRoute({ store, masterKey, room, now, limit }: LoanDependencies): ApiRoute {
  async function take(request: Request, upload: Upload) {
    const { referenceNumber: preferred, website: _, ...body } = readForm(applyForLoan.body, upload.fields);
    const sent = bothFiles(upload.files);
    // The number that the sender would like is drawn anew with each try, and makes no other application of it.
    const known = { ...body, files: sent.map(({ file }) => sha256(file.bytes)) };
    const at = now();
    const terms = submissionTerms(request, known, { success: true }, at);
    const documents: LoanDocument[] = [];
    for (const { field, file } of sent) {
      const { bytes, ...facts } = await readDocument(file, LOAN_FILES[field]);
      const id = randomUUID();
      documents.push({ id, kind: KINDS[field], ...facts, ...sealDocument(masterKey, id, bytes) });
    }
    const { investmentAmount, comments, ...stated } = body;
    const application = {
      ...stated,
      id: randomUUID(),
      investmentAmount: Number(investmentAmount),
      comments: comments || null,
      createdAt: at,
    };
    const drawReference = preferredReference(preferred, at, terms.drawReference);
    return answerOf(await store.submit(application, documents, { ...terms, drawReference }));
  }

  return {
    method: applyForLoan.method,
    path: applyForLoan.path,
    // Read below, once it is known that there is room for it.
    readBody: (_request, _response, next) => next(),
    handle: limited(limit, async (request, response) => {
      const place = room.enter(clientAddress(request));
      try {
        response.json(await take(request, await readUpload(request, FORM, place)));
      } finally {
        place.leave();
      }
    }),
  };
}
