import { z } from 'zod';
import { decimals } from './arithmetic.ts';
import type { ChainReading } from './chain-reading.ts';
import { type Check, partOf, type Rows, toldBy } from './checks.ts';
import { HISTORY_CALLS, isHistoryRead } from './history-known.ts';

const TRANSFERS = '/api/staking/transfers';
/** Ended stakes that the list holds. */
const ENDED_TOLD = 100;

const endedList = z.object({
  ended: z.array(
    z.object({
      wallet: z.string().nullable(),
      amount: z.string(),
      startDate: z.string().nullable(),
      endDate: z.string().nullable(),
      openedBy: z.string().nullable(),
      endedBy: z.string(),
    }),
  ),
});
type EndedRow = z.infer<typeof endedList>['ended'][number];

const endedRow = (row: EndedRow) =>
  `${row.wallet ?? 'no wallet'} ${row.amount}, from ${row.startDate} (${row.openedBy}) to ${row.endDate} (${row.endedBy})`;

const isoTime = (seconds: number | null | undefined) =>
  seconds == null ? null : new Date(seconds * 1_000).toISOString();

/** Stakes that ended, newest first: what opened one is what named its entry last before. */
function endedStakes({ accounts, poolEvents }: ChainReading): readonly EndedRow[] {
  return poolEvents.flatMap((ending, index) => {
    if (ending.type !== 'unstake' || ending.stakeEntry === null) return [];
    const before = poolEvents.slice(index + 1).find(({ stakeEntry }) => stakeEntry === ending.stakeEntry);
    const opener = before?.type === 'stake' ? before : undefined;
    return {
      wallet: ending.wallet,
      amount: decimals(-ending.change, accounts.decimals),
      startDate: isoTime(opener?.blockTime),
      endDate: isoTime(ending.blockTime),
      openedBy: opener?.signature ?? null,
      endedBy: ending.signature,
    };
  });
}

/** The transactions that a list tells whole: a full one may end between the stakes that one transaction ended. */
function toldWhole(told: readonly EndedRow[]): ReadonlySet<string> {
  const cut = told.length < ENDED_TOLD ? undefined : told.at(-1)?.endedBy;
  return new Set(told.map(({ endedBy }) => endedBy).filter((signature) => signature !== cut));
}

/** The stakes that ended. */
export const STAKE_CHECKS: readonly Check[] = [
  {
    figure: `newest ${ENDED_TOLD} ended stakes`,
    ...toldBy(TRANSFERS, endedList, ({ ended }, _slot, api) => {
      if (ended.length < ENDED_TOLD && !isHistoryRead(api)) return null;
      const isWhole = toldWhole(ended);
      return ended
        .filter(({ endedBy }) => isWhole.has(endedBy))
        .map(endedRow)
        .toSorted();
    }),
    calls: [TRANSFERS, ...HISTORY_CALLS],
    expected: (chain, api) => {
      const told = partOf(api.answer(TRANSFERS), endedList)?.ended;
      if (told === undefined) return [];
      const all = endedStakes(chain);
      const isWhole = toldWhole(told);
      const isFull = told.length >= ENDED_TOLD;
      // Which of those that ended in one slot a full list leaves out is its own affair.
      const rows: Rows = (isFull ? all.filter(({ endedBy }) => isWhole.has(endedBy)) : all).map(endedRow);
      return [rows.toSorted()];
    },
  },
];
