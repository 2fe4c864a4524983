import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { faultText } from '../../data/call-fault.ts';
import { Bone } from '../figure/Bone.tsx';
import { RetryButton } from '../figure/RetryButton.tsx';
import { ModalDialog } from '../form/ModalDialog.tsx';
import type { Opening } from './DeskList.tsx';
import { type DeskRecord, recordQuery } from './desk-calls.ts';
import { RecordReview } from './RecordReview.tsx';
import styles from './record.module.css';

const TITLES: Readonly<Record<DeskRecord['kind'], string>> = {
  'card-application': 'Application Details',
  'contact-message': 'Contact Details',
  'verification-request': 'Verification Request',
  'loan-application': 'Loan Application',
};

interface RecordDialogProps {
  readonly opening: Opening;
  /** Goes on to another record of the queue. */
  readonly onGo: (reference: string) => void;
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

/** All that is known of one record, and what can be done with it. `n` and `p` lead through those beside it. */
export function RecordDialog({ opening, onGo, onClose, onHelp }: RecordDialogProps) {
  const { reference, queue } = opening;
  const { data, error, isFetching, refetch } = useQuery(recordQuery(reference));
  const [isBusy, setBusy] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const place = queue.indexOf(reference);
  const next = place < 0 ? undefined : queue[place + 1];
  const previous = place < 1 ? undefined : queue[place - 1];
  useEffect(() => {
    // Each record is told anew, and its keys work at once.
    if (reference !== '') heading.current?.focus();
  }, [reference]);

  const go = (to: string | undefined) => {
    if (to !== undefined && !isBusy) onGo(to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof HTMLElement)) return;
    if (event.target.matches('input:not([type="radio"]), select, textarea')) return;
    if (event.key === 'n') go(next);
    else if (event.key === 'p') go(previous);
    else if (event.key === '?') onHelp();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <ModalDialog labelledby="record-title" isBusy={isBusy} onClose={onClose}>
      {(close) => (
        // Keys of the whole dialog; each has a button beside it.
        // biome-ignore lint/a11y/noStaticElementInteractions: see above
        <div onKeyDown={onKeyDown} className={styles.record}>
          <header>
            <h2 id="record-title" ref={heading} tabIndex={-1}>
              {data === undefined ? 'Record' : TITLES[data.kind]}
            </h2>
            <p className={styles.reference}>{reference}</p>
            {place < 0 ? null : (
              <p className={styles.quiet}>{`${place + 1} of ${queue.length} on this page`}</p>
            )}
          </header>
          {data === undefined ? (
            error === null ? (
              <Reading />
            ) : (
              <p className={styles.fault} role="alert">
                {faultText(error, 'The record could not be read.')}{' '}
                <RetryButton retry={{ run: () => void refetch(), running: isFetching }} what="the record" />
              </p>
            )
          ) : (
            <RecordReview
              key={reference}
              about={data}
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
                <button
                  type="button"
                  className="button"
                  aria-disabled={previous === undefined}
                  onClick={() => go(previous)}
                >
                  Previous
                </button>
                <button
                  type="button"
                  className="button"
                  aria-disabled={next === undefined}
                  onClick={() => go(next)}
                >
                  Next
                </button>
              </span>
            )}
          </footer>
        </div>
      )}
    </ModalDialog>
  );
}

function Reading() {
  return (
    <p aria-busy="true">
      <span className="visually-hidden">Loading</span>
      <Bone width={36} />
    </p>
  );
}
