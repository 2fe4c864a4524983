import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { type ListId, listOf, type RowOf } from '../../../data/model/admin-lists.ts';
import { formatCount } from '../../../data/model/count.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import { errorText } from '../../data/call-error.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import { type DashboardStats, listQuery, statsQuery } from '../admin/admin-calls.ts';
import { Figure } from '../ui/Figure.tsx';
import type { Provenance } from '../ui/provenance.ts';
import { Dash, Skeleton } from '../ui/ReadStates.tsx';
import styles from './dashboard.module.css';
import { type Dashboard, firstView, listAddress } from './dashboard-address.ts';
import type { Opening } from './RecordList.tsx';
import { SentSigns, Status } from './signs.tsx';
import '../../styles/lined-grid.css';

/** Rows shown in each list of the overview. */
const RECENT = 5;
/** Milliseconds without keyboard or pointer input after which the admin counts as away. */
const AWAY_AFTER = 5 * 60_000;

/** Whether the admin uses the page. Polling would keep the session of an abandoned dashboard alive. */
function useActive(): boolean {
  const [isActive, setActive] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const restart = () => {
      setActive(true);
      clearTimeout(timer);
      timer = setTimeout(() => setActive(false), AWAY_AFTER);
    };
    restart();
    const events = ['pointermove', 'pointerdown', 'keydown'] as const;
    for (const event of events) addEventListener(event, restart, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const event of events) removeEventListener(event, restart);
    };
  }, []);
  return isActive;
}

interface OverviewProps {
  readonly dashboard: Dashboard;
  readonly onOpen: (opening: Opening) => void;
}

/** Counts, deliveries, what is waiting for the team, and the newest applications and messages. */
export function Overview({ dashboard, onOpen }: OverviewProps) {
  const stats = useQuery(statsQuery(useActive()));
  const applications = useQuery(listQuery('applications', firstView('applications')));
  const contacts = useQuery(listQuery('contacts', firstView('contacts')));
  const open = (rows: readonly { readonly referenceNumber: string }[]) => (reference: string) =>
    onOpen({ reference, queue: rows.map(({ referenceNumber }) => referenceNumber), begin: null });
  const newest = applications.data?.applications.slice(0, RECENT);
  const newestContacts = contacts.data?.contacts.slice(0, RECENT);
  return (
    <>
      <h2 className="visually-hidden">Overview</h2>
      <Cards
        stats={stats.data}
        error={stats.error}
        retry={() => void stats.refetch()}
        isReading={stats.isFetching}
      />
      {stats.data === undefined ? null : <Attention stats={stats.data} dashboard={dashboard} />}
      <div className={styles.pair}>
        <Recent
          title="Recent applications"
          empty={listOf('applications').empty}
          rows={newest}
          reading={applications}
          line={(row: RowOf<'applications'>) => (
            <>
              <span>
                <strong>{row.name}</strong>
                <span className={styles.mono}>{row.referenceNumber}</span>
              </span>
              <SentSigns {...row} />
            </>
          )}
          onOpen={open(newest ?? [])}
        />
        <Recent
          title="Recent contacts"
          empty={listOf('contacts').empty}
          rows={newestContacts}
          reading={contacts}
          line={(row: RowOf<'contacts'>) => (
            <>
              <span>
                <strong>{row.name}</strong>
                <span>{row.subject ?? <Dash why="No subject" />}</span>
              </span>
              {row.emailSent ? <Status status="sent" /> : <Status status="waiting" label="Pending" />}
            </>
          )}
          onOpen={open(newestContacts ?? [])}
        />
      </div>
    </>
  );
}

interface CardsProps {
  readonly stats: DashboardStats | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
  readonly isReading: boolean;
}

