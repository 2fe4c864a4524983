import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { LIST_OF_KIND, listDefinition } from '../../../data/model/admin-lists.ts';
import { type StoredRecord, useHasRole } from '../admin/admin-calls.ts';
import { Conversation } from '../admin-conversation/Conversation.tsx';
import { forgetReasons } from '../admin-conversation/drafts.ts';
import { Dash } from '../ui/ReadStates.tsx';
import { Assignee } from './Assignee.tsx';
import { Bounces } from './Bounces.tsx';
import { CardReview } from './CardReview.tsx';
import { DecisionForm } from './DecisionForm.tsx';
import { Documents } from './Documents.tsx';
import {
  actionsOn,
  type Decision,
  type DecisionOutcome,
  isApproval,
  type RecordAction,
  useDecision,
  warningsOf,
} from './decisions.ts';
import { factRenderer } from './list-cells.tsx';
import { Notes } from './Notes.tsx';
import { OtherRecords } from './OtherRecords.tsx';
import panel from './panel.module.css';
import type { RecordOpening } from './RecordList.tsx';
import { CurrentStake, Decisions, Deliveries, Votes, Warnings } from './RecordSections.tsx';
import styles from './record.module.css';
import { useDialogKeys } from './shortcut-keys.ts';
import { Status } from './status-labels.tsx';
import { $undoneCount } from './undo-all.ts';
import '../../styles/definitions.css';

interface RecordReviewProps {
  readonly storedRecord: StoredRecord;
  readonly initialAction: RecordOpening['initialAction'];
  readonly onBusy: (isBusy: boolean) => void;
  /** Opens the next record; null at the end of the queue. */
  readonly onNext: (() => void) | null;
}

// Loaded on demand, because few records are merged.
const MergeLinks = lazy(() => import('./MergeLinks.tsx'));

