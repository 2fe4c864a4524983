import { APPROVAL_WARNINGS, type ApprovalWarning } from '../../../data/model/approval-warnings.ts';
import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { isLoanOpen } from '../../../data/model/submission-status.ts';
import type { StoredRecord } from '../admin/admin-calls.ts';
import { Dash } from '../ui/ReadStates.tsx';
import { neededVotesText } from './decisions.ts';
import { RetryDelivery } from './list-cells.tsx';
import styles from './record.module.css';
import { labelOf, Moment, Status } from './status-labels.tsx';

type RecordWallet = Extract<StoredRecord, { kind: 'verification-request' }>['record']['walletNow'];

export function CurrentStake({ staked, tier }: RecordWallet) {
  if (staked === null) return tier ?? <Dash why="The stake cannot be read at the moment" />;
  return `${groupDecimalText(staked)} BD, ${tier === 'None' ? 'no tier' : tier}`;
}

export function Votes({ stored: storedRecord }: { readonly stored: StoredRecord }) {
  if (storedRecord.kind !== 'loan-application' || storedRecord.record.votes.length === 0) return null;
  return (
    <ul className={styles.votes}>
      {storedRecord.record.votes.map(({ by, addedBy, isYours, decision }) => (
        <li key={by} data-vote={decision} data-by={by}>
          {isYours ? 'You' : by}
          {addedBy === null ? '' : ` (added by ${addedBy})`} voted to {decision}.{' '}
          {isLoanOpen(storedRecord.record.status) ? neededVotesText(decision) : null}
        </li>
      ))}
    </ul>
  );
}

export function Warnings({ warnings }: { readonly warnings: readonly ApprovalWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <div className={styles.warnings} role="note" aria-label="Before you approve">
      <p>Before you approve</p>
      <ul>
        {warnings.map((warning) => (
          <li key={warning} data-warning={warning}>
            {APPROVAL_WARNINGS[warning]}
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Decisions({ stored: storedRecord }: { readonly stored: StoredRecord }) {
  if (storedRecord.decisions.length === 0) return null;
  return (
    <section aria-labelledby="record-decisions">
      <h3 id="record-decisions">Decisions</h3>
      <DecisionList decisions={storedRecord.decisions} />
    </section>
  );
}

export function DecisionList({ decisions }: Pick<StoredRecord, 'decisions'>) {
  if (decisions.length === 0) return null;
  return (
    <ul className={styles.events}>
      {decisions.map(({ at, by, decision, reason }) => (
        <li key={`${at} ${by} ${decision}`}>
          <p>
            <Status status={decision} /> by {by}, <Moment at={at} />
          </p>
          {reason === null ? null : <p className={styles.lines}>{reason}</p>}
        </li>
      ))}
    </ul>
  );
}

export function Deliveries({ deliveries, referenceNumber }: StoredRecord) {
  if (deliveries.length === 0) return null;
  return (
    <section aria-labelledby="record-deliveries">
      <h3 id="record-deliveries">Deliveries</h3>
      <ul className={styles.events}>
        {deliveries.map(({ id, deliveryMethod, audience, event, state, createdAt, attempts }) => {
          const error = attempts.findLast((attempt) => attempt.error !== null)?.error;
          return (
            <li key={id}>
              <p className={styles.document}>
                <span>
                  <Status status={state} /> {labelOf(deliveryMethod)} to the {audience} (
                  {event.replace(/^.*\.|:.*$/g, '')}), <Moment at={createdAt} />
                </span>
                {state === 'dead' ? (
                  <RetryDelivery deliveryId={id} referenceNumber={referenceNumber} />
                ) : null}
              </p>
              {error && state !== 'sent' ? <p className={styles.error}>{error}</p> : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
