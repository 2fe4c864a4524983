import { atom } from 'nanostores';
import type { undoDecisions } from '../../../data/contract/admin-decisions.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import type { ChangeSender } from '../admin/admin-calls.ts';

/** Counts the attempts to undo on this page. When the count changes, an open record hides the outcome of its decision. */
export const $undoneCount = atom(0);

/** The records that the admin last decided or merged together, and can undo together. Empty after a single decision. */
export const $batchReferences = atom<readonly string[]>([]);

type Outcome = ResponseOf<typeof undoDecisions>['records'][number]['outcome'];

const NOT_UNDONE_TEXTS: Readonly<Record<Exclude<Outcome, 'undone'>, string>> = {
  unknown: 'was deleted',
  changed: 'changed since',
  over: 'too late to undo',
  sent: 'a message was sent',
  failed: 'an error occurred',
};

export interface UndoableDecision {
  readonly referenceNumber: string;
  readonly changedAt: string;
}

/** Undoes the decisions. A toast shows the outcome, including which decisions in a batch could not be undone. */
export async function undoAll(
  send: ChangeSender['send'],
  decisions: readonly UndoableDecision[],
): Promise<void> {
  const records = decisions.map(({ referenceNumber, changedAt }) => ({ referenceNumber, changedAt }));
  const [firstRecord] = records;
  if (firstRecord === undefined) return;
  const outcome =
    records.length === 1
      ? await send(PATHS.undoDecision, firstRecord)
      : await send(PATHS.undoDecisions, { records });
  if (outcome === null) return;
  $undoneCount.set($undoneCount.get() + 1);
  const failure = { title: 'Not undone', kind: 'failure', seconds: 10 } as const;
  if (outcome.kind !== 'done') return void showToast({ ...failure, text: outcome.message });
  if (!('undone' in outcome.body))
    return void showToast({ title: 'Decision undone', text: firstRecord.referenceNumber, kind: 'success' });
  const notUndoneTexts = outcome.body.records.flatMap((one) =>
    one.outcome === 'undone' ? [] : [`${one.referenceNumber} (${NOT_UNDONE_TEXTS[one.outcome]})`],
  );
  const title = `${outcome.body.undone} of ${records.length} decisions undone`;
  if (notUndoneTexts.length === 0)
    return void showToast({ title, text: 'All records have their previous status again.', kind: 'success' });
  void showToast({ ...failure, title, text: `Not undone: ${notUndoneTexts.join(', ')}.`, seconds: 15 });
}