function Cards({ stats, error, retry, isReading }: CardsProps) {
  // After a failed read the earlier figures may be wrong.
  const isKnown = stats !== undefined && error === null;
  const provenance: Provenance = isKnown
    ? { kind: 'stated' }
    : error === null
      ? { kind: 'loading' }
      : {
          kind: 'unavailable',
          why: errorText(error, 'Not available'),
          retry: { run: retry, running: isReading },
        };
  const count = (of: (stats: DashboardStats) => number) => (isKnown ? formatCount(of(stats)) : null);
  const fact = (of: (stats: DashboardStats) => ReactNode) => (isKnown ? of(stats) : '');
  return (
    <div className="lined-grid lined of-4">
      <div className="cells">
        <Figure
          label="Total Applications"
          value={count(({ totalApplications }) => totalApplications)}
          unit=""
          provenance={provenance}
          fact={fact(
            ({ recentApplications }) =>
              `${formatCount(recentApplications)} in the last ${PORTAL_LIMITS.recentDays} days`,
          )}
        />
        <Figure
          label="Total Contacts"
          value={count(({ totalContacts }) => totalContacts)}
          unit=""
          provenance={provenance}
          fact={fact(
            ({ recentContacts }) =>
              `${formatCount(recentContacts)} in the last ${PORTAL_LIMITS.recentDays} days`,
          )}
        />
        <Figure
          label="Delivery Success"
          value={isKnown && stats.deliverySuccessRate !== null ? String(stats.deliverySuccessRate) : null}
          unit={isKnown && stats.deliverySuccessRate === null ? '' : '%'}
          provenance={provenance}
          fact={fact(
            ({ successfulDeliveries, totalDeliveries }) =>
              `${formatCount(successfulDeliveries)}/${formatCount(totalDeliveries)} deliveries`,
          )}
        />
        <Figure
          label="System Status"
          value={isKnown ? systemStatus(stats) : null}
          unit=""
          provenance={provenance}
          fact={fact(({ isOperational, parts }) =>
            isOperational
              ? 'All services are healthy'
              : parts
                  .filter(({ isHealthy }) => !isHealthy)
                  .map(({ name }) => name)
                  .join(', '),
          )}
        />
      </div>
    </div>
  );
}

function systemStatus({ isOperational, parts }: DashboardStats): string {
  if (isOperational) return 'OPERATIONAL';
  const failing = parts.filter(({ isHealthy }) => !isHealthy).length;
  return `${failing} of ${parts.length} services ${failing === 1 ? 'needs' : 'need'} attention`;
}

interface AttentionProps {
  readonly stats: DashboardStats;
  readonly dashboard: Dashboard;
}

/** What is waiting for the team, and what is failing. */
function Attention({ stats, dashboard }: AttentionProps) {
  const show = (list: ListId, filters: Readonly<Record<string, string>> = {}) =>
    dashboard.show(listAddress(list, { filters }));
  const waiting = [
    {
      count: stats.openApplications,
      one: 'card application',
      go: () => show('applications'),
    },
    {
      count: stats.openRequests,
      one: 'verification request',
      go: () => show('verification-requests', { status: 'received' }),
    },
    { count: stats.openLoans, one: 'loan application', go: () => show('loan-applications') },
    {
      count: stats.deadDeliveries,
      one: 'failed delivery',
      many: 'failed deliveries',
      go: () => show('delivery-logs', { dead: 'only' }),
    },
  ].filter(({ count }) => count > 0);
  const failing = stats.parts.filter(({ isHealthy }) => !isHealthy);
  return (
    <>
      {failing.length === 0 ? null : (
        <ul className={styles.failing}>
          {failing.map(({ part, name, problems }) => (
            <li key={part}>
              <strong>{name}:</strong> {problems.join(' ')}
            </li>
          ))}
        </ul>
      )}
      <p className={styles.waiting}>
        {waiting.length === 0 ? (
          'Nothing is waiting for the team.'
        ) : (
          <>
            <span>Waiting for the team</span>
            {waiting.map(({ count, one, many = `${one}s`, go }) => (
              <button key={one} type="button" onClick={go}>
                {formatCount(count)} {count === 1 ? one : many}
              </button>
            ))}
          </>
        )}
      </p>
    </>
  );
}

interface RecentProps<Row> {
  readonly title: string;
  readonly empty: string;
  readonly rows: readonly Row[] | undefined;
  readonly reading: {
    readonly error: Error | null;
    readonly isFetching: boolean;
    readonly refetch: () => unknown;
  };
  readonly line: (row: Row) => ReactNode;
  readonly onOpen: (reference: string) => void;
}

const SKELETON_KEYS = ['1', '2', '3', '4', '5'];

function Recent<Row extends { readonly id: string; readonly referenceNumber: string }>({
  title,
  empty,
  rows,
  reading,
  line,
  onOpen,
}: RecentProps<Row>) {
  return (
    <section aria-label={title}>
      <div className={styles.head}>
        <h2>{title}</h2>
      </div>
      <ReadError reading={reading} what={title} />
      {rows?.length === 0 ? (
        <p className={styles.empty} data-empty>
          {empty}
        </p>
      ) : null}
      <ul className={styles.recent}>
        {rows === undefined
          ? reading.error === null
            ? SKELETON_KEYS.map((key) => (
                <li key={key} aria-hidden="true">
                  <Skeleton width={24} />
                </li>
              ))
            : null
          : rows.map((row) => (
              <li key={row.id}>
                <button type="button" onClick={() => onOpen(row.referenceNumber)}>
                  {line(row)}
                </button>
              </li>
            ))}
      </ul>
    </section>
  );
}
