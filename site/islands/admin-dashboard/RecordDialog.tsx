import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react';
import { LIST_OF_KIND, listDefinition } from '../../../data/model/admin-lists.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import { recordQuery } from '../admin/admin-calls.ts';
import { Loading } from '../ui/ReadStates.tsx';
import panel from './panel.module.css';
import type { RecordOpening } from './RecordList.tsx';
import { RecordReview } from './RecordReview.tsx';
import styles from './record.module.css';
import { isField, isInModalDialog, openNeighbor, useDialogKeys } from './shortcut-keys.ts';

interface RecordDialogProps {
  readonly opening: RecordOpening;
  /** Whether the record is shown beside its list, which stays usable. If not, the record covers the page. */
  readonly isBeside: boolean;
  /** Whether a decision is being sent. Until the outcome of the decision is shown, the record cannot be closed. */
  readonly isBusy: boolean;
  readonly onBusy: (isBusy: boolean) => void;
  readonly onShowRecord: (reference: string) => void;
  readonly onClose: () => void;
}

/**
 * The keys `n` and `p` open the next and previous record in the queue. Beside its list, `j` and `k` open the records
 * in the next and previous rows.
 */
export default function RecordDialog({
  opening,
  isBeside,
  isBusy,
  onBusy,
  onShowRecord,
  onClose,
}: RecordDialogProps) {
  const { reference, queue } = opening;
  const reading = useQuery(recordQuery(reference));
  const { data } = reading;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  /** Whether the last press began outside the dialog. If not, a click outside may be the end of a drag that selected text. */
  const isPressedOutside = useRef(false);
  const position = queue.indexOf(reference);
  const nextReference = position < 0 ? undefined : queue[position + 1];
  const previousReference = position < 1 ? undefined : queue[position - 1];
  // Runs before the browser paints, so that the next key press already reaches the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    // The same element is used beside the list and over the page, so a change in screen width loses neither the focus nor
    // the typed text.
    const focusedElement = element.contains(document.activeElement) ? document.activeElement : null;
    if (element.open) element.close();
    if (isBeside) element.show();
    else {
      element.showModal();
      // The reopened dialog now covers the dialogs inside it. Reopening them brings them to the front.
      for (const innerDialog of element.querySelectorAll<HTMLDialogElement>('dialog[open]')) {
        innerDialog.close();
        innerDialog.showModal();
      }
    }
    if (focusedElement instanceof HTMLElement) focusedElement.focus();
  }, [isBeside]);
  useEffect(() => {
    // With the focus on the heading, screen readers announce the record, and the dialog's shortcut keys work.
    if (!opening.isBrowsing) heading.current?.focus();
    dialog.current?.scrollTo(0, 0);
  }, [opening]);

  const showRecord = (to: string | undefined) => {
    if (to !== undefined && !isBusy) onShowRecord(to);
  };
  const close = () => {
    if (!isBusy) dialog.current?.close();
  };
  useDialogKeys(heading, (event) => {
    if (event.key === 'n') showRecord(nextReference);
    else if (event.key === 'p') showRecord(previousReference);
    else if (isBeside && event.key === 'j') openNeighbor(reference, 1);
    else if (isBeside && event.key === 'k') openNeighbor(reference, -1);
    else if (isBeside && event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event;
    if (key !== 'Escape' || !(target instanceof HTMLElement) || isInModalDialog(target)) return;
    if (!isField(target)) return;
    // Keeps a modal dialog open: in a field, Escape only moves the focus to the heading.
    event.preventDefault();
    heading.current?.focus();
  };
  return (
    <dialog
      ref={dialog}
      className={isBeside ? panel.beside : panel.over}
      aria-labelledby="record-title"
      onClose={() => {
        // When the screen width changes, the dialog closes and reopens at once. By the time this handler runs, it is open again.
        if (dialog.current?.open !== true) onClose();
      }}
      onCancel={(event) => {
        if (isBusy) event.preventDefault();
      }}
      onPointerDown={({ target }) => {
        isPressedOutside.current = target === dialog.current;
      }}
      onClick={({ target }) => {
        if (target === dialog.current && isPressedOutside.current && !isBeside) close();
      }}
      onKeyDown={onKeyDown}
    >
      <div>
        <header className={panel.head}>
          <div>
            <h2 id="record-title" ref={heading} tabIndex={-1}>
              {data === undefined ? 'Record' : listDefinition(LIST_OF_KIND[data.kind]).recordTitle}
            </h2>
            <p>
              <span className={styles.reference}>{reference}</span>
              {position < 0 ? null : <span>{`${position + 1} of ${queue.length} on this page`}</span>}
            </p>
          </div>
          <div>
            {queue.length < 2
              ? null
              : [
                  { label: 'Previous', to: previousReference, icon: 'M4.5 12.5 10 7l5.5 5.5' },
                  { label: 'Next', to: nextReference, icon: 'M4.5 7.5 10 13l5.5-5.5' },
                ].map(({ label, to, icon }) => (
                  <button
                    key={label}
                    type="button"
                    className="button square"
                    aria-label={label}
                    aria-disabled={to === undefined}
                    onClick={() => showRecord(to)}
                  >
                    <svg viewBox="0 0 20 20" aria-hidden="true">
                      <path d={icon} />
                    </svg>
                  </button>
                ))}
            <button
              type="button"
              className="button square"
              aria-label="Close"
              disabled={isBusy}
              onClick={close}
            >
              <svg viewBox="0 0 20 20" aria-hidden="true">
                <path d="M5 5l10 10M15 5 5 15" />
              </svg>
            </button>
          </div>
        </header>
        <div className={`${styles.record} ${panel.body}`}>
          <ReadError reading={reading} what="the record" />
          {data === undefined ? (
            reading.error === null && (
              <p aria-busy="true">
                <Loading width={36} />
              </p>
            )
          ) : (
            <RecordReview
              key={`${reference} ${opening.initialAction ?? ''}`}
              storedRecord={data}
              initialAction={opening.initialAction}
              onBusy={onBusy}
              onNext={nextReference === undefined ? null : () => showRecord(nextReference)}
            />
          )}
        </div>
      </div>
    </dialog>
  );
}
