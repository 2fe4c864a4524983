import type { AuditRecord } from '../audit-port.ts';
import type { StateAfterAttempt } from '../delivery-port.ts';
import { disabledRecord, endpointAfterAttempt, testEvent } from '../rules/webhooks.ts';
import type {
  LeasedWebhook,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookStore,
} from '../webhook-port.ts';
import { type Database, SERVER_NOW, type Transaction } from './database.ts';
import { queueForEndpoint } from './webhook-queue.ts';

type Depth = Awaited<ReturnType<WebhookStore['depths']>>[number];
type ClaimOptions = Parameters<WebhookStore['claimDue']>[0];

/** The lock that transactions take to add an endpoint, so that concurrent calls do not exceed the limit. */
const ENDPOINTS_LOCK = 'webhook endpoints';

const MESSAGE_COLUMNS =
  'd.id, d."endpointId", d."eventId", d.event, d."referenceNumber", d.status, d."createdAt"';
const LEASED_COLUMNS = `${MESSAGE_COLUMNS}, d."attemptCount", d.fence, greatest(d."createdAt",
  (select of."activeSince" from $.webhook_endpoints of where of.id = d."endpointId")) as "retriedSince"`;
const IS_LEASED = `id = $1 and fence = $2 and state = 'leased'`;
const ACTIVE_DELIVERIES = `$.webhook_deliveries d
  join $.webhook_endpoints e on e.id = d."endpointId" and e.state = 'active'`;
const COLUMNS =
  'id, url, types, state, secret, "oldSecret", "oldSecretUntil", "activeSince", "failingSince", "createdAt"';

function prepareStatements({ statement }: Database) {
  return {
    endpoints: statement<WebhookEndpoint>(
      `select ${COLUMNS} from $.webhook_endpoints order by "createdAt", id`,
    ),
    endpoint: statement<WebhookEndpoint>(
      `select ${COLUMNS} from $.webhook_endpoints where id = $1 for update`,
    ),
    count: statement<{ endpoints: number }>('select count(*) as endpoints from $.webhook_endpoints'),
    add: statement(`
      insert into $.webhook_endpoints (id, url, types, state, secret, "createdAt")
      values ($1, $2, $3, 'active', $4, $5)`),
    setTypes: statement('update $.webhook_endpoints set types = $2 where id = $1'),
    setState: statement(`
      update $.webhook_endpoints set state = $2, "failingSince" = null,
        "activeSince" = case when $2 = 'active' then $3 else "activeSince" end
      where id = $1`),
    setHealth: statement('update $.webhook_endpoints set state = $2, "failingSince" = $3 where id = $1'),
    rollSecret: statement(`
      update $.webhook_endpoints set "oldSecret" = secret, "oldSecretUntil" = $3, secret = $2 where id = $1`),
    remove: statement('delete from $.webhook_endpoints where id = $1'),
    removeDeliveries: statement('delete from $.webhook_deliveries where "endpointId" = $1'),
    deliveries: statement<WebhookDelivery>(`
      select ${MESSAGE_COLUMNS}, d.state, d."attemptCount", d."nextAttemptAt", d."lastAttemptAt", d.code, d.response, d."latencyMs"
      from $.webhook_deliveries d where "endpointId" = $1 order by "createdAt" desc, id desc limit $2`),
    retry: statement(`
      update $.webhook_deliveries set state = 'waiting', "nextAttemptAt" = $2
      where state <> 'leased' and id in (select d.id from ${ACTIVE_DELIVERIES} where d.id = $1)`),
    due: statement<{ id: string }>(`
      select d.id from ${ACTIVE_DELIVERIES}
      where d."endpointId" = $1 and d.state = 'waiting' and d."nextAttemptAt" <= $2
      order by d."nextAttemptAt", d.id limit $3 for update of d skip locked`),
    // Leases begin and end by the server's clock, because the clocks of the programs differ.
    lease: statement<LeasedWebhook>(`
      update $.webhook_deliveries d set state = 'leased', "leasedUntil" = ${SERVER_NOW} + $2, fence = fence + 1
      where id = any($1) returning ${LEASED_COLUMNS}`),
    nextDue: statement<{ at: number }>(`
      select d."nextAttemptAt" as at from ${ACTIVE_DELIVERIES}
      where d."endpointId" = $1 and d.state = 'waiting' order by d."nextAttemptAt" limit 1`),
    expired: statement<LeasedWebhook & { leasedUntil: number }>(`
      select ${LEASED_COLUMNS}, d."leasedUntil" from $.webhook_deliveries d
      where d.state = 'leased' and d."leasedUntil" <= ${SERVER_NOW} order by d."createdAt"`),
    release: statement(
      `update $.webhook_deliveries set state = 'waiting', "leasedUntil" = null where ${IS_LEASED}`,
    ),
    recordOutcome: statement<{ endpointId: string }>(`
      update $.webhook_deliveries set state = $3, "attemptCount" = "attemptCount" + $4, "leasedUntil" = null,
        "nextAttemptAt" = $5, "lastAttemptAt" = $6, code = $7, response = $8, "latencyMs" = $9
      where ${IS_LEASED} returning "endpointId"`),
    depths: statement<Depth>(`
      select d.state, count(*) as deliveries from ${ACTIVE_DELIVERIES}
      where d.state <> 'sent' group by d.state order by d.state`),
  };
}

