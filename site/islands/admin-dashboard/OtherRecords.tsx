import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useId, useState } from 'react';
import type { otherRecords } from '../../../data/contract/admin-search.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { LIST_OF_KIND } from '../../../data/model/admin-lists.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { MERGEABLE_STATUSES } from '../../../data/model/submission-status.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import { adminQuery, type StoredRecord, useHasRole } from '../admin/admin-calls.ts';
import { tabLabel, useDashboard } from './dashboard-route.ts';
import type { RecordToMerge } from './MergeDialog.tsx';
import { RecordLink } from './RecordLink.tsx';
import styles from './record.module.css';
import { Moment, Status } from './status-labels.tsx';

const MergeDialog = lazy(() => import('./MergeDialog.tsx'));

/** Lists the other records from the person who sent this record. */
export function OtherRecords({ stored: storedRecord }: { readonly stored: StoredRecord }) {
  const id = useId();
  const { open } = useDashboard();
  const mayMerge = useHasRole('reviewer') === true;
  const { referenceNumber: reference, kind, record } = storedRecord;
  const reading = useQuery(
    adminQuery<typeof otherRecords>(`${PATHS.otherRecords}?reference=${encodeURIComponent(reference)}`),
  );
  const { data } = reading;
  const [recordToMerge, setRecordToMerge] = useState<RecordToMerge | null>(null);
  if (reading.error === null && (data === undefined || data.total === 0)) return null;
  const isMergeable = (status: string | null) => MERGEABLE_STATUSES[kind].includes(status ?? '');
  const name = 'name' in record ? record.name : record.email;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>
        Other records from this person{data === undefined ? '' : ` (${formatCount(data.total)})`}
      </h3>
      <ReadError reading={reading} what="the other records" />
      <ul className={styles.others}>
        {data?.records.map((one) => (
          <li key={one.referenceNumber}>
            <RecordLink list={one.list} reference={one.referenceNumber} />
            <span>{tabLabel(one.list)}</span>
            {one.status === null ? null : <Status status={one.status} />}
            <Moment at={one.createdAt} />
            {one.isSameMailbox ? null : (
              <span className={styles.quiet}>Same wallet, different email address. Name: {one.name}</span>
            )}
            {mayMerge &&
            one.list === LIST_OF_KIND[kind] &&
            isMergeable(record.status) &&
            isMergeable(one.status) ? (
              <button type="button" className="button" onClick={() => setRecordToMerge(one)}>
                Merge<span className="visually-hidden"> with {one.referenceNumber}</span>
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {recordToMerge === null ? null : (
        <Suspense>
          <MergeDialog
            records={[{ ...record, name }, recordToMerge]}
            onClose={(keptReference, mergedReferences) => {
              setRecordToMerge(null);
              if (mergedReferences !== null) open(keptReference);
            }}
          />
        </Suspense>
      )}
    </section>
  );
}
