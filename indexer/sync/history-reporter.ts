import type { Logger } from '../../data/runtime/log.ts';
import type { PlacedTransaction } from '../../data/store/chain-rows.ts';
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

/** Tells when events begin to wait for an endpoint that can tell what became of them, and when none waits any more. */
export function undecidedReporter(log: Logger): (undecided: readonly PlacedTransaction[]) => void {
  let isWaiting = false;
  return (undecided) => {
    const [oldest] = undecided;
    if (oldest && !isWaiting) {
      const transactions = new Set(undecided.map(({ signature }) => signature)).size;
      log.warn(
        { transactions, signature: oldest.signature, slot: oldest.slot },
        'events stay provisional, for no endpoint knows their transactions or has the history to deny them: ' +
          'add an endpoint with full history to SOLANA_RPC_URLS',
      );
    }
    if (!oldest && isWaiting) log.info('no event waits for an endpoint with more history any more');
    isWaiting = oldest !== undefined;
  };
}
