import type { Decision } from '../../../data/store/record-port.ts';
import { moment } from '../../delivery/mail/letters/moment.ts';
import { ApiError } from '../../errors.ts';

/** There is no record of this reference number. */
export class UnknownRecordError extends ApiError {
  override readonly name = 'UnknownRecordError';
  readonly status = 404;
  readonly code = 'unknown-record';
  constructor() {
    super('There is no such record. Check the reference number.');
  }
}

const WORDS: Readonly<Record<string, string>> = {
  'in-review': 'took it into review',
  approved: 'approved it',
  refused: 'refused it',
  'card-issued': 'marked its card as issued',
  approve: 'voted to approve it',
  refuse: 'voted to refuse it',
  contradicted: 'contradicted the vote that stood',
};

/** Who decided what and when, in a sentence; nothing where the team decided nothing yet. */
function lastWords(last: Decision | null): string {
  if (last === null) return '';
  return `${last.by} ${WORDS[last.decision] ?? `decided ${last.decision}`} on ${moment(last.at)}. `;
}

/** Another admin was faster: the record is not as the deciding one saw it. */
export class RecordChangedError extends ApiError {
  override readonly name = 'RecordChangedError';
  readonly status = 409;
  readonly code = 'record-changed';
  constructor(last: Decision | null) {
    super(
      `${lastWords(last)}Your decision was made on an older state and was not taken. Open the record again to see where it stands.`,
    );
  }
}

/** The record cannot go there from where it stands. */
export class RecordClosedError extends ApiError {
  override readonly name = 'RecordClosedError';
  readonly status = 409;
  readonly code = 'record-closed';
  constructor(status: string, last: Decision | null) {
    super(`${lastWords(last)}It stands at “${status}”, from where it cannot go there. Nothing was changed.`);
  }
}

/** There is no such delivery. */
export class UnknownDeliveryError extends ApiError {
  override readonly name = 'UnknownDeliveryError';
  readonly status = 404;
  readonly code = 'unknown-delivery';
  constructor() {
    super('There is no such delivery. Load the delivery log again.');
  }
}

/** Only what was given up can be queued again. */
export class DeliveryNotDeadError extends ApiError {
  override readonly name = 'DeliveryNotDeadError';
  readonly status = 409;
  readonly code = 'delivery-not-dead';
  constructor() {
    super(
      'This delivery was not given up: it waits, is under way, or was sent. Load the delivery log again.',
    );
  }
}

/** There is no such document, or it was deleted. */
export class UnknownDocumentError extends ApiError {
  override readonly name = 'UnknownDocumentError';
  readonly status = 404;
  readonly code = 'unknown-document';
  constructor() {
    super('There is no such document, or it was deleted. Load the record again.');
  }
}

/** The document is stored and cannot be decrypted here. */
export class DocumentUnreadableError extends ApiError {
  override readonly name = 'DocumentUnreadableError';
  readonly status = 503;
  readonly code = 'document-unreadable';
  constructor(options?: ErrorOptions) {
    super(
      'The document is stored, but cannot be decrypted here. The server’s log tells the operator why.',
      {},
      options,
    );
  }
}
