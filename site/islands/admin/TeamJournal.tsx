import { useInfiniteQuery } from '@tanstack/react-query';
import { AdminPage, ReadError } from './AdminPage.tsx';
import styles from './admin.module.css';
import { type AuditPage, auditTrailQuery } from './admin-calls.ts';

/** Who did what, when and from where. */
export default function TeamJournal() {
  return (
    <AdminPage>
      <AuditTrail />
    </AdminPage>
  );
}

const localTime = (moment: string) =>
  new Date(moment).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The label of a field: `'referenceNumber'` → `'reference number'`. */
const labelOf = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function Details({ details }: { readonly details: AuditPage['records'][number]['details'] }) {
  const entries = Object.entries(details);
  if (entries.length === 0) return '-';
  return (
    <span className={styles.details}>
      {entries.map(([name, value]) => (
        <span key={name}>
          <span>{labelOf(name)}: </span>
          {value === null ? '-' : String(value)}
        </span>
      ))}
    </span>
  );
}

function AuditTrail() {
  const trail = useInfiniteQuery(auditTrailQuery());
  const records = trail.data?.pages.flatMap((page) => page.records);
  return (
    <section aria-label="Audit trail" className={styles.section}>
      {records === undefined ? (
        trail.error === null && <p>Loading...</p>
      ) : (
        <table className={`table stacked ${styles.trail}`}>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
              <th scope="col">IP address</th>
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {records.map(({ id, at, actor, action, address, details }) => (
              <tr key={id}>
                <td data-name="When">
                  <time dateTime={at}>{localTime(at)}</time>
                </td>
                <td data-name="Who">{actor}</td>
                <td data-name="What">{action}</td>
                <td data-name="IP address">{address ?? '-'}</td>
                <td data-name="Details">
                  <Details details={details} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <ReadError
        reading={trail.isFetchNextPageError ? { ...trail, refetch: trail.fetchNextPage } : trail}
        what="the audit trail"
      />
      {trail.hasNextPage ? (
        <p>
          <button
            type="button"
            className="button"
            disabled={trail.isFetchingNextPage}
            onClick={() => void trail.fetchNextPage()}
          >
            {trail.isFetchingNextPage ? 'Loading...' : 'Load older'}
          </button>
        </p>
      ) : null}
    </section>
  );
}
