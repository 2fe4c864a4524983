import type { IndexReader } from '../../data/store/ports.ts';
import { LEDGER } from '../ledger/addresses.ts';
import { figuresText, type LedgerRecord, netMovements, type RecordedMovement } from './ledger-record.ts';

const MAX_EVENTS = 1_000_000;
const FROM_THE_START = -1;

/**
 * Compares the figures (balances, totals and counts) in an index with the records of the ledgers.
 * @param ledgers the ledger of every fork that the cluster was on. A figure from any of these ledgers was correct at the time.
 */
export function watchFigures(reader: IndexReader, ledgers: readonly LedgerRecord[]) {
  const wrongFigures = new Set<string>();
  const wrongPastBalances = new Set<string>();
  let checkCount = 0;
  let newestSlot = 0;

  const isRecorded = (event: RecordedMovement): boolean =>
    ledgers.some(({ movements }) =>
      movements.some(
        ({ signature, account, slot, position, delta, blockTime }) =>
          event.signature === signature &&
          event.account === account &&
          event.slot === slot &&
          event.position === position &&
          event.delta === delta &&
          event.blockTime === blockTime,
      ),
    );
  const balancesAt = (moment: number): bigint[] =>
    ledgers.map(({ movements }) =>
      movements
        .filter(({ account, blockTime }) => account === LEDGER.vault && blockTime <= moment)
        .reduce((sum, { delta }) => sum + delta, 0n),
    );

  return {
    /** Figures that no ledger had, or that contradict each other. */
    wrong: wrongFigures,
    wrongPast: wrongPastBalances,
    get checkCount(): number {
      return checkCount;
    },
    /** Reads the index once, as the portal does, and records wrong figures. */
    async check(): Promise<void> {
      checkCount += 1;
      const moments = momentsWithin(ledgers);
      // The reads start together, so that no commit happens in between.
      const [{ chain, recentEvents }, { entries }, sums, balances] = await Promise.all([
        reader.latestSnapshot(MAX_EVENTS),
        reader.stakes(0),
        reader.vaultMovements(FROM_THE_START),
        reader.vaultBalanceAt(moments),
      ]);
      // Without the stake entries, no figures about stakes are published.
      if (chain && chain.stakerCount !== null) {
        const { slot, readAt: _, stakerCount, ...figures } = chain;
        if (slot < newestSlot) wrongFigures.add(`the snapshot went back from slot ${newestSlot} to ${slot}`);
        newestSlot = slot;
        const text = figuresText({ ...figures, stakerCount, entries });
        const recordedTexts = ledgers.map((ledger) => ledger.figuresAt(slot));
        if (!recordedTexts.includes(text)) {
          const missing = recordedTexts.map((one) => linesNotIn(text, one ?? '').join('; '));
          wrongFigures.add(`slot ${slot} never had: ${missing.join(' | ')}`);
        }
      }
      const keys = new Set(
        recentEvents.map(({ signature, account, part }) => `${signature} ${account} ${part}`),
      );
      if (keys.size < recentEvents.length) wrongFigures.add('an event is duplicated');
      for (const event of netMovements(recentEvents)) {
        if (!isRecorded(event)) wrongFigures.add(`no ledger has ${textOf(event)}`);
      }
      const vaultEvents = recentEvents.filter(({ account }) => account === LEDGER.vault);
      const counted = {
        deposits: vaultEvents.reduce((sum, { delta }) => (delta > 0n ? sum + delta : sum), 0n),
        withdrawals: vaultEvents.reduce((sum, { delta }) => (delta < 0n ? sum - delta : sum), 0n),
        movements: vaultEvents.length,
      };
      const { deposits, withdrawals, movements } = sums;
      if (textOf({ deposits, withdrawals, movements }) !== textOf(counted)) {
        wrongFigures.add(`vault movements are ${textOf(sums)} but the events add up to ${textOf(counted)}`);
      }
      // A movement in the same second as the snapshot may not be indexed yet.
      const indexedUpToMs = ((chain && ledgers[0]?.chain.blockTime(chain.slot)) ?? 0) * 1_000;
      for (const [index, moment] of moments.entries()) {
        const balance = moment < indexedUpToMs ? (balances[index] ?? null) : null;
        const recordedBalances = balancesAt(moment);
        if (balance !== null && !recordedBalances.includes(balance)) {
          wrongPastBalances.add(
            `the vault's balance at ${moment} is ${balance} instead of ${recordedBalances.join(' or ')}`,
          );
        }
      }
    },
  };
}

function linesNotIn(text: string, other: string): readonly string[] {
  const known = new Set(other.split('\n'));
  return text.split('\n').filter((line) => !known.has(line));
}

/** The times of the first, the middle and the last movement of the vault. */
function momentsWithin(ledgers: readonly LedgerRecord[]): readonly number[] {
  const times = ledgers.flatMap(({ movements }) =>
    movements.filter(({ account }) => account === LEDGER.vault).map(({ blockTime }) => blockTime),
  );
  const timeAt = (share: number) => times[Math.floor((times.length - 1) * share)];
  return [timeAt(0), timeAt(0.5), timeAt(1)].filter((time) => time !== undefined);
}

function textOf(value: object): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? `${member}` : member,
  );
}
