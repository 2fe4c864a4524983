import type { AppStore } from '../ports.ts';
import { SUBMITTED_AT } from './sample-submissions.ts';

/** Queues a push message for each cause, for a subscription with the id `one`. */
export async function queuePushMessages(
  { subscriptions }: AppStore,
  ...causes: readonly string[]
): Promise<void> {
  const requested = { id: 'one', subject: 'wallet', channel: 'push', target: '{}', fromSlot: null } as const;
  const limits = { perChannel: 1, perAddress: 1, since: 0 };
  await subscriptions.request({ ...requested, requestedAt: SUBMITTED_AT }, limits);
  const subscription = await subscriptions.find('one');
  if (!subscription) throw new Error('The subscription was not stored.');
  const notices = causes.map((cause) => ({ subscription, occasion: 'day', cause }) as const);
  await subscriptions.queue(notices, SUBMITTED_AT);
}
