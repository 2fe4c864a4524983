import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useId, useState } from 'react';
import type { otherRecords } from '../../../data/contract/admin-search.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { LIST_OF_KIND } from '../../../data/model/admin-lists.ts';
import { formatCount } from '../../../data/model/count.ts';
import { MERGEABLE_STATUSES } from '../../../data/model/submission-status.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import { adminQuery, type StoredRecord, useHasRole } from '../admin/admin-calls.ts';
import { tabLabel, useDashboard } from './dashboard-route.ts';
import type { MergedRecord } from './MergeDialog.tsx';
import { RecordLink } from './RecordLink.tsx';
import styles from './record.module.css';
import { Moment, Status } from './signs.tsx';

const MergeDialog = lazy(() => import('./MergeDialog.tsx'));

/** The other records of the person who sent a record. Nothing is shown if there are none. */
export function OtherRecords({ stored }: { readonly stored: StoredRecord }) {
  const id = useId();
  const { open } = useDashboard();
  const mayMerge = useHasRole('reviewer') === true;
  const { referenceNumber: reference, kind, record } = stored;
  const reading = useQuery(
    adminQuery<typeof otherRecords>(`${PATHS.otherRecords}?reference=${encodeURIComponent(reference)}`),
  );
  const { data } = reading;
  const [other, setOther] = useState<MergedRecord | null>(null);
  if (reading.error === null && (data === undefined || data.total === 0)) return null;
  const isOpen = (status: string | null) => MERGEABLE_STATUSES[kind].includes(status ?? '');
  const name = 'name' in record ? record.name : record.email;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>Other records of this person{data === undefined ? '' : ` (${formatCount(data.total)})`}</h3>
      <ReadError reading={reading} what="the other records" />
      <ul className={styles.others}>
        {data?.records.map((one) => (
          <li key={one.referenceNumber}>
            <RecordLink list={one.list} reference={one.referenceNumber} />
            <span>{tabLabel(one.list)}</span>
            {one.status === null ? null : <Status status={one.status} />}
            <Moment at={one.createdAt} />
            {one.isSameMailbox ? null : (
              <span className={styles.quiet}>Same wallet, other mailbox: {one.name}</span>
            )}
            {mayMerge && one.list === LIST_OF_KIND[kind] && isOpen(record.status) && isOpen(one.status) ? (
              <button type="button" className="button" onClick={() => setOther(one)}>
                Merge<span className="visually-hidden"> with {one.referenceNumber}</span>
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {other === null ? null : (
        <Suspense>
          <MergeDialog
            records={[{ ...record, name }, other]}
            onClose={(kept, merged) => {
              setOther(null);
              if (merged !== null) open(kept);
            }}
          />
        </Suspense>
      )}
    </section>
  );
}
