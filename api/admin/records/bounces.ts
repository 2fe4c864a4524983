import { bounceReason } from '../../../data/model/bounces.ts';
import type { FullRecord } from '../../../data/store/record-port.ts';
import { isoOrNull } from './wire-rows.ts';

type Delivery = FullRecord['deliveries'][number];

export const isBounced = ({ state, channel, audience }: Delivery): boolean =>
  state === 'dead' && channel === 'mail' && audience === 'applicant';

/** A bounced mail as the team reads it. */
export function bounceOf({ id, event, finishedAt, attempts }: Delivery) {
  const last = attempts.at(-1);
  return {
    deliveryId: id,
    event,
    at: isoOrNull(finishedAt),
    reason: bounceReason(last?.code ?? null, last?.error ?? null),
    recipient: last?.maskedRecipient ?? null,
    error: last?.error ?? null,
  };
}
