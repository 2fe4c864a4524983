import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { TEST_EVENT, WEBHOOK_EVENT_LABELS, WEBHOOK_LIMITS } from '../../../data/model/webhooks.ts';
import { Loaded } from '../admin/AdminPage.tsx';
import {
  type ChangeSender,
  useChange,
  type WebhookDelivery,
  type WebhookEndpoint,
  webhookDeliveriesQuery,
} from '../admin/admin-calls.ts';
import { Notice } from '../admin/form-parts.tsx';
import { Moment } from '../admin-dashboard/status-labels.tsx';
import { Dash } from '../ui/ReadStates.tsx';
import styles from './admin-webhooks.module.css';
import { hostOf } from './endpoint-host.ts';

export function RecentEvents({ endpoints }: { readonly endpoints: readonly WebhookEndpoint[] }) {
  const [chosenId, setChosenId] = useState('');
  const endpoint = endpoints.find(({ id }) => id === chosenId) ?? endpoints[0];
  const change = useChange();
  if (endpoint === undefined) return null;
  const { id, state } = endpoint;
  const sendTest = () => change.sendAndNotify(PATHS.testWebhook, { id }, () => 'The test event was queued.');
  return (
    <section aria-labelledby="recent-events">
      <div className={styles.head}>
        <h2 id="recent-events">Recent events</h2>
        <div className={styles.actions}>
          {endpoints.length > 1 ? (
            <select
              className={styles.select}
              aria-label="Endpoint"
              value={id}
              onChange={({ target }) => setChosenId(target.value)}
            >
              {endpoints.map((one) => (
                <option key={one.id} value={one.id}>
                  {hostOf(one)}
                </option>
              ))}
            </select>
          ) : null}
          <button
            type="button"
            className="button"
            disabled={change.isBusy || state !== 'active'}
            onClick={() => void sendTest()}
          >
            Send test event
          </button>
        </div>
      </div>
      <div className={styles.notice}>
        <Notice notice={change.notice} />
      </div>
      <EventTable key={id} endpoint={endpoint} change={change} />
    </section>
  );
}

interface EventTableProps {
  readonly endpoint: WebhookEndpoint;
  readonly change: ChangeSender;
}

function EventTable({ endpoint: { id, state }, change: { isBusy, sendAndNotify } }: EventTableProps) {
  const reading = useQuery(webhookDeliveriesQuery(id));
  const retry = (deliveryId: string) =>
    sendAndNotify(PATHS.retryWebhook, { delivery: deliveryId }, () => 'The event was queued.');
  return (
    <Loaded reading={reading} what="the events">
      {({ deliveries }) =>
        deliveries.length === 0 ? (
          <p className={styles.empty}>No events in the last {WEBHOOK_LIMITS.keptDays} days.</p>
        ) : (
          <table className={`table stacked ${styles.events}`}>
            <caption className="visually-hidden">Events, newest first</caption>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Event</th>
                <th scope="col">Record</th>
                <th scope="col">Result</th>
                <th scope="col">
                  <span className="visually-hidden">Retry</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {deliveries.map((delivery) => (
                <EventRow
                  key={delivery.id}
                  delivery={delivery}
                  onRetry={state === 'active' && !isBusy ? () => void retry(delivery.id) : null}
                />
              ))}
            </tbody>
          </table>
        )
      }
    </Loaded>
  );
}

const labelOf = (type: WebhookDelivery['type']) =>
  type === TEST_EVENT ? 'Test event' : WEBHOOK_EVENT_LABELS[type];

interface EventRowProps {
  readonly delivery: WebhookDelivery;
  /** Sends the event again; null while the endpoint is not active or a request is running. */
  readonly onRetry: (() => void) | null;
}

function EventRow({ delivery, onRetry }: EventRowProps) {
  const { eventId, type, referenceNumber, createdAt, state } = delivery;
  return (
    <tr>
      <td data-name="When">
        <Moment at={createdAt} />
      </td>
      <td data-name="Event">
        <div>
          {labelOf(type)}
          <span className={`${styles.more} ${styles.code} ${styles.id}`}>{eventId}</span>
        </div>
      </td>
      <td data-name="Record">
        <span className={styles.code}>{referenceNumber ?? <Dash why="None" />}</span>
      </td>
      <td data-name="Result">
        <Result delivery={delivery} />
      </td>
      <td className={styles.actionCell}>
        {state === 'leased' ? null : (
          <button
            type="button"
            className="button small"
            disabled={onRetry === null}
            onClick={onRetry ?? undefined}
          >
            Retry<span className="visually-hidden"> {labelOf(type)}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

const STATE_LABELS = { waiting: 'Waiting', leased: 'Sending', sent: 'Delivered', dead: 'Failed' } as const;

function Result({ delivery }: { readonly delivery: WebhookDelivery }) {
  const { state, code, attempts, latencyMs, response, nextAttemptAt } = delivery;
  const isFailing = state === 'waiting' && attempts > 0;
  const detail = [
    code,
    latencyMs === null ? null : `${latencyMs} ms`,
    attempts > 1 ? `${attempts} attempts` : null,
  ];
  return (
    <div>
      <span className={styles.state} data-state={isFailing ? 'failing' : state}>
        {isFailing ? 'Retrying' : STATE_LABELS[state]}
      </span>
      <span className={styles.more}>{detail.filter((part) => part !== null).join(' · ')}</span>
      {isFailing && nextAttemptAt !== null ? (
        <span className={styles.more}>
          Next attempt: <Moment at={nextAttemptAt} />
        </span>
      ) : null}
      {response === null || response === '' ? null : <span className={styles.more}>{response}</span>}
    </div>
  );
}
