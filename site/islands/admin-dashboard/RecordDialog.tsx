import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { listOf } from '../../../data/model/admin-lists.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import { recordQuery } from '../admin/admin-calls.ts';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { Loading } from '../ui/ReadStates.tsx';
import { useDialogKeys } from './keys.ts';
import type { Opening } from './RecordList.tsx';
import { listOfKind, RecordReview } from './RecordReview.tsx';
import styles from './record.module.css';

interface RecordDialogProps {
  readonly opening: Opening;
  /** Shows another record in the queue. */
  readonly onGo: (reference: string) => void;
  readonly onClose: () => void;
}

/** A record with its history and actions. The keys `n` and `p` open the next and previous record in the queue. */
export default function RecordDialog({ opening, onGo, onClose }: RecordDialogProps) {
  const { reference, queue } = opening;
  const reading = useQuery(recordQuery(reference));
  const { data } = reading;
  const [isBusy, setBusy] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const position = queue.indexOf(reference);
  const next = position < 0 ? undefined : queue[position + 1];
  const previous = position < 1 ? undefined : queue[position - 1];
  useEffect(() => {
    // With the focus on the heading, screen readers announce the record and the dialog's keys work.
    if (reference !== '') heading.current?.focus();
  }, [reference]);

  const go = (to: string | undefined) => {
    if (to !== undefined && !isBusy) onGo(to);
  };
  useDialogKeys(heading, (event) => {
    if (event.key === 'n') go(next);
    else if (event.key === 'p') go(previous);
    else return;
    event.preventDefault();
  });
  return (
    <ModalDialog labelledby="record-title" isBusy={isBusy} onClose={onClose}>
      {(close) => (
        <div className={styles.record}>
          <header>
            <h2 id="record-title" ref={heading} tabIndex={-1}>
              {data === undefined ? 'Record' : listOf(listOfKind(data.kind)).recordTitle}
            </h2>
            <p className={styles.reference}>{reference}</p>
            {position < 0 ? null : (
              <p className={styles.quiet}>{`${position + 1} of ${queue.length} on this page`}</p>
            )}
          </header>
          <ReadError reading={reading} what="the record" />
          {data === undefined ? (
            reading.error === null && (
              <p aria-busy="true">
                <Loading width={36} />
              </p>
            )
          ) : (
            <RecordReview
              key={reference}
              stored={data}
              begin={opening.begin}
              onBusy={setBusy}
              onNext={next === undefined ? null : () => go(next)}
            />
          )}
          <footer>
            <button type="button" className="button" disabled={isBusy} onClick={close}>
              Close
            </button>
            {queue.length < 2 ? null : (
              <span>
                {[
                  { label: 'Previous', to: previous },
                  { label: 'Next', to: next },
                ].map(({ label, to }) => (
                  <button
                    key={label}
                    type="button"
                    className="button"
                    aria-disabled={to === undefined}
                    onClick={() => go(to)}
                  >
                    {label}
                  </button>
                ))}
              </span>
            )}
          </footer>
        </div>
      )}
    </ModalDialog>
  );
}
