import type Database from 'better-sqlite3';
import type { AuditRecord } from '../audit-port.ts';
import type { StateAfterAttempt } from '../delivery-port.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import {
  disabledRecord,
  endpointAfterAttempt,
  testEvent,
  type WebhookEvent,
  webhookEventOf,
} from '../rules/webhooks.ts';
import type {
  LeasedWebhook,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookStore,
} from '../webhook-port.ts';
import type { AuditStatements } from './audit-trail.ts';
import type { GroupCommit } from './group-commit.ts';
import { APP_FILE, runInStore } from './store-files.ts';

type EndpointRow = Omit<WebhookEndpoint, 'types'> & { readonly types: string };
type Values = Readonly<Record<string, string | number | Buffer | null>>;

const MESSAGE_COLUMNS = 'd.id, d.endpointId, d.eventId, d.event, d.referenceNumber, d.status, d.createdAt';
const LEASED_COLUMNS = `${MESSAGE_COLUMNS}, d.attemptCount, d.fence, max(d.createdAt,
  coalesce((select activeSince from webhook_endpoints where id = d.endpointId), 0)) as retriedSince`;
const IS_LEASED = "id = :id and fence = :fence and state = 'leased'";
const ACTIVE_DELIVERIES =
  "webhook_deliveries d join webhook_endpoints e on e.id = d.endpointId and e.state = 'active'";

/** SQL that queues an event. @param condition selects the endpoints `e` that get the event */
const queueSql = (condition: string) => `
  insert into webhook_deliveries
    (id, endpointId, eventId, event, referenceNumber, status, state, attemptCount, nextAttemptAt, fence, createdAt)
  select e.id || ':' || :eventId, e.id, :eventId, :event, :referenceNumber, :status, 'waiting', 0, :dueAt, 0, :createdAt
  from webhook_endpoints e where e.state = 'active' and ${condition}
  on conflict (id) do nothing`;

/** Prepares a function that queues an audit record's event, to be called in the transaction that adds the record. */
export function prepareWebhookQueue(
  client: Database.Database,
  signal: Pick<QueueSignal, 'announce'>,
): (record: AuditRecord) => void {
  const add = client.prepare<[WebhookEvent]>(
    queueSql('exists (select 1 from json_each(e.types) where value = :event)'),
  );
  const hasActive = client.prepare("select 1 from webhook_endpoints where state = 'active'").pluck();
  return (record) => {
    const event = webhookEventOf(record);
    // Most portals have no endpoint, and even an insert of nothing opens the table and its five indexes.
    if (event !== null && hasActive.get() !== undefined && add.run(event).changes > 0) signal.announce();
  };
}

function prepareStatements(client: Database.Database) {
  const all = <Row>(sql: string) => client.prepare<[Values], Row>(sql);
  const run = (sql: string) => client.prepare<[Values]>(sql);
  return {
    endpoints: client.prepare<[], EndpointRow>('select * from webhook_endpoints order by createdAt, id'),
    endpoint: all<EndpointRow>('select * from webhook_endpoints where id = :id'),
    count: client.prepare<[], number>('select count(*) from webhook_endpoints').pluck(),
    add: run(`
      insert into webhook_endpoints (id, url, types, state, secret, createdAt)
      values (:id, :url, :types, 'active', :secret, :createdAt)`),
    setTypes: run('update webhook_endpoints set types = :types where id = :id'),
    setState: run(`
      update webhook_endpoints set state = :state, failingSince = null,
        activeSince = case when :state = 'active' then :at else activeSince end
      where id = :id`),
    setHealth: run(
      'update webhook_endpoints set state = :state, failingSince = :failingSince where id = :id',
    ),
    rollSecret: run(`
      update webhook_endpoints set oldSecret = secret, oldSecretUntil = :oldSecretUntil, secret = :secret
      where id = :id`),
    remove: run('delete from webhook_endpoints where id = :id'),
    removeDeliveries: run('delete from webhook_deliveries where endpointId = :id'),
    queueTest: run(queueSql('e.id = :endpointId')),
    deliveries: all<WebhookDelivery>(`
      select ${MESSAGE_COLUMNS}, d.state, d.attemptCount, d.nextAttemptAt, d.lastAttemptAt, d.code, d.response, d.latencyMs
      from webhook_deliveries d where endpointId = :endpointId order by createdAt desc, id desc limit :limit`),
    retry: run(`
      update webhook_deliveries set state = 'waiting', nextAttemptAt = :at
      where id in (select d.id from ${ACTIVE_DELIVERIES} where d.id = :id and d.state <> 'leased')`),
    due: all<{ readonly id: string }>(`
      select d.id from ${ACTIVE_DELIVERIES}
      where d.endpointId = :endpointId and d.state = 'waiting' and d.nextAttemptAt <= :now
      order by d.nextAttemptAt, d.rowid limit :limit`),
    lease: run(`
      update webhook_deliveries set state = 'leased', leasedUntil = :leasedUntil, fence = fence + 1 where id = :id`),
    leased: all<LeasedWebhook>(`select ${LEASED_COLUMNS} from webhook_deliveries d where d.id = :id`),
    nextDue: all<{ readonly at: number }>(`
      select d.nextAttemptAt as at from ${ACTIVE_DELIVERIES}
      where d.endpointId = :endpointId and d.state = 'waiting' order by d.nextAttemptAt limit 1`),
    expired: all<LeasedWebhook & { readonly leasedUntil: number }>(`
      select ${LEASED_COLUMNS}, d.leasedUntil from webhook_deliveries d
      where d.state = 'leased' and d.leasedUntil <= :moment order by d.createdAt`),
    release: run(`update webhook_deliveries set state = 'waiting', leasedUntil = null where ${IS_LEASED}`),
    recordOutcome: all<{ readonly endpointId: string }>(`
      update webhook_deliveries set state = :state, attemptCount = attemptCount + :counted, leasedUntil = null,
        nextAttemptAt = :nextAttemptAt, lastAttemptAt = :at, code = :code, response = :error, latencyMs = :latencyMs
      where ${IS_LEASED} returning endpointId`),
    depths: client.prepare<[], Awaited<ReturnType<WebhookStore['depths']>>[number]>(`
      select d.state, count(*) as deliveries from ${ACTIVE_DELIVERIES}
      where d.state in ('waiting', 'leased', 'dead') group by d.state order by d.state`),
  };
}

