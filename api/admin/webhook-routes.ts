import { randomBytes } from 'node:crypto';
import * as calls from '../../data/contract/admin-webhooks.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import { TEST_EVENT, WEBHOOK_LIMITS } from '../../data/model/webhooks.ts';
import type { AuditRecord } from '../../data/store/audit-port.ts';
import type { WebhookDelivery } from '../../data/store/webhook-port.ts';
import type { ApiRoute } from '../call-router.ts';
import { newSigningSecret } from '../delivery/webhooks/signature.ts';
import { secretContext } from '../delivery/webhooks/webhook-sender.ts';
import { mayBeEndpoint, mayReachLoopback } from '../delivery/webhooks/webhook-url.ts';
import { ApiError } from '../errors.ts';
import type { PortalContext } from '../portal-context.ts';
import { adminAuditRecord } from './admin-audit.ts';
import { adminJsonRoute, type SignedInAdmin } from './authorize-admin.ts';
import type { SecretBox } from './secret-box.ts';

const MAX_LISTED_DELIVERIES = 50;
const OLD_SECRET_LIFE_MS = WEBHOOK_LIMITS.oldSecretHours * 3_600_000;

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

type ListedDelivery = ResponseOf<typeof calls.webhookDeliveries>['deliveries'][number];

const toWireDelivery = (delivery: WebhookDelivery): ListedDelivery => ({
  id: delivery.id,
  eventId: delivery.eventId,
  type: delivery.event,
  referenceNumber: delivery.event === TEST_EVENT ? null : delivery.referenceNumber,
  createdAt: new Date(delivery.createdAt).toISOString(),
  state: delivery.state,
  attempts: delivery.attemptCount,
  nextAttemptAt: delivery.state === 'waiting' ? iso(delivery.nextAttemptAt) : null,
  lastAttemptAt: iso(delivery.lastAttemptAt),
  code: delivery.code,
  response: delivery.response,
  latencyMs: delivery.latencyMs,
});

/** @param confirmOwnPassword checks the password: an unattended session must not be enough to send events elsewhere */
export function webhookRoutes(
  { store: { webhooks }, authorize, nonDecreasingNow: now, chain, publicOrigin }: PortalContext,
  box: SecretBox,
  confirmOwnPassword: (admin: SignedInAdmin, password: string) => Promise<unknown>,
): readonly ApiRoute[] {
  const changeOptions = { authorize, limit: 'admin-changes' } as const;
  const allowsLoopback = mayReachLoopback(chain, publicOrigin);
  const auditRecord = (admin: SignedInAdmin, action: string, details: AuditRecord['details']) =>
    adminAuditRecord(admin, { action, at: now(), details });
  const sealSecret = (id: string, secret: string) => box.seal(Buffer.from(secret), secretContext(id));

  /** @throws {ApiError} `no-such-webhook` */
  function requireFound(isFound: boolean): { success: true } {
    if (!isFound) throw new ApiError('no-such-webhook');
    return { success: true };
  }
  const findEndpoint = async (id: string) => {
    const foundEndpoint = (await webhooks.endpoints()).find((endpoint) => endpoint.id === id);
    if (!foundEndpoint) throw new ApiError('no-such-webhook');
    return foundEndpoint;
  };

  return [
    adminJsonRoute(calls.webhookEndpoints, { authorize }, async () => {
      const endpoints = await webhooks.endpoints();
      const at = now();
      return {
        endpoints: endpoints.map(({ id, url, types, state, createdAt, failingSince, oldSecretUntil }) => ({
          ...{ id, url, types: [...types], state },
          createdAt: new Date(createdAt).toISOString(),
          failingSince: iso(failingSince),
          oldSecretUntil: oldSecretUntil !== null && at < oldSecretUntil ? iso(oldSecretUntil) : null,
        })),
      };
    }),
    adminJsonRoute(calls.webhookDeliveries, { authorize }, async (_admin, { endpoint }) => ({
      deliveries: (await webhooks.deliveries(endpoint, MAX_LISTED_DELIVERIES)).map(toWireDelivery),
    })),
    adminJsonRoute(calls.addWebhook, changeOptions, async (admin, { url, types, ownPassword }) => {
      if (!mayBeEndpoint(url, allowsLoopback)) throw new ApiError('webhook-url');
      await confirmOwnPassword(admin, ownPassword);
      const id = `we_${randomBytes(8).toString('hex')}`;
      const secret = newSigningSecret();
      const endpoint = {
        id,
        url,
        types: [...new Set(types)],
        secret: sealSecret(id, secret),
        createdAt: now(),
      };
      const audit = auditRecord(admin, 'webhook.added', { endpointId: id, host: new URL(url).host });
      if ((await webhooks.add(endpoint, WEBHOOK_LIMITS.endpoints, audit)) === 'too-many')
        throw new ApiError('too-many-webhooks', { limit: String(WEBHOOK_LIMITS.endpoints) });
      return { success: true, id, secret };
    }),
    adminJsonRoute(calls.changeWebhook, changeOptions, async (admin, { id, types }) => {
      const chosenTypes = [...new Set(types)];
      const details = { endpointId: id, types: chosenTypes.join(' ') };
      return requireFound(
        await webhooks.setTypes(id, chosenTypes, auditRecord(admin, 'webhook.changed', details)),
      );
    }),
    adminJsonRoute(calls.rollWebhookSecret, changeOptions, async (admin, { id, ownPassword }) => {
      await confirmOwnPassword(admin, ownPassword);
      const secret = newSigningSecret();
      const audit = auditRecord(admin, 'webhook.secret-rolled', { endpointId: id });
      requireFound(await webhooks.rollSecret(id, sealSecret(id, secret), now() + OLD_SECRET_LIFE_MS, audit));
      return { success: true, secret };
    }),
    adminJsonRoute(calls.pauseWebhook, changeOptions, async (admin, { id }) =>
      requireFound(
        await webhooks.setState(id, 'paused', auditRecord(admin, 'webhook.paused', { endpointId: id })),
      ),
    ),
    adminJsonRoute(calls.resumeWebhook, changeOptions, async (admin, { id }) =>
      requireFound(
        await webhooks.setState(id, 'active', auditRecord(admin, 'webhook.resumed', { endpointId: id })),
      ),
    ),
    adminJsonRoute(calls.removeWebhook, changeOptions, async (admin, { id }) => {
      const { host } = new URL((await findEndpoint(id)).url);
      const audit = auditRecord(admin, 'webhook.removed', { endpointId: id, host });
      return requireFound(await webhooks.remove(id, audit));
    }),
    adminJsonRoute(calls.testWebhook, changeOptions, async (admin, { id }) => {
      await findEndpoint(id);
      const audit = auditRecord(admin, 'webhook.tested', { endpointId: id });
      if (!(await webhooks.sendTest(id, audit))) throw new ApiError('webhook-not-active');
      return { success: true };
    }),
    adminJsonRoute(calls.retryWebhook, changeOptions, async (admin, { delivery }) => {
      const audit = auditRecord(admin, 'webhook.delivery-retried', { delivery });
      if (!(await webhooks.retry(delivery, audit))) throw new ApiError('webhook-not-retryable');
      return { success: true };
    }),
  ];
}
