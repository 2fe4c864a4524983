import type { Logger } from '../../data/runtime/log.ts';
import type { BackfillProgress } from '../progress/backfill-progress.ts';
import type { HistoryProgress } from './account-history.ts';

/** Tells how a backfill gets on, and once about a transaction that cannot be read. */
export function historyReporter(
  log: Logger,
  account: string,
  progress: BackfillProgress | undefined,
): (outcome: HistoryProgress) => void {
  let stuckOn: string | null = null;
  return (outcome) => {
    const { state, transactions, left, events } = outcome;
    progress?.told(account, { transactions, left, isCaughtUp: state === 'caught-up' });
    for (const { signature, slot, reason } of outcome.quarantined) {
      log.warn(
        { account, signature, slot, reason },
        'a transaction that cannot be read is put into quarantine',
      );
    }
    if (outcome.stuckOn && outcome.stuckOn.signature !== stuckOn) {
      log.warn({ account, ...outcome.stuckOn }, 'a transaction cannot be read; the account waits for it');
    }
    stuckOn = outcome.stuckOn?.signature ?? null;
    if (events > 0) log.debug({ account, events }, 'events committed');
  };
}
