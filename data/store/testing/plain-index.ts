import type { ChainAlarm, ChainEvent, ChainSnapshot, Cursor, QuarantinedTransaction } from '../chain-rows.ts';
import type {
  EndedStake,
  EventBatch,
  EventSums,
  IndexStatistics,
  OpenedStake,
  Reconciliation,
  Stakes,
  VaultWindow,
} from '../ports.ts';

/** A stored event; `order` counts up in the order of storing. */
interface Stored {
  readonly event: ChainEvent;
  readonly order: number;
}

/** The fields by which a repeated event equals the stored one. */
const SAME: readonly (keyof ChainEvent)[] = [
  'slot',
  'position',
  'part',
  'blockTime',
  'kind',
  'wallet',
  'delta',
  'stakeEntry',
  'status',
];

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, delta) => total + delta, 0n);
}

function inOrder(left: Stored, right: Stored): number {
  return (
    left.event.slot - right.event.slot ||
    left.event.position - right.event.position ||
    left.order - right.order
  );
}

/**
 * The event side of the index ports as a reference: lists, and every figure recomputed at each read. Property tests
 * compare the adapters with it, so it shares no code with them.
 */
export class PlainIndex {
  #stored: Stored[] = [];
  #order = 0;
  readonly #cursors = new Map<string, Cursor>();
  readonly #caughtUp = new Map<string, number>();
  #snapshot: ChainSnapshot | null = null;
  #entryChanges = 0;
  #reconciliation: Reconciliation | null = null;
  #hasAgreed = false;
  #alarms: readonly ChainAlarm[] = [];
  #quarantined: readonly QuarantinedTransaction[] = [];

  commitSnapshot(snapshot: ChainSnapshot): void {
    if (this.#snapshot !== null && snapshot.slot < this.#snapshot.slot) return;
    const textsByAddress = (entries: ChainSnapshot['entries']) =>
      new Map(entries.map((entry) => [entry.address, Object.entries(entry).sort().join()]));
    const before = textsByAddress(this.#snapshot?.entries ?? []);
    const after = textsByAddress(snapshot.entries);
    const addresses = new Set([...before.keys(), ...after.keys()]);
    this.#entryChanges += [...addresses].filter((one) => before.get(one) !== after.get(one)).length;
    this.#snapshot = snapshot;
  }

  /** How many stake entries appeared, disappeared or changed. */
  get entryChanges(): number {
    return this.#entryChanges;
  }

  reconcile(reconciliation: Reconciliation): void {
    this.#reconciliation = reconciliation;
    if (reconciliation.differences.length === 0) this.#hasAgreed = true;
  }

  isHistoryRead(accounts: readonly string[]): boolean {
    return accounts.every((account) => this.#caughtUp.has(account));
  }

  commit(batch: EventBatch): void {
    const { account, events, alarms = [], quarantined = [], cursor } = batch;
    const caughtUpAt = Math.max(this.#caughtUp.get(account) ?? -1, batch.caughtUpAt ?? -1);
    if (caughtUpAt >= 0) this.#caughtUp.set(account, caughtUpAt);
    if (cursor === null) return;
    this.#add(events);
    this.#alarm(account, events, alarms);
    const isOf =
      (one: { signature: string; account: string }) => (other: { signature: string; account: string }) =>
        one.signature === other.signature && one.account === other.account;
    this.#quarantined = this.#quarantined.filter((one) => !events.some(isOf(one)));
    for (const one of quarantined) {
      if (this.history(account).some(isOf(one))) continue;
      const known = this.#quarantined.find(isOf(one));
      this.#quarantined = [
        ...this.#quarantined.filter((other) => other !== known),
        { ...one, since: known?.since ?? one.since },
      ];
    }
    const stored = this.#cursors.get(account);
    const isLater =
      stored === undefined ||
      cursor.slot > stored.slot ||
      (cursor.slot === stored.slot && cursor.position > stored.position);
    if (isLater) this.#cursors.set(account, cursor);
  }

  #alarm(account: string, events: readonly ChainEvent[], alarms: readonly ChainAlarm[]): void {
    for (const { signature, slot } of [...events, ...alarms]) {
      this.#alarms = this.#alarms.filter(
        (one) =>
          one.status === 'finalized' ||
          one.account !== account ||
          one.signature !== signature ||
          one.slot === slot,
      );
    }
    for (const alarm of alarms) {
      const known = this.#alarms.find(
        (one) =>
          one.signature === alarm.signature &&
          one.account === account &&
          one.kind === alarm.kind &&
          one.address === alarm.address,
      );
      if (known === undefined) this.#alarms = [...this.#alarms, alarm];
      else if (known.status === 'confirmed') {
        this.#alarms = this.#alarms.map((one) => (one === known ? alarm : one));
      }
    }
  }

