import type { ContactCategory } from '../model/submission-status.ts';
import type { SubmissionOutcome, SubmissionTerms } from './application-port.ts';

/** A message to support as it is kept. */
export interface ContactMessage {
  readonly id: string;
  readonly referenceNumber: string;
  readonly name: string;
  readonly email: string;
  readonly subject: string | null;
  readonly category: ContactCategory | null;
  readonly message: string;
  readonly walletAddress: string | null;
  /** Unix ms. */
  readonly createdAt: number;
}

export type NewContactMessage = Omit<ContactMessage, 'referenceNumber'>;

/** What people write to support. */
export interface ContactStore {
  /**
   * Keeps a message in one transaction with its reference number, its audit record, its deliveries (a mail to the sender;
   * a mail and a Telegram notice to the team) and the answer by its key.
   * @throws {ReferenceNumbersTakenError} where no free number is drawn; nothing is kept then.
   */
  submitMessage(message: NewContactMessage, terms: SubmissionTerms): Promise<SubmissionOutcome>;
  messageByReference(referenceNumber: string): Promise<ContactMessage | null>;
}
