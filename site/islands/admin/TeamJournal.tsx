import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import { AdminPage, Loaded, ReadError } from './AdminPage.tsx';
import styles from './admin.module.css';
import { type AuditPage, auditTrailQuery, chatQuery } from './admin-calls.ts';

/** The audit trail, and what Duckling could not answer. */
export default function TeamJournal() {
  return (
    <AdminPage>
      <Assistant />
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
    <section aria-labelledby="audit-trail" className={styles.section}>
      <h2 id="audit-trail">Audit trail</h2>
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

function Assistant() {
  return (
    <section aria-labelledby="assistant" className={styles.section}>
      <h2 id="assistant">Duckling</h2>
      <Loaded reading={useQuery(chatQuery())} what="Duckling">
        {({ unanswered, verdicts }) => (
          <>
            <h3>Unanswered questions</h3>
            {unanswered.length === 0 ? (
              <p data-empty>No unanswered questions.</p>
            ) : (
              <ul className={styles.questions}>
                {unanswered.map(({ question, times, lastAskedAt }) => (
                  <li key={question}>
                    <span>{question}</span>
                    <span className={styles.times}>
                      Asked {times === 1 ? 'once' : `${times} times`}, last on {localTime(lastAskedAt)}
                    </span>
                  </li>
                ))}
              </ul>
            )}
            <h3>Feedback from the last {PORTAL_LIMITS.chatVerdictDays} days</h3>
            {verdicts.length === 0 ? (
              <p data-empty>No feedback yet.</p>
            ) : (
              <ul className={styles.questions}>
                {verdicts.map(({ source, up, down }) => (
                  <li key={source}>
                    <span>{source.startsWith('/') ? <a href={source}>{source}</a> : source}</span>
                    <span className={styles.times}>
                      {up} helpful, {down} not helpful
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