  release(
    { signature, account }: { signature: string; account: string },
    found: { events: readonly ChainEvent[]; alarms: readonly ChainAlarm[] },
  ): void {
    const rest = this.#quarantined.filter((one) => one.signature !== signature || one.account !== account);
    if (rest.length === this.#quarantined.length) return;
    this.#quarantined = rest;
    this.#add(found.events);
    this.#alarm(account, found.events, found.alarms);
  }

  #add(events: readonly ChainEvent[]): void {
    const transactions: ChainEvent[][] = [];
    for (const event of events) {
      const last = transactions.at(-1);
      if (last?.[0]?.signature === event.signature && event.part > 0) last.push(event);
      else transactions.push([event]);
    }
    for (const parts of transactions) this.#addTransaction(parts);
  }

  #addTransaction(parts: readonly ChainEvent[]): void {
    const known = this.#stored.filter(
      ({ event }) => event.signature === parts[0]?.signature && event.account === parts[0]?.account,
    );
    if (known.some(({ event }) => event.status === 'finalized')) return;
    const isSame = parts.every((event, part) =>
      SAME.every((field) => known[part]?.event[field] === event[field]),
    );
    if (known.length === parts.length && isSame) return;
    this.#stored = this.#stored.filter((one) => !known.includes(one));
    for (const event of parts) {
      this.#stored.push({ event, order: this.#order });
      this.#order += 1;
    }
  }

  settle(finalized: readonly string[], vanished: readonly string[]): void {
    const gone = this.#stored.filter(
      ({ event }) => event.status === 'confirmed' && vanished.includes(event.signature),
    );
    const goneAlarms = this.#alarms.filter(
      (alarm) => alarm.status === 'confirmed' && vanished.includes(alarm.signature),
    );
    this.#alarms = this.#alarms
      .filter((alarm) => !goneAlarms.includes(alarm))
      .map((alarm) =>
        finalized.includes(alarm.signature) ? { ...alarm, status: 'finalized' as const } : alarm,
      );
    this.#stored = this.#stored
      .filter((one) => !gone.includes(one))
      .map((one) =>
        finalized.includes(one.event.signature)
          ? { ...one, event: { ...one.event, status: 'finalized' as const } }
          : one,
      );
    for (const [account, cursor] of [...this.#cursors]) {
      const lost = [...gone.map(({ event }) => event), ...goneAlarms]
        .filter((one) => one.account === account)
        .map(({ slot }) => slot);
      if (lost.length === 0 && !vanished.includes(cursor.signature)) continue;
      const before = Math.min(...(lost.length > 0 ? lost : [cursor.slot]));
      const back = this.history(account).findLast((event) => event.slot < before);
      this.#caughtUp.delete(account);
      if (back === undefined) this.#cursors.delete(account);
      else {
        const { signature, slot, position } = back;
        this.#cursors.set(account, { account, signature, slot, position });
      }
    }
  }

  cursor(account: string): Cursor | null {
    return this.#cursors.get(account) ?? null;
  }

  /** An account's events, oldest first. */
  history(account: string): ChainEvent[] {
    return this.#stored
      .filter(({ event }) => event.account === account)
      .sort(inOrder)
      .map(({ event }) => event);
  }

  /** Every event, newest first. */
  newestFirst(): ChainEvent[] {
    return this.#stored.toSorted((left, right) => inOrder(right, left)).map(({ event }) => event);
  }

  /** A wallet's events, newest first. */
  ofWallet(wallet: string): ChainEvent[] {
    return this.newestFirst().filter((event) => event.wallet === wallet);
  }

  /** Provisional transactions up to a slot, oldest first; in a slot, those that only raise an alarm come last. */
  provisional(upToSlot: number): { signature: string; account: string; slot: number }[] {
    const rows = [...this.newestFirst().reverse(), ...this.alarms().reverse()]
      .filter((one) => one.status === 'confirmed' && one.slot <= upToSlot)
      .map(({ signature, account, slot }) => ({ signature, account, slot }));
    return rows
      .filter(
        ({ signature, account }, index) =>
          rows.findIndex((one) => one.signature === signature && one.account === account) === index,
      )
      .sort((one, other) => one.slot - other.slot);
  }

  /** Newest first. */
  alarms(): ChainAlarm[] {
    return [...this.#alarms].reverse().sort((one, other) => other.slot - one.slot);
  }

  /** Oldest first. */
  quarantined(): QuarantinedTransaction[] {
    const name = ({ account, signature }: QuarantinedTransaction) => `${account} ${signature}`;
    return this.#quarantined.toSorted(
      (one, other) =>
        one.slot - other.slot || one.position - other.position || (name(one) < name(other) ? -1 : 1),
    );
  }

  sums(account: string, upToSlot: number): EventSums {
    const events = this.history(account).filter(({ slot }) => slot <= upToSlot);
    const of = (isCounted: (event: ChainEvent) => boolean) =>
      sum(events.filter(isCounted).map(({ delta }) => delta));
    return {
      totalIn: of(({ delta }) => delta > 0n),
      totalOut: -of(({ delta }) => delta < 0n),
      staked: of(({ kind }) => kind === 'stake'),
      unstaked: -of(({ kind }) => kind === 'unstake'),
    };
  }

  statistics(vault: string, poolVault: string): IndexStatistics {
    const slots = [vault, poolVault].map((account) => this.#cursors.get(account)?.slot ?? null);
    const known = slots.filter((slot) => slot !== null);
    return {
      events: { vault: this.history(vault).length, 'stake-pool': this.history(poolVault).length },
      provisionalEvents: this.#stored.filter(({ event }) => event.status === 'confirmed').length,
      quarantined: this.#quarantined.length,
      alarms: this.#alarms.length,
      cursorSlot: known.length === 2 ? Math.min(...known) : null,
    };
  }

  stakes(endedAtMost: number): Stakes {
    const events = this.newestFirst();
    const slot = this.#snapshot?.slot ?? -1;
    const openedBy = (entry: string, isOpen: boolean): string | null => {
      const naming = events.filter((event) => event.stakeEntry === entry && event.slot <= slot);
      if (!isOpen && naming[0]?.kind === 'unstake') naming.shift();
      return naming[0]?.kind === 'stake' ? naming[0].signature : null;
    };
    const entries: OpenedStake[] = (this.#snapshot?.entries ?? [])
      .toSorted((one, other) => (one.address < other.address ? -1 : 1))
      .map((entry) => ({ ...entry, openedBy: openedBy(entry.address, entry.closedAt === null) }));
    const ended = events.flatMap((event, index): EndedStake[] => {
      const { kind, stakeEntry: entry, wallet, delta, blockTime, signature } = event;
      if (kind !== 'unstake' || entry === null) return [];
      const before = events.slice(index + 1).find(({ stakeEntry }) => stakeEntry === entry);
      const opener = before?.kind === 'stake' ? before : null;
      const from = { openedAt: opener?.blockTime ?? null, openedBy: opener?.signature ?? null };
      return [{ entry, wallet, amount: -delta, endedAt: blockTime, endedBy: signature, ...from }];
    });
    const transactionCounts = new Map<string, number>();
    const counted = new Set<string>();
    for (const { kind, wallet, signature } of events) {
      if (wallet === null || (kind !== 'stake' && kind !== 'unstake')) continue;
      if (counted.has(`${signature} ${wallet}`)) continue;
      counted.add(`${signature} ${wallet}`);
      transactionCounts.set(wallet, (transactionCounts.get(wallet) ?? 0) + 1);
    }
    return { entries, ended: ended.slice(0, endedAtMost), transactionCounts };
  }

  /** An account's events with the time that each counts at. */
  #timed(account: string): { time: number | null; delta: bigint }[] {
    let time: number | null = null;
    return this.history(account).map(({ blockTime, delta }) => {
      if (blockTime !== null && (time === null || blockTime > time)) time = blockTime;
      return { time, delta };
    });
  }

  /** The latest moment at which a quarantined transaction may count. */
  #unreadAt(account: string): number {
    const unread = this.quarantined().filter((one) => one.account === account);
    const last = unread.at(-1);
    if (last === undefined) return Number.NEGATIVE_INFINITY;
    const before = this.history(account).filter(
      ({ slot, position }) => slot < last.slot || (slot === last.slot && position <= last.position),
    );
    const times = before.map(({ blockTime }) => blockTime).filter((time) => time !== null);
    return Math.max(...times, ...unread.map(({ blockTime }) => blockTime ?? Number.POSITIVE_INFINITY));
  }

  #netUpTo(account: string, slot: number): bigint {
    return sum(this.history(account).flatMap((event) => (event.slot <= slot ? [event.delta] : [])));
  }

  /** The account's balance before its first event; null when it is unknown. */
  #opening(account: string): bigint | null {
    const snapshot = this.#snapshot;
    if (snapshot === null || !this.#caughtUp.has(account)) return null;
    const beyond = snapshot.vaultBalance - this.#netUpTo(account, snapshot.slot);
    if (beyond === 0n) return 0n;
    const { slot, differences } = this.#reconciliation ?? { slot: 0, differences: [] };
    const found = differences.find(({ what }) => what === 'vault.balance');
    if (this.#hasAgreed || found === undefined) return null;
    const isUnchanged = found.indexed === this.#netUpTo(account, slot);
    return isUnchanged && found.onChain === found.indexed + beyond ? beyond : null;
  }

  until(account: string): number | null {
    const moments = [this.#timed(account).at(-1)?.time ?? null, this.#caughtUp.get(account) ?? null];
    const known = moments.filter((moment) => moment !== null);
    return known.length === 0 ? null : Math.max(...known);
  }

  movementsSince(account: string, since: number): VaultWindow {
    const timed = this.#timed(account);
    const deltas = timed.filter(({ time }) => time !== null && time > since).map(({ delta }) => delta);
    return {
      deposits: sum(deltas.filter((delta) => delta > 0n)),
      withdrawals: -sum(deltas.filter((delta) => delta < 0n)),
      movements: deltas.filter((delta) => delta !== 0n).length,
      until: this.until(account),
      reachesBack:
        this.#unreadAt(account) < since &&
        (timed.some(({ time }) => time !== null && time <= since) ||
          this.#opening(account) === 0n ||
          this.#hasAgreed),
    };
  }

  balanceAt(account: string, moment: number): bigint | null {
    const opening = this.#opening(account);
    const until = this.until(account) ?? -1;
    if (opening === null || moment > until || moment > (this.#snapshot?.readAt ?? -1)) return null;
    if (this.#unreadAt(account) >= moment) return null;
    const timed = this.#timed(account);
    const last = timed.findLastIndex(({ time }) => time !== null && time <= moment);
    return last < 0 ? null : opening + sum(timed.slice(0, last + 1).map(({ delta }) => delta));
  }
}
