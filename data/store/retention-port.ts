/** The part of `app.db` that is deleted after its time, by itself. Times are Unix milliseconds. */
export interface RetentionStore {
  /** Applications for the loan note that were decided up to a moment, and whose documents are still there. */
  documentsDue(decidedBy: number): Promise<readonly string[]>;
  /**
   * Deletes the documents of one application that was decided up to a moment, with an audit record of each, in one
   * transaction.
   * @returns how many were deleted; none where they are gone already, or it is not decided
   */
  deleteDocuments(referenceNumber: string, decidedBy: number, at: number): Promise<number>;
  /**
   * Deletes what has run out: wallets' sessions that expired or were signed out of, sign-in messages that expired, and
   * answers kept for repeated submissions from before a moment.
   * @returns how many rows went
   */
  deleteExpired(now: number, answersBefore: number): Promise<number>;
  /** Empties the write-ahead log into the file, so that what was deleted is no longer in it. */
  foldLog(): Promise<void>;
}