export function RecordReview({ storedRecord, initialAction, onBusy, onNext }: RecordReviewProps) {
  const mayDecide = useHasRole('reviewer');
  const { isBusy, decide } = useDecision(storedRecord);
  const actions = mayDecide ? actionsOn(storedRecord) : [];
  const [chosenActionId, setChosenActionId] = useState<RecordAction['id'] | null>(initialAction);
  const [decisionOutcome, setDecisionOutcome] = useState<DecisionOutcome | null>(null);
  const outcomeElement = useRef<HTMLDivElement>(null);
  const action = actions.find(({ id }) => id === chosenActionId);
  // Runs before the browser paints, so that the dialog's shortcut keys work as soon as the outcome is visible.
  useLayoutEffect(() => {
    onBusy(isBusy);
    return () => onBusy(false);
  }, [isBusy, onBusy]);
  useLayoutEffect(() => {
    if (decisionOutcome !== null) outcomeElement.current?.focus();
  }, [decisionOutcome]);
  const { referenceNumber, mergedInto } = storedRecord;
  useEffect(() => {
    // An action may no longer be possible, for example after another admin's decision. The reason entered for it is then
    // discarded, because no form would show it again.
    if (mayDecide)
      forgetReasons(referenceNumber, mergedInto === null ? actions.map(({ id }) => id) : ['split']);
  });
  useEffect(() => $undoneCount.listen(() => setDecisionOutcome(null)), []);

  const makeDecision = async (decision: Decision) => {
    const result = await decide(decision);
    if (result === null) return false;
    // After a failure, the form stays open. After a conflict, it closes, but keeps the reason for the next time it opens.
    if (result.kind !== 'failed') setChosenActionId(null);
    setDecisionOutcome(result);
    return result.kind === 'done';
  };
  const chooseAction = (one: RecordAction) => {
    setDecisionOutcome(null);
    setChosenActionId(one.id);
  };
  useDialogKeys(outcomeElement, (event) => {
    const one = isBusy ? undefined : actions.find(({ key }) => key === event.key);
    if (one === undefined) return;
    event.preventDefault();
    chooseAction(one);
  });

  return (
    <>
      {'status' in storedRecord.record ? (
        <p>
          <Status status={storedRecord.record.status} />
        </p>
      ) : null}
      {storedRecord.mergedInto === null && storedRecord.merged.length === 0 ? null : (
        <Suspense>
          <MergeLinks stored={storedRecord} />
        </Suspense>
      )}
      {storedRecord.mergedInto === null ? <Assignee stored={storedRecord} /> : null}
      {/* The outcome below already reports a vote that was just sent. */}
      {decisionOutcome?.kind === 'done' ? null : <Votes stored={storedRecord} />}
      <div ref={outcomeElement} tabIndex={-1} className={styles.outcome}>
        {decisionOutcome === null ? null : (
          <div
            data-outcome={decisionOutcome.kind}
            role={decisionOutcome.kind === 'done' ? 'status' : 'alert'}
          >
            <p>
              {decisionOutcome.kind === 'conflict' ? <strong>Not saved. </strong> : null}
              {decisionOutcome.message}
            </p>
            {onNext === null || decisionOutcome.kind === 'failed' ? null : (
              <button type="button" className="button" onClick={onNext}>
                Next <kbd>n</kbd>
              </button>
            )}
          </div>
        )}
      </div>
      {action === undefined ? (
        actions.length === 0 ? null : (
          <>
            {actions.some(isApproval) ? <Warnings warnings={warningsOf(storedRecord)} /> : null}
            <p className={`${styles.actions} ${panel.decisions}`}>
              {actions.map((one) => (
                <button
                  key={one.id}
                  type="button"
                  className={one.id === 'approved' ? 'button gold' : 'button'}
                  aria-keyshortcuts={one.key}
                  onClick={() => chooseAction(one)}
                >
                  {one.label} <kbd>{one.key}</kbd>
                </button>
              ))}
            </p>
          </>
        )
      ) : (
        <DecisionForm
          key={action.id}
          storedRecord={storedRecord}
          action={action}
          isBusy={isBusy}
          onDecide={makeDecision}
          onCancel={() => {
            setChosenActionId(null);
            document.getElementById('record-title')?.focus();
          }}
        />
      )}
      <Bounces stored={storedRecord} />
      <RecordFacts stored={storedRecord} />
      {'card' in storedRecord.record && storedRecord.record.card !== null ? (
        <CardReview card={storedRecord.record.card} />
      ) : null}
      {storedRecord.kind === 'loan-application' ? <Documents stored={storedRecord} /> : null}
      <Conversation
        referenceNumber={storedRecord.referenceNumber}
        kind={storedRecord.kind}
        subject={storedRecord.kind === 'contact-message' ? storedRecord.record.subject : null}
        isMerged={storedRecord.mergedInto !== null}
      />
      <Notes stored={storedRecord} />
      <OtherRecords stored={storedRecord} />
      <Decisions stored={storedRecord} />
      <Deliveries {...storedRecord} />
    </>
  );
}

type Fact = readonly [label: string, value: ReactNode];

function factsOf({ kind, record }: StoredRecord): readonly Fact[] {
  const list = LIST_OF_KIND[kind];
  const facts = listDefinition(list).dialogFields.map(
    ({ field, label }): Fact => [label, factRenderer(list, field)(record)],
  );
  switch (kind) {
    case 'verification-request':
      return [
        ...facts,
        ['Stake now', <CurrentStake key="stake" {...record.walletNow} />],
        ['Whitelisted tier', record.whitelistedTier ?? 'None'],
      ];
    case 'card-application':
      return record.walletNow
        ? [...facts, ['Stake now', <CurrentStake key="stake" {...record.walletNow} />]]
        : facts;
    default:
      return facts;
  }
}

function RecordFacts({ stored: storedRecord }: { readonly stored: StoredRecord }) {
  return (
    <dl className={`definitions ${styles.facts}`}>
      {factsOf(storedRecord).map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value === null || value === '' ? <Dash why="Not given" /> : value}</dd>
        </div>
      ))}
    </dl>
  );
}
