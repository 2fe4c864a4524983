import { useState } from 'react';
import type { AttachedFile } from './conversation-calls.ts';

export interface ReplyDraft {
  readonly subject: string;
  readonly text: string;
  /** Whether sending the reply makes the record wait for an answer. */
  readonly asks: boolean;
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

/**
 * Other unsent texts, also in memory only. The key of a reason is the reference number and the id of the action. The key of
 * the reason for overriding warnings also ends in `despite`.
 */
const texts = new Map<string, string>();

/** The state of a field whose text is kept when its form or record closes, until it is set to `empty`. */
export function useKeptText<Empty extends '' | null>(key: string, empty: Empty) {
  const [text, setText] = useState<string | Empty>(texts.get(key) ?? empty);
  const keepText = (newText: string | Empty) => {
    setText(newText);
    if (newText) texts.set(key, newText);
    else texts.delete(key);
  };
  return [text, keepText] as const;
}

/** Forgets the reasons for actions on a record, except for those that `actionIds` lists. */
export function forgetReasons(referenceNumber: string, actionIds: readonly string[] = []): void {
  for (const key of texts.keys()) {
    const [record, actionId = ''] = key.split(' ');
    if (record === referenceNumber && !actionIds.includes(actionId)) texts.delete(key);
  }
}

export const hasDrafts = (): boolean => drafts.size + texts.size > 0;

/** For tests, because the tests of a file share the drafts. */
export function clearDrafts(): void {
  drafts.clear();
  texts.clear();
}
