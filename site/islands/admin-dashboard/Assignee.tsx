import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { ownSessionQuery, type StoredRecord, useChange, useHasRole } from '../admin/admin-calls.ts';
import { DueTime } from './DueTime.tsx';
import { useDialogKeys } from './shortcut-keys.ts';
import { assigneesQuery } from './team-queries.ts';
import styles from './work.module.css';

/** Pressing `m` assigns the record to the signed-in admin. */
export function Assignee({ stored: storedRecord }: { readonly stored: StoredRecord }) {
  const { referenceNumber } = storedRecord;
  const { assigneeId, assignee, dueAt, isWaiting } = storedRecord.record;
  const mayAssign = useHasRole('reviewer') === true;
  const { data: session } = useQuery(ownSessionQuery());
  const { data } = useQuery({ ...assigneesQuery(), enabled: mayAssign });
  const { isBusy, notice, sendAndNotify } = useChange();
  const element = useRef<HTMLDivElement>(null);
  const ownId = session?.user.id ?? null;
  const assign = (newAssigneeId: string | null) =>
    void sendAndNotify(
      PATHS.assignRecord,
      { referenceNumber, assigneeId: newAssigneeId, from: assigneeId },
      () => null,
    );
  const mayTake = mayAssign && ownId !== null && ownId !== assigneeId;
  useDialogKeys(element, (event) => {
    if (event.key !== 'm' || !mayTake) return;
    event.preventDefault();
    assign(ownId);
  });
  const isListed = assigneeId === null || data?.assignees.some(({ id }) => id === assigneeId);
  return (
    <div ref={element} className={styles.assignee}>
      {mayAssign && data !== undefined ? (
        <label>
          Assignee
          <select
            className="button"
            value={assigneeId ?? ''}
            aria-disabled={isBusy}
            onChange={({ target }) => assign(target.value || null)}
          >
            <option value="">Nobody</option>
            {isListed ? null : <option value={assigneeId ?? ''}>{assignee ?? assigneeId}</option>}
            {data.assignees.map(({ id, username }) => (
              <option key={id} value={id}>
                {username}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <span>Assignee: {assignee ?? 'Nobody'}</span>
      )}
      {mayTake ? (
        <button
          type="button"
          className="button"
          aria-keyshortcuts="m"
          aria-disabled={isBusy}
          onClick={() => assign(ownId)}
        >
          Take it <kbd>m</kbd>
        </button>
      ) : null}
      {isWaiting && mayAssign && storedRecord.kind !== 'contact-message' ? (
        <button
          type="button"
          className="button"
          aria-disabled={isBusy}
          data-end-waiting
          onClick={() => void sendAndNotify(PATHS.endWaiting, { referenceNumber }, () => null)}
        >
          Stop waiting
        </button>
      ) : null}
      {dueAt === null ? null : <DueTime at={dueAt} />}
      {notice === null ? null : <p role="alert">{notice.message}</p>}
    </div>
  );
}
