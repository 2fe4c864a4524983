import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { startJob } from '../../data/runtime/schedule.ts';
import type { IndexReader } from '../../data/store/ports.ts';
import type { NewNotice, Subscription, SubscriptionStore } from '../../data/store/subscription-port.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import type { CurrentStakes } from '../staking/current-stakes.ts';
import type { LedgerClock } from './ledger-clock.ts';

const DAY_MS = 86_400_000;
/** How long (ms) before the end of a lock each reminder is due, the shortest first. */
const OCCASIONS = [
  ['day', DAY_MS],
  ['week', 7 * DAY_MS],
] as const;
const PATTERN = '* * * * *';
/** How many of a wallet's newest events are read. Earlier ones were reported by earlier runs. */
const MAX_EVENTS = 50;

/**
 * The reminders that are due, at most one for each open stake. If two are due after an outage, only the later one is sent. A
 * reminder that was due before the person confirmed the subscription is not sent.
 */
function unlockNotices(subscription: Subscription, { content, readAt }: CurrentStakes): NewNotice[] {
  const { confirmedAt, subject } = subscription;
  return (content.openStakesByWallet.get(subject) ?? []).flatMap(({ address, unlocksAt }) => {
    const dueOccasion = OCCASIONS.find(([, leadMs]) => unlocksAt - leadMs <= readAt);
    if (
      !dueOccasion ||
      unlocksAt <= readAt ||
      confirmedAt === null ||
      unlocksAt - dueOccasion[1] < confirmedAt
    )
      return [];
    return [{ subscription, occasion: dueOccasion[0], cause: `${address} ${unlocksAt}` }];
  });
}

/** Notices about finalized changes to a wallet's stakes since the person subscribed. */
async function changeNotices(
  subscription: Subscription,
  reader: Pick<IndexReader, 'walletEvents'>,
): Promise<NewNotice[]> {
  const { fromSlot, subject } = subscription;
  if (fromSlot === null) return [];
  const { events } = await reader.walletEvents(subject, MAX_EVENTS, null);
  return events.flatMap(({ signature, part, kind, slot, status }) => {
    if (status !== 'finalized' || slot <= fromSlot) return [];
    if (kind !== 'stake' && kind !== 'unstake') return [];
    return [
      { subscription, occasion: kind === 'stake' ? 'staked' : 'unstaked', cause: `${signature} ${part}` },
    ];
  });
}

interface ReminderJobContext {
  readonly subscriptions: Pick<SubscriptionStore, 'confirmedForStakes' | 'queue' | 'saveProgress' | 'sweep'>;
  readonly reader: Pick<IndexReader, 'walletEvents'>;
  readonly figureInputs: () => FigureInputs;
  /** Null on a Solana cluster: only the embedded ledger's clock can be ahead of the actual time. */
  readonly ledgerClock: LedgerClock | null;
  /** Unix ms. */
  readonly now: () => number;
}

/** Queues the messages that are due, and deletes old subscriptions (see `sweep`). @returns how many messages were queued */
export async function queueReminders({
  subscriptions,
  reader,
  figureInputs,
  ledgerClock,
  now,
}: ReminderJobContext): Promise<number> {
  const at = now();
  await subscriptions.sweep({
    endedBefore: at - PORTAL_LIMITS.reminderLinkHours * 3_600_000,
    idleBefore: at - PORTAL_LIMITS.reminderIdleDays * DAY_MS,
  });
  await ledgerClock?.read();
  const inputs = figureInputs();
  const { index } = inputs;
  const stakes = ledgerClock?.inProgramTime(inputs.stakes) ?? inputs.stakes;
  if (!stakes) return 0;
  let queuedCount = 0;
  const changed: Subscription[] = [];
  for (const subscription of await subscriptions.confirmedForStakes()) {
    const changes = index.isHistoryCaughtUp ? await changeNotices(subscription, reader) : [];
    const notices = [...unlockNotices(subscription, stakes), ...changes];
    if (notices.length > 0) queuedCount += await subscriptions.queue(notices, at);
    const hasStake = stakes.content.stakerByWallet.has(subscription.subject);
    const idleSince = hasStake ? null : (subscription.idleSince ?? at);
    const fromSlot = subscription.fromSlot ?? stakes.slot;
    if (idleSince !== subscription.idleSince || fromSlot !== subscription.fromSlot) {
      changed.push({ ...subscription, idleSince, fromSlot });
    }
  }
  if (changed.length > 0) await subscriptions.saveProgress(changed);
  return queuedCount;
}

/** Queues reminders at the start and every minute. @returns a function that stops the job and waits for the current run */
export function startReminders(options: ReminderJobContext & { readonly log: Logger }): () => Promise<void> {
  const job = {
    name: 'reminders',
    cronPattern: PATTERN,
    run: async () => {
      const messageCount = await queueReminders(options);
      if (messageCount > 0) options.log.info({ messages: messageCount }, 'queued reminders');
    },
  };
  return startJob(job, options.log);
}
