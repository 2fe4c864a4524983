import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { adminAuditTrail } from '../../../data/contract/admin-audit-trail.ts';
import type { adminChat } from '../../../data/contract/admin-chat.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import { faultText } from '../../data/call-fault.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { RetryButton } from '../figure/RetryButton.tsx';
import { AdminOnly } from './AdminOnly.tsx';
import { adminFetch } from './admin-session.ts';
import styles from './team-journal.module.css';

// Named by their types alone: the declaring modules would bring their schemas into the browser.
const TRAIL: (typeof adminAuditTrail)['path'] = '/api/admin/audit-trail';
const CHAT: (typeof adminChat)['path'] = '/api/admin/chat';

type TrailPage = ResponseOf<typeof adminAuditTrail>;
type ChatReport = ResponseOf<typeof adminChat>;

const FOR_ADMINS = { staleTime: 0, gcTime: 0, retry: false } as const;

/** What was done in the portal, by whom, and what the assistant could not answer: for the team. */
export default function TeamJournal() {
  return (
    <LiveRoot>
      <AdminOnly>
        <Assistant />
        <AuditTrail />
      </AdminOnly>
    </LiveRoot>
  );
}

async function readJson<Body>(path: string, signal: AbortSignal): Promise<Body> {
  return (await adminFetch('GET', path, { signal })).json();
}

interface FailedProps {
  readonly error: Error;
  readonly run: () => void;
  readonly running: boolean;
  readonly what: string;
}

function Failed({ error, run, running, what }: FailedProps) {
  return (
    <div role="alert">
      <p>{faultText(error, 'The portal did not answer as it should.')}</p>
      <RetryButton retry={{ run, running }} what={what} />
    </div>
  );
}

const localTime = (moment: string) => new Date(moment).toLocaleString();

/** `'referenceNumber'` → `'reference number'`. */
const nameWords = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Each detail by its name; what has none is told as that. */
function Details({ of: details }: { readonly of: TrailPage['records'][number]['details'] }) {
  const entries = Object.entries(details);
  if (entries.length === 0) return '-';
  return (
    <span className={styles.details}>
      {entries.map(([name, value]) => (
        <span key={name}>
          <span>{nameWords(name)}: </span>
          {value === null ? '-' : String(value)}
        </span>
      ))}
    </span>
  );
}

function AuditTrail() {
  const trail = useInfiniteQuery({
    ...FOR_ADMINS,
    queryKey: [TRAIL],
    queryFn: ({ signal, pageParam }) =>
      readJson<TrailPage>(pageParam === null ? TRAIL : `${TRAIL}?before=${pageParam}`, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  const records = trail.data?.pages.flatMap((page) => page.records);
  return (
    <section aria-labelledby="audit-trail" className={styles.part}>
      <h2 id="audit-trail">Audit trail</h2>
      {trail.error && !records ? (
        <Failed
          error={trail.error}
          run={() => void trail.refetch()}
          running={trail.isFetching}
          what="the audit trail"
        />
      ) : null}
      {records === undefined ? (
        trail.error ? null : (
          <p>Loading...</p>
        )
      ) : (
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
              <th scope="col">From</th>
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {records.map(({ id, at, actor, action, address, details }) => (
              <tr key={id}>
                <td data-label="When">
                  <time dateTime={at}>{localTime(at)}</time>
                </td>
                <td data-label="Who">{actor}</td>
                <td data-label="What">{action}</td>
                <td data-label="From">{address ?? '-'}</td>
                <td data-label="Details">
                  <Details of={details} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {trail.hasNextPage ? (
        <p>
          <button
            type="button"
            className="button"
            disabled={trail.isFetchingNextPage}
            onClick={() => void trail.fetchNextPage()}
          >
            {trail.isFetchingNextPage ? 'Reading...' : 'Read older'}
          </button>
        </p>
      ) : null}
      {trail.isFetchNextPageError && trail.error ? (
        <p role="alert">{faultText(trail.error, 'The older records could not be read. Try again.')}</p>
      ) : null}
    </section>
  );
}

function Assistant() {
  const chat = useQuery({
    ...FOR_ADMINS,
    queryKey: [CHAT],
    queryFn: ({ signal }) => readJson<ChatReport>(CHAT, signal),
  });
  const { data, error } = chat;
  return (
    <section aria-labelledby="assistant" className={styles.part}>
      <h2 id="assistant">Duckling</h2>
      {error && !data ? (
        <Failed error={error} run={() => void chat.refetch()} running={chat.isFetching} what="Duckling" />
      ) : null}
      {data === undefined ? (
        error ? null : (
          <p>Loading...</p>
        )
      ) : (
        <>
          <h3>Questions without an answer</h3>
          {data.unanswered.length === 0 ? (
            <p>Every question has found an answer so far.</p>
          ) : (
            <ul className={styles.questions}>
              {data.unanswered.map(({ question, times, lastAskedAt }) => (
                <li key={question}>
                  <span>{question}</span>
                  <span className={styles.times}>
                    {times === 1 ? 'once' : `${times} times`}, last {localTime(lastAskedAt)}
                  </span>
                </li>
              ))}
            </ul>
          )}
          <h3>Verdicts of the last 30 days</h3>
          {data.verdicts.length === 0 ? (
            <p>Nobody has judged an answer yet.</p>
          ) : (
            <ul className={styles.questions}>
              {data.verdicts.map(({ source, up, down }) => (
                <li key={source}>
                  <span>{source.startsWith('/') ? <a href={source}>{source}</a> : source}</span>
                  <span className={styles.times}>
                    {up} helped, {down} did not
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  );
}
