import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type ListId, listDefinition, type RowOf } from '../../../data/model/admin-lists.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import { errorText } from '../../data/call-error.ts';
import { ReadError, type ReadErrorProps } from '../admin/AdminPage.tsx';
import { type DashboardStats, listQuery, ownSessionQuery, statsQuery } from '../admin/admin-calls.ts';
import { readAdminSession } from '../admin/admin-session.ts';
import { Figure, FigureGrid } from '../ui/Figure.tsx';
import type { Provenance } from '../ui/provenance.ts';
import { Dash, Skeleton } from '../ui/ReadStates.tsx';
import styles from './dashboard.module.css';
import { type Dashboard, listRoute, newestView } from './dashboard-route.ts';
import { BounceMark, DeliveryMarks } from './delivery-marks.tsx';
import { MyWork } from './MyWork.tsx';
import type { RecordOpening } from './RecordList.tsx';
import { Moment, Status } from './status-labels.tsx';

const RECENT_ROW_COUNT = 5;
interface OverviewProps {
  readonly dashboard: Dashboard;
  readonly shouldPoll: boolean;
  readonly onOpen: (opening: RecordOpening) => void;
}

export function Overview({ dashboard, shouldPoll, onOpen }: OverviewProps) {
  // Not polled here, because the navigation already polls these figures.
  const stats = useQuery(statsQuery(false));
  const applications = useQuery(listQuery('applications', newestView('applications'), shouldPoll));
  const contacts = useQuery(listQuery('contacts', newestView('contacts'), shouldPoll));
  const openHandler = (rows: readonly { readonly referenceNumber: string }[]) => (reference: string) =>
    onOpen({ reference, queue: rows.map(({ referenceNumber }) => referenceNumber), initialAction: null });
  const newestApplications = applications.data?.applications.slice(0, RECENT_ROW_COUNT);
  const newestContacts = contacts.data?.contacts.slice(0, RECENT_ROW_COUNT);
  return (
    <>
      <Welcome />
      <Totals reading={stats} />
      {stats.data === undefined ? null : <Attention stats={stats.data} dashboard={dashboard} />}
      <MyWork shouldPoll={shouldPoll} openReference={dashboard.route.openReference} onOpen={onOpen} />
      <div className={styles.pair}>
        <RecentList
          title="Recent applications"
          emptyText={listDefinition('applications').emptyText}
          rows={newestApplications}
          reading={applications}
          renderRow={(row: RowOf<'applications'>) => (
            <>
              <span>
                <strong>{row.name}</strong>
                <span className={styles.mono}>{row.referenceNumber}</span>
              </span>
              <DeliveryMarks {...row} />
            </>
          )}
          onOpen={openHandler(newestApplications ?? [])}
        />
        <RecentList
          title="Recent contacts"
          emptyText={listDefinition('contacts').emptyText}
          rows={newestContacts}
          reading={contacts}
          renderRow={(row: RowOf<'contacts'>) => (
            <>
              <span>
                <strong>{row.name}</strong>
                <span>{row.subject ?? <Dash why="No subject" />}</span>
              </span>
              <BounceMark {...row} />
              <Status status={row.status} />
            </>
          )}
          onOpen={openHandler(newestContacts ?? [])}
        />
      </div>
    </>
  );
}

function Welcome() {
  const { data } = useQuery(ownSessionQuery());
  const username = readAdminSession()?.user?.username ?? data?.user.username;
  return (
    <div className={styles.top}>
      <h2>{username === undefined ? 'Welcome' : `Welcome, ${username}`}</h2>
    </div>
  );
}

interface TotalsProps {
  readonly reading: ReadErrorProps['reading'] & { readonly data: DashboardStats | undefined };
}

