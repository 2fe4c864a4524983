import type { ChainAlarm, ChainEvent, QuarantinedTransaction } from '../../data/store/chain-rows.ts';
import type { ListedTransaction, RowResult, WindowReader } from './transaction-window.ts';

/**
 * How many attempts to read a transaction must fail before it is quarantined. A node may list a transaction a moment
 * before the node can return it.
 */
const FAILURES_TO_QUARANTINE = 3;

/** Reads the transactions that are confirmed but not final. Each one is requested until it has been read once. */
export function createProvisionalReader(address: string, reader: Pick<WindowReader, 'readEach'>) {
  let successByKey = new Map<string, RowResult>();
  let failures = new Map<string, { readonly count: number; readonly since: number }>();
  const keyOf = ({ signature, slot }: ListedTransaction): string => `${signature} ${slot}`;

  return {
    /** @param rows every provisional transaction, oldest first */
    async read(rows: readonly ListedTransaction[], signal: AbortSignal) {
      const unreadRows = rows.filter((row) => !row.hasFailed && !successByKey.has(keyOf(row)));
      const results = unreadRows.length === 0 ? [] : await reader.readEach(unreadRows, signal);
      const resultByKey = new Map(unreadRows.map((row, index) => [keyOf(row), results[index]]));
      const [lastSuccessByKey, lastFailures] = [successByKey, failures];
      successByKey = new Map();
      failures = new Map();
      const events: ChainEvent[] = [];
      const alarms: ChainAlarm[] = [];
      const quarantined: QuarantinedTransaction[] = [];
      let unreadCount = 0;
      for (const row of rows) {
        const key = keyOf(row);
        const result = lastSuccessByKey.get(key) ?? resultByKey.get(key);
        if (result?.ok) {
          successByKey.set(key, result);
          events.push(...result.events);
          alarms.push(...result.alarms);
        } else if (result) {
          unreadCount += 1;
          const { count, since } = lastFailures.get(key) ?? { count: 0, since: Date.now() };
          failures.set(key, { count: count + 1, since });
          const { signature, slot, position, blockTime } = row;
          const { reason } = result;
          if (count + 1 >= FAILURES_TO_QUARANTINE) {
            quarantined.push({ signature, account: address, slot, position, blockTime, reason, since });
          }
        }
      }
      return { events, alarms, quarantined, unreadCount };
    },
  };
}
