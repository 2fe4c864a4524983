import { useState } from 'react';
import type { AttachedFile } from './conversation-calls.ts';

export interface ReplyDraft {
  readonly subject: string;
  readonly text: string;
  /** Whether the record waits for an answer once the reply is sent. */
  readonly asks: boolean;
  readonly files: readonly AttachedFile[];
  /** The id of the newest message when the admin began the reply; null if there was none. */
  readonly after: string | null;
}

export const EMPTY_DRAFT: ReplyDraft = { subject: '', text: '', asks: false, files: [], after: null };

/** Unsent replies by reference number, kept only in memory, so that nothing stays in the browser after the admin leaves. */
const drafts = new Map<string, ReplyDraft>();

export const draftOf = (referenceNumber: string): ReplyDraft | null => drafts.get(referenceNumber) ?? null;

export function storeReplyDraft(referenceNumber: string, draft: ReplyDraft | null): void {
  if (draft === null) drafts.delete(referenceNumber);
  else drafts.set(referenceNumber, draft);
}

/**
 * Other unsent texts, such as notes and reasons, also kept only in memory. A reason's key consists of the record's
 * reference number and the action's id, followed by `despite` if the reason is for overriding warnings.
 */
const texts = new Map<string, string>();

/** The text of a field and its setter. The text outlives the form and the record dialog; setting it to `empty` discards it. */
export function useKeptText<Empty extends '' | null>(key: string, empty: Empty) {
  const [text, setText] = useState<string | Empty>(texts.get(key) ?? empty);
  const keepText = (newText: string | Empty) => {
    setText(newText);
    if (newText) texts.set(key, newText);
    else texts.delete(key);
  };
  return [text, keepText] as const;
}

/** Discards the reasons entered for actions on a record, except those for the actions in `actionIds`. */
export function forgetReasons(referenceNumber: string, actionIds: readonly string[] = []): void {
  for (const key of texts.keys()) {
    const [record, actionId = ''] = key.split(' ');
    if (record === referenceNumber && !actionIds.includes(actionId)) texts.delete(key);
  }
}

export const hasDrafts = (): boolean => drafts.size + texts.size > 0;

/** For tests: discards all unsent texts, so that none leaks into the next test. */
export function clearDrafts(): void {
  drafts.clear();
  texts.clear();
}
