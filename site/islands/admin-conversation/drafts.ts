import { useState } from 'react';
import type { AttachedFile } from './conversation-calls.ts';

export interface ReplyDraft {
  readonly subject: string;
  readonly text: string;
  /** Whether the record waits for an answer after the reply is sent. */
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
 * Other unsent texts, such as notes and reasons, also in memory only. The key of a reason for an action consists of the
 * record's reference number and the action's id. The key of a reason for overriding warnings also ends in `despite`.
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

/** For tests. Otherwise drafts from one test would be in the next test of the same file. */
export function clearDrafts(): void {
  drafts.clear();
  texts.clear();
}
