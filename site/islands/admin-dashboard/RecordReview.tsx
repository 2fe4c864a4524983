import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { LIST_IDS, type ListId, listDefinition } from '../../../data/model/admin-lists.ts';
import { type StoredRecord, useHasRole } from '../admin/admin-calls.ts';
import { Conversation } from '../admin-conversation/Conversation.tsx';
import { Dash } from '../ui/ReadStates.tsx';
import { Assignee } from './Assignee.tsx';
import { Bounces } from './Bounces.tsx';
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
import { useDialogKeys } from './keys.ts';
import { factOf } from './list-cells.tsx';
import { Notes } from './Notes.tsx';
import { OtherRecords } from './OtherRecords.tsx';
import panel from './panel.module.css';
import type { Opening } from './RecordList.tsx';
import { Decisions, Deliveries, StakeNow, Votes, Warnings } from './RecordParts.tsx';
import styles from './record.module.css';
import { Status } from './signs.tsx';
import { TeamCard } from './TeamCard.tsx';
import { $undoneCount } from './undo-all.ts';
import '../../styles/definitions.css';

interface RecordReviewProps {
  readonly stored: StoredRecord;
  readonly begin: Opening['begin'];
  readonly onBusy: (isBusy: boolean) => void;
  /** Null at the end of the queue. */
  readonly onNext: (() => void) | null;
}

// Loaded on demand, because few records are merged.
const Merged = lazy(() => import('./Merged.tsx'));

const ACTION_TO_BEGIN = { approve: 'approved', refuse: 'refused' } as const;

/** A record and the decisions that can be made on it. */
export function RecordReview({ stored, begin, onBusy, onNext }: RecordReviewProps) {
  const mayDecide = useHasRole('reviewer');
  const { isBusy, decide } = useDecision(stored);
  const actions = mayDecide ? actionsOn(stored) : [];
  const [chosen, setChosen] = useState<RecordAction['id'] | null>(
    begin === null ? null : ACTION_TO_BEGIN[begin],
  );
  const [decided, setDecided] = useState<DecisionOutcome | null>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const action = actions.find(({ id }) => id === chosen);
  // Runs before the paint, so that the dialog's keys work as soon as the outcome is visible.
  useLayoutEffect(() => {
    onBusy(isBusy);
    return () => onBusy(false);
  }, [isBusy, onBusy]);
  useLayoutEffect(() => {
    if (decided !== null) outcome.current?.focus();
  }, [decided]);
  useEffect(() => $undoneCount.listen(() => setDecided(null)), []);

  const makeDecision = async (decision: Decision) => {
    const result = await decide(decision);
    if (result === null) return;
    // After a failure, the form stays open with what was entered.
    if (result.kind !== 'failed') setChosen(null);
    setDecided(result);
  };
  const chooseAction = (one: RecordAction) => {
    setDecided(null);
    setChosen(one.id);
  };
  useDialogKeys(outcome, (event) => {
    const one = isBusy ? undefined : actions.find(({ key }) => key === event.key);
    if (one === undefined) return;
    event.preventDefault();
    chooseAction(one);
  });

  return (
    <>
      {'status' in stored.record ? (
        <p>
          <Status status={stored.record.status} />
        </p>
      ) : null}
      {stored.mergedInto === null && stored.merged.length === 0 ? null : (
        <Suspense>
          <Merged stored={stored} />
        </Suspense>
      )}
      {stored.mergedInto === null ? <Assignee stored={stored} /> : null}
      {/* The outcome below already reports a vote that was just sent. */}
      {decided?.kind === 'done' ? null : <Votes stored={stored} />}
      <div ref={outcome} tabIndex={-1} className={styles.outcome}>
        {decided === null ? null : (
          <div data-outcome={decided.kind} role={decided.kind === 'done' ? 'status' : 'alert'}>
            <p>
              {decided.kind === 'conflict' ? <strong>Not saved. </strong> : null}
              {decided.message}
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
          <>
            {actions.some(isApproval) ? <Warnings warnings={warningsOf(stored)} /> : null}
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
          stored={stored}
          action={action}
          isBusy={isBusy}
          onDecide={(decision) => void makeDecision(decision)}
          onCancel={() => setChosen(null)}
        />
      )}
      <Bounces stored={stored} />
      <RecordFacts stored={stored} />
      {'card' in stored.record && stored.record.card !== null ? <TeamCard card={stored.record.card} /> : null}
      {stored.kind === 'loan-application' ? <Documents stored={stored} /> : null}
      <Conversation
        referenceNumber={stored.referenceNumber}
        kind={stored.kind}
        subject={stored.kind === 'contact-message' ? stored.record.subject : null}
        isMerged={stored.mergedInto !== null}
      />
      <Notes stored={stored} />
      <OtherRecords stored={stored} />
      <Decisions stored={stored} />
      <Deliveries {...stored} />
    </>
  );
}

type Fact = readonly [label: string, value: ReactNode];

/** The list that shows a kind of record. */
export function listOfKind(kind: StoredRecord['kind']): ListId {
  const list = LIST_IDS.find((id) => listDefinition(id).kind === kind);
  if (list === undefined) throw new RangeError(`No list holds records of the kind ${kind}.`);
  return list;
}

function factsOf({ kind, record }: StoredRecord): readonly Fact[] {
  const list = listOfKind(kind);
  const facts = listDefinition(list).facts.map(
    ({ field, label }): Fact => [label, factOf(list, field)(record)],
  );
  switch (kind) {
    case 'verification-request':
      return [
        ...facts,
        ['Stake now', <StakeNow key="stake" {...record.walletNow} />],
        ['Whitelisted tier', record.whitelistedTier ?? 'None'],
      ];
    case 'card-application':
      return record.walletNow
        ? [...facts, ['Stake now', <StakeNow key="stake" {...record.walletNow} />]]
        : facts;
    default:
      return facts;
  }
}

function RecordFacts({ stored }: { readonly stored: StoredRecord }) {
  return (
    <dl className={`definitions ${styles.facts}`}>
      {factsOf(stored).map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value === null || value === '' ? <Dash why="Not given" /> : value}</dd>
        </div>
      ))}
    </dl>
  );
}
