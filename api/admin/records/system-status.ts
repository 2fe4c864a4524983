import { SYSTEM_PARTS, type SystemPart } from '../../../data/contract/admin-stats.ts';
import type { DeliveryChannel } from '../../../data/store/delivery-port.ts';
import type { ChannelBacklog } from '../../../data/store/record-port.ts';
import type { Readiness } from '../../operations/readiness.ts';

/** Milliseconds after its time at which a delivery should long have been tried, and for which one given up is news. */
export const OVERDUE_AFTER = 10 * 60_000;
export const DEAD_FOR = 24 * 60 * 60_000;

/** Which part a shortcoming of the index is of; those not named here are the index's own. */
const PARTS_OF: Readonly<Record<string, SystemPart>> = {
  chain: 'endpoints',
  endpoints: 'endpoints',
  market: 'market',
};

/** Why a channel rests, for the team. */
const PAUSE_WORDS: Readonly<Record<string, string>> = {
  unreachable: 'The channel rests: nobody answers at its address.',
  busy: 'The channel rests: the other side asks for patience.',
  refused: 'The channel rests: the other side refuses the portal’s credentials.',
};

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

function deliveryProblems(
  channel: DeliveryChannel,
  backlogs: readonly ChannelBacklog[],
  pauses: ReadonlyMap<DeliveryChannel, string>,
): readonly string[] {
  const backlog = backlogs.find((one) => one.channel === channel);
  const rests = pauses.get(channel);
  const problems: string[] = [];
  if (rests !== undefined) problems.push(PAUSE_WORDS[rests] ?? `The channel rests: ${rests}.`);
  if (backlog && backlog.overdue > 0) {
    problems.push(`${backlog.overdue} deliveries have waited for more than ten minutes after their time.`);
  }
  if (backlog && backlog.recentlyDead > 0) {
    problems.push(`${backlog.recentlyDead} deliveries were given up in the last 24 hours.`);
  }
  return problems;
}

/** Each part of the portal with what is the matter with it. It is operational only while nothing is. */
export function systemStatus(
  { missing, warnings }: Readiness,
  backlogs: readonly ChannelBacklog[],
  pauses: ReadonlyMap<DeliveryChannel, string>,
) {
  const shortcomings = [...missing, ...warnings];
  const problemsOf = (part: SystemPart): readonly string[] =>
    part === 'mail' || part === 'telegram'
      ? deliveryProblems(part, backlogs, pauses)
      : shortcomings
          .filter(({ what }) => (PARTS_OF[what] ?? 'index') === part)
          .map(({ why }) => sentence(why));
  const parts = (Object.keys(SYSTEM_PARTS) as SystemPart[]).map((part) => {
    const problems = [...problemsOf(part)];
    return { part, name: SYSTEM_PARTS[part], isHealthy: problems.length === 0, problems };
  });
  return { isOperational: parts.every(({ isHealthy }) => isHealthy), parts };
}
