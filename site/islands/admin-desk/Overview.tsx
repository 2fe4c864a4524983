import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type {
  ApplicationRow,
  adminApplications,
  adminContacts,
  ContactRow,
} from '../../../data/contract/admin-records.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import { formatCount } from '../../../data/model/count.ts';
import { faultText } from '../../data/call-fault.ts';
import { Bone } from '../figure/Bone.tsx';
import { Dash } from '../figure/Dash.tsx';
import { Figure } from '../figure/Figure.tsx';
import type { Provenance } from '../figure/provenance.ts';
import { RetryButton } from '../figure/RetryButton.tsx';
import styles from './admin-desk.module.css';
import type { Opening } from './DeskList.tsx';
import { firstView } from './desk-address.ts';
import { type DeskStats, listQuery, statsQuery } from './desk-calls.ts';
import type { Desk } from './desk-place.ts';
import type { ListTab } from './list-terms.ts';
import { SentSigns, Status } from './Sign.tsx';
import { useAttended } from './use-attended.ts';
import '../../styles/ledger.css';

/** Rows of each list of the overview. */
const RECENT = 5;

interface OverviewProps {
  readonly desk: Desk;
  readonly onOpen: (opening: Opening) => void;
}

/** How much came in, how deliveries go, what waits, and the newest of both lists. */
export function Overview({ desk, onOpen }: OverviewProps) {
  const stats = useQuery(statsQuery(useAttended()));
  const applications = useQuery(
    listQuery<ResponseOf<typeof adminApplications>>('applications', firstView('applications')),
  );
  const contacts = useQuery(listQuery<ResponseOf<typeof adminContacts>>('contacts', firstView('contacts')));
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
      {stats.data === undefined ? null : <Attention stats={stats.data} desk={desk} />}
      <div className={styles.pair}>
        <Recent
          title="Recent applications"
          empty="Nobody has applied for a card yet."
          rows={newest}
          reading={applications}
          line={(row: ApplicationRow) => (
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
          empty="Nobody has written to support yet."
          rows={newestContacts}
          reading={contacts}
          line={(row: ContactRow) => (
            <>
              <span>
                <strong>{row.name}</strong>
                <span>{row.subject ?? <Dash why="No subject" />}</span>
              </span>
              {row.emailSent ? <Status status="sent" /> : <Status status="waiting" words="Pending" />}
            </>
          )}
          onOpen={open(newestContacts ?? [])}
        />
      </div>
    </>
  );
}

interface CardsProps {
  readonly stats: DeskStats | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
  readonly isReading: boolean;
}

function Cards({ stats, error, retry, isReading }: CardsProps) {
  // Figures of a read that failed since say nothing of now.
  const isKnown = stats !== undefined && error === null;
  const provenance: Provenance = isKnown
    ? { kind: 'stated' }
    : error === null
      ? { kind: 'loading' }
      : {
          kind: 'unavailable',
          why: faultText(error, 'Could not be read'),
          retry: { run: retry, running: isReading },
        };
  const count = (of: (stats: DeskStats) => number) => (isKnown ? formatCount(of(stats)) : null);
  const fact = (of: (stats: DeskStats) => ReactNode) => (isKnown ? of(stats) : '');
  return (
    <div className="ledger lined of-4">
      <div className="cells">
        <Figure
          label="Total Applications"
          value={count(({ totalApplications }) => totalApplications)}
          unit=""
          provenance={provenance}
          fact={fact(({ recentApplications }) => `${formatCount(recentApplications)} in the last 7 days`)}
        />
        <Figure
          label="Total Contacts"
          value={count(({ totalContacts }) => totalContacts)}
          unit=""
          provenance={provenance}
          fact={fact(({ recentContacts }) => `${formatCount(recentContacts)} in the last 7 days`)}
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
          value={isKnown ? systemWords(stats) : null}
          unit=""
          provenance={provenance}
          fact={fact(({ isOperational, parts }) =>
            isOperational
              ? 'Every part is healthy'
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

function systemWords({ isOperational, parts }: DeskStats): string {
  if (isOperational) return 'OPERATIONAL';
  return `${parts.filter(({ isHealthy }) => !isHealthy).length} of ${parts.length} not well`;
}

/** What waits for the team, and what is not well. */
function Attention({ stats, desk }: { readonly stats: DeskStats; readonly desk: Desk }) {
  const lead = (tab: ListTab, filters: Readonly<Record<string, string>>) => () =>
    desk.show({ tab, record: null, list: { ...firstView(tab), filters } });
  const waiting = [
    {
      count: stats.openApplications,
      one: 'card application',
      go: lead('applications', {}),
    },
    {
      count: stats.openRequests,
      one: 'verification request',
      go: lead('verification-requests', { status: 'received' }),
    },
    { count: stats.openLoans, one: 'loan application', go: lead('loan-applications', {}) },
    {
      count: stats.deadDeliveries,
      one: 'dead delivery',
      many: 'dead deliveries',
      go: lead('delivery-logs', { dead: 'only' }),
    },
  ].filter(({ count }) => count > 0);
  const ill = stats.parts.filter(({ isHealthy }) => !isHealthy);
  return (
    <>
      {ill.length === 0 ? null : (
        <ul className={styles.ill}>
          {ill.map(({ part, name, problems }) => (
            <li key={part}>
              <strong>{name}:</strong> {problems.join(' ')}
            </li>
          ))}
        </ul>
      )}
      <p className={styles.waiting}>
        {waiting.length === 0 ? (
          'Nothing waits for a decision.'
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

const PLACES = ['1', '2', '3', '4', '5'];

function Recent<Row extends { readonly id: string; readonly referenceNumber: string }>({
  title,
  empty,
  rows,
  reading,
  line,
  onOpen,
}: RecentProps<Row>) {
  const { error, isFetching, refetch } = reading;
  return (
    <section aria-label={title}>
      <div className={styles.head}>
        <h2>{title}</h2>
      </div>
      {error === null ? null : (
        <p className={styles.fault} role="alert">
          {faultText(error, 'The list could not be read.')}{' '}
          <RetryButton retry={{ run: () => void refetch(), running: isFetching }} what={title} />
        </p>
      )}
      {rows?.length === 0 ? <p className={styles.empty}>{empty}</p> : null}
      <ul className={styles.recent}>
        {rows === undefined
          ? error === null
            ? PLACES.map((place) => (
                <li key={place} aria-hidden="true">
                  <Bone width={24} />
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
