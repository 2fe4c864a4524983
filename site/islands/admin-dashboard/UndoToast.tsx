import { useStore } from '@nanostores/react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { openUndos } from '../../../data/contract/admin-decisions.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { UNDO_MS } from '../../../data/model/undo.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { adminQuery, useChange } from '../admin/admin-calls.ts';
import { isField } from './shortcut-keys.ts';
import { labelOf } from './status-labels.tsx';
import { $batchReferences, type UndoableDecision, undoAll } from './undo-all.ts';

const STATUSES_WITH_EMAIL: readonly string[] = ['approved', 'refused'];

/**
 * Offers to undo the admin's newest decision in a toast and with the key `z`. If several records were decided together,
 * it offers to undo all of these decisions. The offer ends when the server stops accepting the undo.
 */
export default function UndoToast() {
  const { data } = useQuery(adminQuery<typeof openUndos>(PATHS.openUndos));
  const { send } = useChange();
  const batchReferences = useStore($batchReferences);
  const newestDecision = data?.undos[0];
  const batchDecisions =
    newestDecision !== undefined && batchReferences.includes(newestDecision.referenceNumber)
      ? (data?.undos ?? []).filter(({ referenceNumber }) => batchReferences.includes(referenceNumber))
      : [];
  const count = Math.max(1, batchDecisions.length);
  const undo = useRef<(() => void) | null>(null);
  // The effect runs only once for each decision, so it reads the latest values from this ref.
  const latestValues = useRef({ send, remainingMs: 0, decisions: [] as readonly UndoableDecision[] });
  latestValues.current = {
    send,
    remainingMs: newestDecision?.remainingMs ?? 0,
    decisions: count > 1 ? batchDecisions : newestDecision ? [newestDecision] : [],
  };
  // Some decisions in a batch may stop being undoable before others. The key identifies the whole batch, so it stays the same.
  const key =
    newestDecision &&
    (count > 1 ? batchReferences.join() : `${newestDecision.referenceNumber} ${newestDecision.changedAt}`);
  const label =
    newestDecision?.kind === 'loan-application' && newestDecision.status === 'in-review'
      ? 'Vote saved'
      : labelOf(newestDecision?.status ?? '');
  const isMerge = newestDecision?.status === 'merged';
  const sendsMail =
    newestDecision?.kind !== 'contact-message' && STATUSES_WITH_EMAIL.includes(newestDecision?.status ?? '');

  useEffect(() => {
    if (key === undefined) return;
    const { decisions, remainingMs } = latestValues.current;
    const isBatch = decisions.length > 1;
    let close: (() => void) | null = null;
    let isOver = false;
    const endOffer = () => {
      isOver = true;
      undo.current = null;
      close?.();
    };
    const run = () => {
      endOffer();
      void undoAll(latestValues.current.send, isBatch ? latestValues.current.decisions : decisions);
    };
    undo.current = run;
    const timer = setTimeout(endOffer, remainingMs);
    const subject = isBatch ? `${decisions.length} records` : (decisions[0]?.referenceNumber ?? '');
    void showToast({
      title: label,
      text: isMerge
        ? subject
        : `${subject}. You can undo this for ${UNDO_MS / 1_000} seconds.${sendsMail ? ' Emails are sent after that.' : ''}`,
      kind: 'success',
      seconds: null,
      actions: [{ label: isBatch ? 'Undo all' : 'Undo', shortcutKey: 'z', run }],
    }).then((closeToast) => {
      close = closeToast;
      if (isOver) close();
    });
    return () => {
      clearTimeout(timer);
      endOffer();
    };
  }, [key, label, isMerge, sendsMail]);

  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key: pressedKey, target, ctrlKey, metaKey, altKey } = event;
      if (pressedKey !== 'z' || ctrlKey || metaKey || altKey || undo.current === null) return;
      if (target instanceof HTMLElement && isField(target)) return;
      event.preventDefault();
      undo.current();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  return null;
}