function Totals({ reading: { data, error, isFetching, refetch } }: TotalsProps) {
  // After a failed read, the earlier figures may be outdated, so none are shown.
  const stats = error === null ? data : undefined;
  const provenance: Provenance = stats
    ? { kind: 'stated' }
    : error === null
      ? { kind: 'loading' }
      : {
          kind: 'unavailable',
          why: errorText(error, 'Not available'),
          retry: { run: () => void refetch(), running: isFetching },
        };
  const countText = (number: number | undefined) => (number === undefined ? null : formatCount(number));
  const recentText = (number: number) =>
    `${formatCount(number)} in the last ${PORTAL_LIMITS.recentDays} days`;
  const rate = stats?.deliverySuccessRate ?? null;
  return (
    <FigureGrid columns={4}>
      <Figure
        label="Total Applications"
        value={countText(stats?.totalApplications)}
        unit=""
        size="small"
        provenance={provenance}
        fact={stats ? recentText(stats.recentApplications) : ''}
      />
      <Figure
        label="Total Contacts"
        value={countText(stats?.totalContacts)}
        unit=""
        size="small"
        provenance={provenance}
        fact={stats ? recentText(stats.recentContacts) : ''}
      />
      <Figure
        label="Delivery Success"
        value={rate === null ? null : String(rate)}
        unit="%"
        size="small"
        provenance={provenance}
        fact={
          stats
            ? `${formatCount(stats.successfulDeliveries)}/${formatCount(stats.totalDeliveries)} deliveries`
            : ''
        }
      />
      <Figure
        label="System Status"
        value={stats ? systemStatus(stats) : null}
        unit=""
        size="small"
        provenance={provenance}
        fact={
          stats
            ? failingParts(stats)
                .map(({ name }) => name)
                .join(', ') || 'All services are healthy'
            : ''
        }
      />
    </FigureGrid>
  );
}

const failingParts = ({ parts }: DashboardStats) => parts.filter(({ isHealthy }) => !isHealthy);

function systemStatus(stats: DashboardStats): string {
  if (stats.isOperational) return 'OPERATIONAL';
  const failingCount = failingParts(stats).length;
  return `${failingCount} of ${stats.parts.length} failing`;
}

function Attention({ stats, dashboard }: { readonly stats: DashboardStats; readonly dashboard: Dashboard }) {
  const show = (list: ListId, filters: Readonly<Record<string, string>> = {}) =>
    dashboard.show(listRoute(list, { filters }));
  const waitingWork = [
    { count: stats.openApplications, one: 'card application', go: () => show('applications') },
    {
      count: stats.openRequests,
      one: 'verification request',
      go: () => show('verification-requests', { status: 'received' }),
    },
    { count: stats.openLoans, one: 'loan application', go: () => show('loan-applications') },
    { count: stats.openContacts, one: 'open message', go: () => show('contacts', { status: 'open' }) },
    {
      count: stats.deadDeliveries,
      one: 'failed delivery',
      many: 'failed deliveries',
      go: () => show('delivery-logs', { dead: 'only' }),
    },
  ].filter(({ count }) => count > 0);
  const failingServices = failingParts(stats);
  return (
    <>
      {stats.alerts.length === 0 ? null : (
        <ul className={styles.failing} aria-label="Open alerts">
          {stats.alerts.map(({ code, title, since, detail }) => (
            <li key={code}>
              <strong>{title}</strong> (since <Moment at={since} />
              ). {detail}
            </li>
          ))}
        </ul>
      )}
      {failingServices.length === 0 ? null : (
        <ul className={styles.failing}>
          {failingServices.map(({ part, name, problems }) => (
            <li key={part}>
              <strong>{name}:</strong> {problems.join(' ')}
            </li>
          ))}
        </ul>
      )}
      <p className={styles.waiting}>
        {waitingWork.length === 0 ? (
          'Nothing is waiting for the team.'
        ) : (
          <>
            <span>Waiting for the team</span>
            {waitingWork.map(({ count, one, many = `${one}s`, go }) => (
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

interface RecentListProps<Row> {
  readonly title: string;
  readonly emptyText: string;
  readonly rows: readonly Row[] | undefined;
  readonly reading: ReadErrorProps['reading'];
  readonly renderRow: (row: Row) => ReactNode;
  readonly onOpen: (reference: string) => void;
}

function RecentList<Row extends { readonly id: string; readonly referenceNumber: string }>({
  title,
  emptyText,
  rows,
  reading,
  renderRow,
  onOpen,
}: RecentListProps<Row>) {
  return (
    <section aria-label={title}>
      <div className={styles.head}>
        <h2>{title}</h2>
      </div>
      <ReadError reading={reading} what={title} />
      {rows?.length === 0 ? (
        <p className={styles.empty} data-empty>
          {emptyText}
        </p>
      ) : null}
      <ul className={styles.recent}>
        {rows === undefined
          ? reading.error === null
            ? Array.from({ length: RECENT_ROW_COUNT }, (_, index) => `row ${index}`).map((key) => (
                <li key={key} aria-hidden="true">
                  <Skeleton width={24} />
                </li>
              ))
            : null
          : rows.map((row) => (
              <li key={row.id}>
                <button type="button" onClick={() => onOpen(row.referenceNumber)}>
                  {renderRow(row)}
                </button>
              </li>
            ))}
      </ul>
    </section>
  );
}
