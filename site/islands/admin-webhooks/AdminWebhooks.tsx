import { useStore } from '@nanostores/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatAge } from '../../../data/model/format.ts';
import { WEBHOOK_EVENT_LABELS, WEBHOOK_EVENT_TYPES, WEBHOOK_LIMITS } from '../../../data/model/webhooks.ts';
import { $now } from '../../data/ticking-clock.ts';
import { AdminPage, Loaded } from '../admin/AdminPage.tsx';
import { useHasRole, type WebhookEndpoint, webhooksQuery } from '../admin/admin-calls.ts';
import styles from './admin-webhooks.module.css';
import { AddEndpoint, ManageEndpoint } from './EndpointDialogs.tsx';
import { hostOf } from './endpoint-host.ts';
import { RecentEvents } from './RecentEvents.tsx';

export default function AdminWebhooks() {
  return (
    <AdminPage>
      <OwnersOnly />
    </AdminPage>
  );
}

function OwnersOnly() {
  const mayManage = useHasRole('owner');
  if (mayManage === undefined) return <p>Loading...</p>;
  return mayManage ? <Webhooks /> : <p>Only owners can manage webhooks.</p>;
}

function Webhooks() {
  const reading = useQuery(webhooksQuery());
  const [managedId, setManagedId] = useState<string | null>(null);
  const [isAdding, setAdding] = useState(false);
  const endpoints = reading.data?.endpoints ?? [];
  const endpoint = endpoints.find(({ id }) => id === managedId);
  return (
    <div className={styles.webhooks}>
      <section aria-labelledby="endpoints">
        <div className={styles.head}>
          <h2 id="endpoints">Endpoints</h2>
          <button
            type="button"
            className="button"
            disabled={endpoints.length >= WEBHOOK_LIMITS.endpoints}
            onClick={() => setAdding(true)}
          >
            Add endpoint
          </button>
        </div>
        <Loaded reading={reading} what="the endpoints">
          {({ endpoints: loadedEndpoints }) =>
            loadedEndpoints.length === 0 ? (
              <p className={styles.empty}>
                No endpoints yet. Add one to report submissions, decisions and card changes to another system.
              </p>
            ) : (
              <EndpointTable endpoints={loadedEndpoints} onManage={setManagedId} />
            )
          }
        </Loaded>
      </section>
      {endpoints.length > 0 ? <RecentEvents endpoints={endpoints} /> : null}
      {endpoint === undefined ? null : (
        <ManageEndpoint key={endpoint.id} endpoint={endpoint} onClose={() => setManagedId(null)} />
      )}
      {isAdding ? <AddEndpoint onClose={() => setAdding(false)} /> : null}
    </div>
  );
}

interface EndpointTableProps {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly onManage: (id: string) => void;
}

function EndpointTable({ endpoints, onManage }: EndpointTableProps) {
  return (
    <table className={`table stacked ${styles.endpoints}`}>
      <caption className="visually-hidden">Endpoints</caption>
      <thead>
        <tr>
          <th scope="col">URL</th>
          <th scope="col">Events</th>
          <th scope="col">State</th>
          <th scope="col">
            <span className="visually-hidden">Manage</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {endpoints.map((endpoint) => (
          <tr key={endpoint.id}>
            <th scope="row">
              <span className={styles.code}>{endpoint.url}</span>
            </th>
            <td data-name="Events">
              <Events types={endpoint.types} />
            </td>
            <td data-name="State">
              <EndpointStateLabel endpoint={endpoint} />
            </td>
            <td className={styles.actionCell}>
              <button type="button" className="button" onClick={() => onManage(endpoint.id)}>
                Manage<span className="visually-hidden"> {hostOf(endpoint)}</span>
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** If an endpoint has more events than this, only their number is shown. */
const MAX_NAMED_EVENTS = 2;

function Events({ types }: Pick<WebhookEndpoint, 'types'>) {
  if (types.length === WEBHOOK_EVENT_TYPES.length) return <span>All events</span>;
  const names = types.map((type) => WEBHOOK_EVENT_LABELS[type]);
  if (names.length <= MAX_NAMED_EVENTS) return <span>{names.join(', ')}</span>;
  return (
    <span title={names.join(', ')}>
      {names.length} of {WEBHOOK_EVENT_TYPES.length} events
    </span>
  );
}

const STATE_LABELS = { active: 'Active', paused: 'Paused', disabled: 'Disabled' } as const;

function EndpointStateLabel({ endpoint: { state, failingSince } }: { readonly endpoint: WebhookEndpoint }) {
  const now = useStore($now);
  const isFailing = state === 'active' && failingSince !== null;
  return (
    <div>
      <span className={styles.state} data-state={isFailing ? 'failing' : state}>
        {isFailing ? 'Failing' : STATE_LABELS[state]}
      </span>
      {failingSince === null ? null : (
        <span className={styles.more}>
          First failed <time dateTime={failingSince}>{formatAge(now - Date.parse(failingSince))}</time>
        </span>
      )}
    </div>
  );
}
