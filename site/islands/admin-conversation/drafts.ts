import type { AttachedFile } from './conversation-calls.ts';

/** A reply that was not sent. */
export interface ReplyDraft {
  readonly subject: string;
  readonly text: string;
  /** Whether sending the reply makes the record wait for an answer. */
  readonly asks: boolean;
  /** The files that were uploaded for the reply. */
  readonly files: readonly AttachedFile[];
  /** The id of the newest message when the reply was begun; null if there was none. */
  readonly after: string | null;
}

export const EMPTY_DRAFT: ReplyDraft = { subject: '', text: '', asks: false, files: [], after: null };

/** Unsent replies by reference number. In memory only, so that nothing stays in the browser after the admin leaves. */
const drafts = new Map<string, ReplyDraft>();

export const draftOf = (referenceNumber: string): ReplyDraft | null => drafts.get(referenceNumber) ?? null;

export function storeReplyDraft(referenceNumber: string, draft: ReplyDraft | null): void {
  if (draft === null) drafts.delete(referenceNumber);
  else drafts.set(referenceNumber, draft);
}