export function openWebhooks(db: Database, announce: () => void): WebhookStore {
  const statements = prepareStatements(db);

  async function change(
    work: (transaction: Transaction) => Promise<number>,
    record: AuditRecord,
  ): Promise<boolean> {
    const hasChanged = await db.transaction([], async (transaction) => {
      if ((await work(transaction)) === 0) return false;
      transaction.record(record);
      return true;
    });
    if (hasChanged) announce();
    return hasChanged;
  }

  const claim = ({ endpointId, now, leasedUntil, limit }: ClaimOptions) =>
    db.transaction([], async (transaction) => {
      const due = await transaction.all(statements.due, endpointId, now, limit);
      if (due.length === 0) return [];
      const ids = due.map(({ id }) => id);
      const leased = await transaction.all(statements.lease, ids, leasedUntil - now);
      return leased.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
    });

  async function updateEndpointHealth(
    transaction: Transaction,
    endpointId: string,
    attempt: WebhookAttempt,
  ): Promise<'recorded' | 'disabled'> {
    const endpoint = await transaction.get(statements.endpoint, endpointId);
    if (!endpoint) return 'recorded';
    const { disabledReason, ...health } = endpointAfterAttempt(endpoint, attempt);
    if (health.state !== endpoint.state || health.failingSince !== endpoint.failingSince) {
      await transaction.run(statements.setHealth, endpointId, health.state, health.failingSince);
    }
    if (disabledReason === null) return 'recorded';
    transaction.record(disabledRecord(endpointId, disabledReason, attempt.at));
    return 'disabled';
  }

  const recordAttempt = (
    { id, fence }: Pick<LeasedWebhook, 'id' | 'fence'>,
    attempt: WebhookAttempt,
    after: StateAfterAttempt,
  ) =>
    db.transaction([], async (transaction) => {
      const { at, code, providerId, error, latencyMs } = attempt;
      const isWaiting = after.state === 'waiting';
      const next = [Number(!isWaiting || after.counts), isWaiting ? after.nextAttemptAt : at];
      const result = [at, code ?? providerId, error, latencyMs];
      const delivery = await transaction.get(
        statements.recordOutcome,
        id,
        fence,
        after.state,
        ...next,
        ...result,
      );
      return delivery ? updateEndpointHealth(transaction, delivery.endpointId, attempt) : 'stale';
    });

  return {
    endpoints: () => db.all(statements.endpoints),
    async add({ id, url, types, secret, createdAt }, limit, record) {
      const outcome = await db.transaction([ENDPOINTS_LOCK], async (transaction) => {
        const count = (await transaction.get(statements.count))?.endpoints ?? 0;
        if (count >= limit) return 'too-many';
        await transaction.run(statements.add, id, url, types, Buffer.from(secret), createdAt);
        transaction.record(record);
        return 'added';
      });
      if (outcome === 'added') announce();
      return outcome;
    },
    setTypes: (id, types, record) => change((on) => on.run(statements.setTypes, id, types), record),
    setState: (id, state, record) =>
      change((on) => on.run(statements.setState, id, state, record.at), record),
    rollSecret: (id, secret, oldSecretUntil, record) =>
      change((on) => on.run(statements.rollSecret, id, Buffer.from(secret), oldSecretUntil), record),
    remove: (id, record) =>
      change(async (on) => {
        await on.run(statements.removeDeliveries, id);
        return on.run(statements.remove, id);
      }, record),
    sendTest: (id, record) => {
      const event = testEvent(record.at);
      return change((on) => queueForEndpoint({ ...on, statement: db.statement }, id, event), record);
    },
    deliveries: (endpointId, limit) => db.all(statements.deliveries, endpointId, limit),
    retry: (deliveryId, record) => change((on) => on.run(statements.retry, deliveryId, record.at), record),

    claimDue: async (options) => (options.limit > 0 ? claim(options) : []),
    nextDueAt: async (endpointId) => (await db.get(statements.nextDue, endpointId))?.at ?? null,
    expiredLeases: () => db.all(statements.expired),
    async release({ id, fence }) {
      await db.run(statements.release, id, fence);
    },
    recordAttempt,
    depths: () => db.all(statements.depths),
  };
}