interface Options {
  readonly audit: AuditStatements;
  readonly group: GroupCommit;
  readonly onQueued: () => void;
}

export function openWebhooks(client: Database.Database, { audit, group, onQueued }: Options): WebhookStore {
  const statements = prepareStatements(client);
  const withoutTransaction = <T>(work: () => T): Promise<T> => runInStore(client, APP_FILE, work);

  const change = (work: () => Database.RunResult, record: AuditRecord): Promise<boolean> =>
    group.run(() => {
      if (work().changes === 0) return false;
      audit.append(record);
      onQueued();
      return true;
    });

  function recordAttempt(
    { id, fence }: Pick<LeasedWebhook, 'id' | 'fence'>,
    attempt: WebhookAttempt,
    after: StateAfterAttempt,
  ): 'recorded' | 'disabled' | 'stale' {
    const { at, code, providerId, error, latencyMs } = attempt;
    const isWaiting = after.state === 'waiting';
    const delivery = statements.recordOutcome.get({
      ...{ id, fence, at, error, latencyMs, state: after.state, code: code ?? providerId },
      counted: Number(!isWaiting || after.counts),
      nextAttemptAt: isWaiting ? after.nextAttemptAt : at,
    });
    if (!delivery) return 'stale';
    const endpoint = statements.endpoint.get({ id: delivery.endpointId });
    if (!endpoint) return 'recorded';
    const { disabledReason, ...health } = endpointAfterAttempt(endpoint, attempt);
    if (health.state !== endpoint.state || health.failingSince !== endpoint.failingSince) {
      statements.setHealth.run({ ...health, id: endpoint.id });
    }
    if (disabledReason === null) return 'recorded';
    audit.append(disabledRecord(endpoint.id, disabledReason, at));
    return 'disabled';
  }

  return {
    endpoints: () =>
      withoutTransaction(() =>
        statements.endpoints.all().map((row) => ({ ...row, types: JSON.parse(row.types) })),
      ),
    add: ({ id, url, types, secret, createdAt }, limit, record) =>
      group.run(() => {
        if ((statements.count.get() ?? 0) >= limit) return 'too-many';
        statements.add.run({ id, url, types: JSON.stringify(types), secret: Buffer.from(secret), createdAt });
        audit.append(record);
        onQueued();
        return 'added';
      }),
    setTypes: (id, types, record) =>
      change(() => statements.setTypes.run({ id, types: JSON.stringify(types) }), record),
    setState: (id, state, record) =>
      change(() => statements.setState.run({ id, state, at: record.at }), record),
    rollSecret: (id, secret, oldSecretUntil, record) =>
      change(() => statements.rollSecret.run({ id, secret: Buffer.from(secret), oldSecretUntil }), record),
    remove: (id, record) =>
      change(() => {
        statements.removeDeliveries.run({ id });
        return statements.remove.run({ id });
      }, record),
    sendTest: (id, record) =>
      change(() => statements.queueTest.run({ ...testEvent(record.at), endpointId: id }), record),
    deliveries: (endpointId, limit) =>
      withoutTransaction(() => statements.deliveries.all({ endpointId, limit })),
    retry: (deliveryId, record) =>
      change(() => statements.retry.run({ id: deliveryId, at: record.at }), record),

    claimDue: ({ endpointId, now, leasedUntil, limit }) =>
      group.run(() =>
        statements.due.all({ endpointId, now, limit: Math.max(0, limit) }).flatMap(({ id }) => {
          statements.lease.run({ id, leasedUntil });
          return statements.leased.all({ id });
        }),
      ),
    nextDueAt: (endpointId) => withoutTransaction(() => statements.nextDue.get({ endpointId })?.at ?? null),
    expiredLeases: (moment) => withoutTransaction(() => statements.expired.all({ moment })),
    release: ({ id, fence }) => withoutTransaction(() => void statements.release.run({ id, fence })),
    recordAttempt: (lease, attempt, after) => group.run(() => recordAttempt(lease, attempt, after)),
    depths: () => withoutTransaction(() => statements.depths.all()),
  };
}
