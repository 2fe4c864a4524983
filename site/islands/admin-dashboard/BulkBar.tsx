import { lazy, type ReactNode, Suspense, useState } from 'react';
import { LIST_OF_KIND, listDefinition } from '../../../data/model/admin-lists.ts';
import { MAX_BULK, MAX_MERGED } from '../../../data/model/bulk.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { BulkDialog } from './BulkDialog.tsx';
import styles from './bulk.module.css';
import { type BulkAction, bulkActionsOn } from './bulk-actions.ts';
import dashboardStyles from './dashboard.module.css';
import type { Selection } from './selection.tsx';
import { rowToFocus } from './shortcut-keys.ts';

const MergeDialog = lazy(() => import('./MergeDialog.tsx'));

interface BulkBarProps {
  readonly selection: Selection;
  readonly selectMoreButton?: ReactNode;
}

export default function BulkBar({ selection, selectMoreButton }: BulkBarProps) {
  const [action, setAction] = useState<BulkAction | null>(null);
  const [isMerging, setMerging] = useState(false);
  const { records } = selection;
  const kinds = new Set(records.map(({ kind }) => kind));
  const labelOf = ({ kind, label }: BulkAction) =>
    kind === null || kinds.size === 1 ? label : `${listDefinition(LIST_OF_KIND[kind]).tab}: ${label}`;
  const exceedsMaxBulk = records.length > MAX_BULK;
  return (
    <section className={styles.bar} aria-label="Selected records" data-selected={records.length}>
      <p>
        <strong role="status">{formatCount(records.length)} selected</strong>
        {selectMoreButton}
        <button type="button" className={dashboardStyles.link} onClick={selection.clear}>
          Clear
        </button>
      </p>
      {exceedsMaxBulk ? (
        <p role="alert">At most {MAX_BULK} records can be changed at once.</p>
      ) : (
        <div className={styles.actions}>
          {bulkActionsOn(kinds).map((one) => (
            <button
              key={one.id}
              type="button"
              className="button"
              data-action={one.id}
              onClick={() => setAction(one)}
            >
              {labelOf(one)}
            </button>
          ))}
          {kinds.size === 1 && records.length > 1 && records.length <= MAX_MERGED + 1 ? (
            <button type="button" className="button" data-action="merge" onClick={() => setMerging(true)}>
              Merge
            </button>
          ) : null}
        </div>
      )}
      {isMerging ? (
        <Suspense>
          <MergeDialog
            records={records}
            onClose={(_, mergedReferences) => {
              setMerging(false);
              if (mergedReferences !== null) selection.clear();
            }}
          />
        </Suspense>
      ) : null}
      {action === null ? null : (
        <BulkDialog
          action={action}
          records={records}
          onClose={(changedReferences) => {
            setAction(null);
            // Moves the focus from the bar to the list, because the bar disappears.
            if (selectMoreButton !== undefined && changedReferences.length === records.length)
              rowToFocus.current = '';
            selection.change(
              records.filter(({ referenceNumber }) => changedReferences.includes(referenceNumber)),
              false,
            );
          }}
        />
      )}
    </section>
  );
}
