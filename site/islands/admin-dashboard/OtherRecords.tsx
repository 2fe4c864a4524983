import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { otherRecords } from '../../../data/contract/admin-search.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { formatCount } from '../../../data/model/count.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import { adminQuery } from '../admin/admin-calls.ts';
import { dashboardUrl, listRoute, tabLabel, useDashboard } from './dashboard-route.ts';
import styles from './record.module.css';
import { Moment, Status } from './signs.tsx';

/** The other records of the person who sent a record. Nothing is shown if there are none. */
export function OtherRecords({ reference }: { readonly reference: string }) {
  const id = useId();
  const { open } = useDashboard();
  const reading = useQuery(
    adminQuery<typeof otherRecords>(`${PATHS.otherRecords}?reference=${encodeURIComponent(reference)}`),
  );
  const { data } = reading;
  if (reading.error === null && (data === undefined || data.total === 0)) return null;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>Other records of this person{data === undefined ? '' : ` (${formatCount(data.total)})`}</h3>
      <ReadError reading={reading} what="the other records" />
      <ul className={styles.others}>
        {data?.records.map(({ list, referenceNumber, name, status, createdAt, isSameMailbox }) => (
          <li key={referenceNumber}>
            <a
              href={dashboardUrl({ ...listRoute(list), record: referenceNumber })}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                open(referenceNumber);
              }}
            >
              {referenceNumber}
            </a>
            <span>{tabLabel(list)}</span>
            {status === null ? null : <Status status={status} />}
            <Moment at={createdAt} />
            {isSameMailbox ? null : <span className={styles.quiet}>Same wallet, other mailbox: {name}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
