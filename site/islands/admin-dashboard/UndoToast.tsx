import { useQuery } from '@tanstack/react-query';
import { atom } from 'nanostores';
import { useEffect, useRef } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { openUndosQuery, useChange } from '../admin/admin-calls.ts';
import { isField } from './keys.ts';
import { labelOf } from './signs.tsx';

/** How many decisions were undone on this page. An open record then hides the outcome of its decision. */
export const $undone = atom(0);

/** Offers to undo the admin's newest decision, in a toast and with the key `z`, until the server would refuse it. */
export default function UndoToast() {
  const { data } = useQuery(openUndosQuery());
  const { send } = useChange();
  const newest = data?.undos[0];
  const undo = useRef<(() => void) | null>(null);
  // Read by the effect, which runs once for each decision.
  const latest = useRef({ send, remainingMs: 0 });
  latest.current = { send, remainingMs: newest?.remainingMs ?? 0 };
  const [reference, changedAt] = [newest?.referenceNumber, newest?.changedAt];
  const title =
    newest?.kind === 'loan-application' && newest.status === 'in-review'
      ? 'Vote saved'
      : labelOf(newest?.status ?? '');

  useEffect(() => {
    if (reference === undefined || changedAt === undefined) return;
    let close: (() => void) | null = null;
    let isOver = false;
    const end = () => {
      isOver = true;
      undo.current = null;
      close?.();
    };
    const run = async () => {
      end();
      const outcome = await latest.current.send(PATHS.undoDecision, {
        referenceNumber: reference,
        changedAt,
      });
      if (outcome === null) return;
      $undone.set($undone.get() + 1);
      void showToast(
        outcome.kind === 'done'
          ? { title: 'Decision undone', text: reference, kind: 'success' }
          : { title: 'Not undone', text: outcome.message, kind: 'failure', seconds: 10 },
      );
    };
    undo.current = () => void run();
    const timer = setTimeout(end, latest.current.remainingMs);
    void showToast({
      title,
      text: `${reference}. Mails about it are sent after ten seconds.`,
      kind: 'success',
      seconds: null,
      actions: [{ label: 'Undo', key: 'z', run: () => void run() }],
    }).then((closeToast) => {
      close = closeToast;
      if (isOver) close();
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [reference, changedAt, title]);

  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if (key !== 'z' || ctrlKey || metaKey || altKey || undo.current === null) return;
      if (target instanceof HTMLElement && isField(target)) return;
      event.preventDefault();
      undo.current();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  return null;
}
