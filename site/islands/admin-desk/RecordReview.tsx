import { useEffect, useRef, useState } from 'react';
import { DecisionForm } from './DecisionForm.tsx';
import type { Opening } from './DeskList.tsx';
import { Documents } from './Documents.tsx';
import type { DeskRecord } from './desk-calls.ts';
import { RecordFacts } from './RecordFacts.tsx';
import { Decisions, Deliveries, Notes, StandingVotes } from './RecordParts.tsx';
import styles from './record.module.css';
import { actionsOn, type RecordAction } from './record-actions.ts';
import { useMay } from './role.ts';
import { Status } from './Sign.tsx';
import { type Decided, type Decision, useDecision } from './use-decision.ts';
import { useDialogKeys } from './use-dialog-keys.ts';

interface RecordReviewProps {
  readonly about: DeskRecord;
  readonly begin: Opening['begin'];
  readonly onBusy: (isBusy: boolean) => void;
  /** Null at the last one of the queue. */
  readonly onNext: (() => void) | null;
}

const BEGIN = { approve: 'approved', refuse: 'refused' } as const;

/** A record with the decisions that can be made on it. */
export function RecordReview({ about, begin, onBusy, onNext }: RecordReviewProps) {
  const mayDecide = useMay('reviewer');
  const { isBusy, decide } = useDecision(about);
  const actions = mayDecide ? actionsOn(about) : [];
  const [chosen, setChosen] = useState<RecordAction['id'] | null>(begin === null ? null : BEGIN[begin]);
  const [decided, setDecided] = useState<Decided | null>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const action = actions.find(({ id }) => id === chosen);
  useEffect(() => onBusy(isBusy), [isBusy, onBusy]);
  useEffect(() => {
    if (decided !== null) outcome.current?.focus();
  }, [decided]);

  const run = async (decision: Decision) => {
    const came = await decide(decision);
    // A failure leaves the form as it is: what was written is still there.
    if (came.kind !== 'failed') setChosen(null);
    setDecided(came);
  };
  const start = (one: RecordAction) => {
    setDecided(null);
    setChosen(one.id);
  };
  useDialogKeys(outcome, (event) => {
    const one = isBusy ? undefined : actions.find(({ key }) => key === event.key);
    if (one === undefined) return;
    event.preventDefault();
    start(one);
  });

  return (
    <>
      {'status' in about.record ? (
        <p className={styles.stands}>
          <Status status={about.record.status} />
        </p>
      ) : null}
      {/* Who has just voted is told so by the outcome. */}
      {decided?.kind === 'done' ? null : <StandingVotes about={about} />}
      <div ref={outcome} tabIndex={-1} className={styles.outcome}>
        {decided === null ? null : (
          <div data-outcome={decided.kind} role={decided.kind === 'done' ? 'status' : 'alert'}>
            <p>
              {decided.kind === 'conflict' ? <strong>Nothing was decided. </strong> : null}
              {decided.words}
            </p>
            {onNext === null || decided.kind === 'failed' ? null : (
              <button type="button" className="button" onClick={onNext}>
                Next <kbd>n</kbd>
              </button>
            )}
          </div>
        )}
      </div>
      {action === undefined ? (
        actions.length === 0 ? null : (
          <p className={styles.actions}>
            {actions.map((one) => (
              <button
                key={one.id}
                type="button"
                className={one.id === 'approved' ? 'button gold' : 'button'}
                aria-keyshortcuts={one.key}
                onClick={() => start(one)}
              >
                {one.label} <kbd>{one.key}</kbd>
              </button>
            ))}
          </p>
        )
      ) : (
        <DecisionForm
          key={action.id}
          action={action}
          isBusy={isBusy}
          onDecide={(decision) => void run(decision)}
          onCancel={() => setChosen(null)}
        />
      )}
      <RecordFacts about={about} />
      {about.kind === 'loan-application' ? <Documents documents={about.record.documents} /> : null}
      <Decisions about={about} />
      <Notes about={about} />
      <Deliveries {...about} />
    </>
  );
}
