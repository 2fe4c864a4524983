import { WEBHOOK_SIGNATURE_HEADER } from '../../../data/contract/webhook-event.ts';
import type { LeasedWebhook, WebhookEndpoint } from '../../../data/store/webhook-port.ts';
import type { SecretBox } from '../../admin/secret-box.ts';
import type { Sender } from '../send-outcome.ts';
import { signatureHeader } from './signature.ts';
import { webhookBody } from './webhook-body.ts';

/** The encryption context for an endpoint's signing secret. */
export const secretContext = (endpointId: string): string => `webhook ${endpointId}`;

export interface WebhookSenderOptions {
  readonly box: SecretBox;
  readonly origin: string;
  readonly allowsLoopback: boolean;
  /** Unix ms. */
  readonly now: () => number;
  readonly timeoutMs?: number;
}

function secretsOf(endpoint: WebhookEndpoint, box: SecretBox, now: number): readonly string[] {
  const { id, secret, oldSecret, oldSecretUntil } = endpoint;
  const isOldValid = oldSecret !== null && oldSecretUntil !== null && now < oldSecretUntil;
  const sealedSecrets = isOldValid ? [secret, oldSecret] : [secret];
  return sealedSecrets.map((one) => Buffer.from(box.open(one, secretContext(id))).toString());
}

export function createWebhookSender(
  readEndpoint: () => WebhookEndpoint,
  { box, origin, allowsLoopback, now, timeoutMs }: WebhookSenderOptions,
): Sender<LeasedWebhook> {
  return {
    maskedRecipient: ({ endpointId }) => endpointId,
    async send(delivery, signal) {
      const currentEndpoint = readEndpoint();
      const body = webhookBody(delivery, origin);
      const headers = {
        'Content-Type': 'application/json',
        'User-Agent': 'BlackDuck-Webhooks/1',
        [WEBHOOK_SIGNATURE_HEADER]: signatureHeader(body, secretsOf(currentEndpoint, box, now()), now()),
      };
      // Imported when the first event is sent, so that the portal starts without loading the module's libraries.
      const { postWebhook } = await import('./webhook-request.ts');
      return postWebhook(currentEndpoint.url, body, headers, { allowsLoopback, signal, timeoutMs });
    },
  };
}
