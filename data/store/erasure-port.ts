import type { ErasedPart } from '../model/erased-parts.ts';
import type { SubmissionKind } from '../model/submission-status.ts';
import type { AuditRecord } from './audit-port.ts';

/** Whose data is erased: by a mail address, a wallet, or both. */
export interface ErasureSubject {
  /** Any spelling of the mailbox; null where the request names none. */
  readonly email: string | null;
  readonly walletAddress: string | null;
}

/** What erasing takes away, each with the number of its rows. */
export type ErasureCounts = Readonly<Record<ErasedPart, number>>;

/** All that is held of a person. */
export interface PersonalData {
  /** Oldest first. */
  readonly records: readonly { readonly referenceNumber: string; readonly kind: SubmissionKind }[];
  readonly counts: ErasureCounts;
  /** Wallets that the records name, beside the one that was asked for. */
  readonly otherWallets: readonly string[];
  /** What erasing leaves: cards of the wallet that can still be used, and accounts of the team with the mailbox. */
  readonly kept: { readonly liveCards: number; readonly adminAccounts: number };
  /** Names of the deliveries that told of the records. */
  readonly deliveries: readonly string[];
}

/** Finds and erases what is held of a person. Reference numbers and the audit trail stay. */
export interface ErasureStore {
  find(subject: ErasureSubject): Promise<PersonalData>;
  /**
   * Erases all of it in one transaction with the record of it, and cancels what was to be told.
   * @param recordOf makes that record of what was erased; it holds nothing personal
   */
  erase(
    subject: ErasureSubject,
    at: number,
    recordOf: (erased: PersonalData) => AuditRecord,
  ): Promise<PersonalData>;
}
