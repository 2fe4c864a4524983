import { FRESHNESS } from '../../model/value-state.ts';
import type { ChainEvent, ChainSnapshot, Cursor, EventBatch, VaultWindow } from '../ports.ts';

interface Told {
  readonly event: ChainEvent;
  readonly order: number;
}

const SAME: readonly (keyof ChainEvent)[] = [
  'slot',
  'position',
  'blockTime',
  'kind',
  'wallet',
  'delta',
  'status',
];

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, delta) => total + delta, 0n);
}

function inOrder(left: Told, right: Told): number {
  return (
    left.event.slot - right.event.slot ||
    left.event.position - right.event.position ||
    left.order - right.order
  );
}

/**
 * The event side of the index ports, written as plainly as can be: lists, and every figure counted anew at each reading.
 * The adapters are held against it.
 */
export class PlainIndex {
  #told: Told[] = [];
  #order = 0;
  readonly #cursors = new Map<string, Cursor>();
  readonly #caughtUp = new Map<string, number>();
  #snapshot: ChainSnapshot | null = null;

  commitSnapshot(snapshot: ChainSnapshot): void {
    if (this.#snapshot === null || snapshot.slot >= this.#snapshot.slot) this.#snapshot = snapshot;
  }

  isHistoryRead(accounts: readonly string[]): boolean {
    return accounts.every((account) => this.#caughtUp.has(account));
  }

  commit(batch: EventBatch): void {
    const { account, cursor } = batch;
    const sentAgain = this.history(account).some((event) => event.signature === cursor.signature);
    for (const event of batch.events) this.#tell(event);
    const stored = this.#cursors.get(account);
    if (stored === undefined || cursor.slot > stored.slot || (cursor.slot === stored.slot && !sentAgain)) {
      this.#cursors.set(account, cursor);
    }
    const caughtUpAt = Math.max(this.#caughtUp.get(account) ?? -1, batch.caughtUpAt ?? -1);
    if (caughtUpAt >= 0) this.#caughtUp.set(account, caughtUpAt);
  }

  #tell(event: ChainEvent): void {
    const known = this.#told.find(
      (told) => told.event.signature === event.signature && told.event.account === event.account,
    );
    if (known?.event.status === 'finalized') return;
    if (known !== undefined && SAME.every((field) => known.event[field] === event[field])) return;
    this.#told = this.#told.filter((told) => told !== known);
    this.#told.push({ event, order: this.#order });
    this.#order += 1;
  }

  settle(finalized: readonly string[], vanished: readonly string[]): void {
    const gone = this.#told.filter(
      ({ event }) => event.status === 'confirmed' && vanished.includes(event.signature),
    );
    this.#told = this.#told
      .filter((told) => !gone.includes(told))
      .map((told) =>
        finalized.includes(told.event.signature)
          ? { ...told, event: { ...told.event, status: 'finalized' as const } }
          : told,
      );
    for (const [account, cursor] of [...this.#cursors]) {
      const lost = gone.filter(({ event }) => event.account === account).map(({ event }) => event.slot);
      if (lost.length === 0 && !vanished.includes(cursor.signature)) continue;
      const before = Math.min(...(lost.length > 0 ? lost : [cursor.slot]));
      const back = this.history(account).findLast((event) => event.slot < before);
      this.#caughtUp.delete(account);
      if (back === undefined) this.#cursors.delete(account);
      else this.#cursors.set(account, { account, signature: back.signature, slot: back.slot });
    }
  }

  cursor(account: string): Cursor | null {
    return this.#cursors.get(account) ?? null;
  }

  /** An account's events, oldest first. */
  history(account: string): ChainEvent[] {
    return this.#told
      .filter(({ event }) => event.account === account)
      .sort(inOrder)
      .map(({ event }) => event);
  }

  /** Every event, newest first. */
  newestFirst(): ChainEvent[] {
    return this.#told.toSorted((left, right) => inOrder(right, left)).map(({ event }) => event);
  }

  /** Every provisional event up to a slot, oldest first. */
  provisional(upToSlot: number): { signature: string; account: string; slot: number }[] {
    return this.newestFirst()
      .reverse()
      .filter((event) => event.status === 'confirmed' && event.slot <= upToSlot)
      .map(({ signature, account, slot }) => ({ signature, account, slot }));
  }

  /** An account's events with the time that each counts at. */
  #timed(account: string): { time: number | null; slot: number; delta: bigint }[] {
    let time: number | null = null;
    return this.history(account).map(({ blockTime, slot, delta }) => {
      if (blockTime !== null && (time === null || blockTime > time)) time = blockTime;
      return { time, slot, delta };
    });
  }

  /** The snapshot, where the account was listed lately enough to explain it. */
  #explained(account: string): ChainSnapshot | null {
    const listedAt = this.#caughtUp.get(account);
    const snapshot = this.#snapshot;
    if (snapshot === null || listedAt === undefined) return null;
    return listedAt >= snapshot.readAt - 2 * FRESHNESS.chain.interval ? snapshot : null;
  }

  until(account: string): number | null {
    const moments = [this.#timed(account).at(-1)?.time ?? null, this.#caughtUp.get(account) ?? null];
    const known = moments.filter((moment) => moment !== null);
    return known.length === 0 ? null : Math.max(...known);
  }

  movementsSince(account: string, since: number): VaultWindow {
    const timed = this.#timed(account);
    const deltas = timed.filter(({ time }) => time !== null && time > since).map(({ delta }) => delta);
    const snapshot = this.#explained(account);
    const explained = timed.filter(({ slot }) => snapshot !== null && slot <= snapshot.slot);
    return {
      deposits: sum(deltas.filter((delta) => delta > 0n)),
      withdrawals: -sum(deltas.filter((delta) => delta < 0n)),
      movements: deltas.filter((delta) => delta !== 0n).length,
      until: this.until(account),
      reachesBack:
        timed.some(({ time }) => time !== null && time <= since) ||
        snapshot?.vaultBalance === sum(explained.map(({ delta }) => delta)),
    };
  }

  balanceAt(account: string, moment: number): bigint | null {
    const snapshot = this.#explained(account);
    if (snapshot === null || moment > snapshot.readAt) return null;
    const timed = this.#timed(account);
    const isBefore = ({ time }: { time: number | null }) => time !== null && time <= moment;
    const last = timed.findLastIndex(isBefore);
    if (last < 0) return null;
    const inSnapshot = timed.filter(({ slot }) => slot <= snapshot.slot);
    const before = timed.slice(0, last + 1);
    return snapshot.vaultBalance - sum(inSnapshot.map((t) => t.delta)) + sum(before.map((t) => t.delta));
  }
}
