import { formatAge } from '../../data/model/format.ts';
import type { BacklogStore } from '../../data/store/backlog-port.ts';
import type { DeliveryStore } from '../../data/store/delivery-port.ts';

/** What the bot tells the team's chats: numbers and references, nothing of a person. */

export interface TeamStore {
  readonly backlog: BacklogStore;
  readonly deliveries: Pick<DeliveryStore, 'depths'>;
}

/** Deliveries that are named one by one. */
const NAMED = 10;

/** How much waits for the team, and how much is on its way. */
export async function queueWords({ backlog, deliveries }: TeamStore): Promise<string> {
  const { cardApplications, verificationRequests, loanApplications } = await backlog.waitingDecisions();
  const depths = await deliveries.depths();
  const ofState = (...states: string[]) =>
    depths.filter(({ state }) => states.includes(state)).reduce((sum, depth) => sum + depth.deliveries, 0);
  return [
    'Waiting for a decision:',
    `– card applications: ${cardApplications}`,
    `– verification requests: ${verificationRequests}`,
    `– loan applications: ${loanApplications}`,
    `Deliveries on their way: ${ofState('waiting', 'leased')}`,
    `Deliveries given up: ${ofState('dead')}`,
  ].join('\n');
}

/** Which deliveries were given up, the last of them first. */
export async function deliveriesWords({ backlog }: TeamStore, now: number): Promise<string> {
  const found = await backlog.deadDeliveries(NAMED + 1);
  if (found.length === 0) return 'No delivery was given up.';
  const lines = found
    .slice(0, NAMED)
    .map(
      ({ referenceNumber, channel, finishedAt }) =>
        `– ${referenceNumber} by ${channel}${finishedAt === null ? '' : `, ${formatAge(now - finishedAt)}`}`,
    );
  return [
    'Deliveries that were given up:',
    ...lines,
    ...(found.length > NAMED ? ['and more: the delivery log of the admin area has all of them'] : []),
  ].join('\n');
}
