import { z } from 'zod';
import { decimals } from './arithmetic.ts';
import type { AuditedEvent } from './chain-events.ts';
import type { ChainReading } from './chain-reading.ts';
import type { Rows } from './checks.ts';

/** Movements as the portal lists them. */
export const eventList = z.array(
  z.object({
    type: z.string(),
    account: z.string(),
    amount: z.string(),
    signature: z.string(),
    part: z.number(),
    blockTime: z.number().nullable(),
    wallet: z.string().nullable(),
    slot: z.number(),
  }),
);
type EventRow = z.infer<typeof eventList>[number];

const rowText = (row: EventRow) =>
  `${row.slot} ${row.signature} ${row.account} ${row.part} ${row.type} ${row.amount} ${row.wallet ?? 'no wallet'} ${row.blockTime ?? 'no time'}`;

/** The slot below which a list that leaves older rows out may lack some: it ends within its oldest slot. */
export function oldestSlot(list: readonly { readonly slot: number }[], leavesOut: boolean): number {
  return leavesOut ? Math.min(...list.map(({ slot }) => slot)) : -1;
}

/** Rows after a slot and before another, which may still go on. */
export function rowsBetween(rows: readonly EventRow[], after: number, before: number): Rows {
  return rows
    .filter(({ slot }) => slot > after && slot < before)
    .map(rowText)
    .toSorted();
}

/** The events of both accounts that fit, as the portal is to list them. */
export function chainRows(
  { accounts, vaultEvents, poolEvents }: ChainReading,
  isFitting: (event: AuditedEvent) => boolean = () => true,
): readonly EventRow[] {
  return [...vaultEvents, ...poolEvents].filter(isFitting).map(({ change, ...event }) => ({
    ...event,
    amount: decimals(change < 0n ? -change : change, accounts.decimals),
  }));
}
