import type { ChainAlarm, ChainEvent, ChainSnapshot, Cursor, QuarantinedTransaction } from '../chain-rows.ts';
import type {
  EndedStake,
  EventBatch,
  EventSums,
  IndexStatistics,
  Reconciliation,
  SnapshotStake,
  Stakes,
  TransactionRows,
  VaultWindow,
  WalletEvent,
} from '../ports.ts';

/** `order` grows with each stored event. */
interface StoredEvent {
  readonly event: ChainEvent;
  readonly order: number;
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, delta) => total + delta, 0n);
}

type TransactionRef = Pick<ChainEvent, 'signature' | 'account'>;

function isSame(one: TransactionRef, other: TransactionRef): boolean {
  return one.signature === other.signature && one.account === other.account;
}

function compareEvents(left: StoredEvent, right: StoredEvent): number {
  return (
    left.event.slot - right.event.slot ||
    left.event.position - right.event.position ||
    left.order - right.order
  );
}

/**
 * A reference for the part of the index ports that concerns events. It keeps plain lists and recomputes every figure on
 * each read. Property tests compare the adapters with it, so it shares no code with them.
 */
export class ReferenceIndex {
  #final: StoredEvent[] = [];
  #provisional: StoredEvent[] = [];
  #order = 0;
  readonly #cursors = new Map<string, Cursor>();
  readonly #caughtUp = new Map<string, number>();
  #snapshot: ChainSnapshot | null = null;
  #entryChanges = 0;
  #reconciliation: Reconciliation | null = null;
  #hasAgreed = false;
  #alarms: readonly ChainAlarm[] = [];
  #quarantined: readonly QuarantinedTransaction[] = [];
  #provisionallyQuarantined: readonly QuarantinedTransaction[] = [];
  readonly #beginnings = new Set<string>();

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

  historyReadAt(accounts: readonly string[]): number | null {
    const times = accounts.map((account) => this.#caughtUp.get(account) ?? Number.NaN);
    return this.isHistoryRead(accounts) ? Math.min(...times) : null;
  }

  hasCompleteHistory(accounts: readonly string[]): boolean {
    return this.#hasAgreed || accounts.every((account) => this.#beginnings.has(account));
  }

  commit(batch: EventBatch): void {
    const { account, events, alarms = [], quarantined = [], cursor, provisional } = batch;
    if (batch.caughtUpAt != null) this.#caughtUp.set(account, batch.caughtUpAt);
    if (batch.beginning?.isProven) this.#beginnings.add(account);
    this.#add(events);
    this.#storeAlarms(alarms);
    const isUnread = (one: TransactionRef) => !events.some((event) => isSame(one, event));
    this.#quarantined = this.#quarantined.filter(isUnread);
    this.#provisionallyQuarantined = this.#provisionallyQuarantined.filter(isUnread);
    for (const one of quarantined) {
      if (this.#final.some(({ event }) => isSame(event, one))) continue;
      const known = [...this.#quarantined, ...this.#provisionallyQuarantined].find((other) =>
        isSame(other, one),
      );
      this.#quarantined = [
        ...this.#quarantined.filter((other) => other !== known),
        { ...one, since: known?.since ?? one.since },
      ];
    }
    const stored = this.#cursors.get(account);
    if (cursor !== null && (stored === undefined || cursor.slot > stored.slot))
      this.#cursors.set(account, cursor);
    this.#replaceProvisional(account, provisional);
  }

  /**
   * Replaces an account's provisional rows. Without `rows`, keeps the stored ones. Then drops the rows up to the slot
   * of the cursor or of the newest final event, whichever is later.
   */
  #replaceProvisional(account: string, rows?: TransactionRows): void {
    const final = this.#final.flatMap(({ event }) => (event.account === account ? [event.slot] : []));
    const reachedSlot = Math.max(this.#cursors.get(account)?.slot ?? -1, ...final);
    const isOther = (one: { readonly account: string }) => one.account !== account;
    const remaining = <T extends { readonly account: string; readonly slot: number }>(
      known: readonly T[],
      next: readonly T[] | undefined,
    ): T[] => (next ?? known.filter((one) => !isOther(one))).filter(({ slot }) => slot > reachedSlot);
    const known = this.#provisional
      .toSorted((one, other) => one.order - other.order)
      .map(({ event }) => event);
    const events = remaining(known, rows && [...rows.events]);
    this.#provisional = [
      ...this.#provisional.filter(({ event }) => isOther(event)),
      ...events.map((event) => ({ event, order: 2 ** 52 + this.#nextOrder() })),
    ];
    const isReplaced = (one: ChainAlarm) =>
      one.status === 'confirmed' && !isOther(one) && (rows !== undefined || one.slot <= reachedSlot);
    this.#alarms = this.#alarms.filter((one) => !isReplaced(one));
    this.#storeAlarms((rows?.alarms ?? []).filter(({ slot }) => slot > reachedSlot));
    const quarantined = remaining(this.#provisionallyQuarantined, rows && [...(rows.quarantined ?? [])]);
    const isFinal = (one: QuarantinedTransaction) => this.#quarantined.some((other) => isSame(one, other));
    this.#provisionallyQuarantined = [
      ...this.#provisionallyQuarantined.filter((one) => isOther(one) && !isFinal(one)),
      ...quarantined.filter((one) => !isFinal(one)),
    ];
  }

  #nextOrder(): number {
    this.#order += 1;
    return this.#order;
  }

  /** Stores alarms. A stored alarm is replaced only if it was provisional. */
  #storeAlarms(alarms: readonly ChainAlarm[]): void {
    for (const alarm of alarms) {
      const known = this.#alarms.find(
        (one) => isSame(one, alarm) && one.kind === alarm.kind && one.address === alarm.address,
      );
      if (known === undefined) this.#alarms = [...this.#alarms, alarm];
      else if (known.status === 'confirmed') {
        this.#alarms = this.#alarms.map((one) => (one === known ? alarm : one));
      }
    }
  }

  release(
    { signature, account }: { signature: string; account: string },
    rows: { events: readonly ChainEvent[]; alarms: readonly ChainAlarm[] },
  ): void {
    const rest = this.#quarantined.filter((one) => !isSame(one, { signature, account }));
    if (rest.length === this.#quarantined.length) return;
    this.#quarantined = rest;
    this.#add(rows.events);
    this.#storeAlarms(rows.alarms);
    this.#replaceProvisional(account);
  }

  #add(events: readonly ChainEvent[]): void {
    const known = new Set(this.#final.map(({ event }) => `${event.signature} ${event.account}`));
    for (const event of events) {
      if (known.has(`${event.signature} ${event.account}`)) continue;
      this.#final.push({ event, order: this.#nextOrder() });
    }
  }

  cursor(account: string): Cursor | null {
    return this.#cursors.get(account) ?? null;
  }

  get #stored(): readonly StoredEvent[] {
    return [...this.#final, ...this.#provisional];
  }

  /** Oldest first. */
  history(account: string): ChainEvent[] {
    return this.#stored
      .filter(({ event }) => event.account === account)
      .sort(compareEvents)
      .map(({ event }) => event);
  }

  /** Oldest first. */
  finalHistory(account: string): ChainEvent[] {
    return this.history(account).filter(({ status }) => status === 'finalized');
  }

  newestFirst(): ChainEvent[] {
    return this.#stored.toSorted((left, right) => compareEvents(right, left)).map(({ event }) => event);
  }

  /** Newest first. */
  walletEvents(wallet: string): Omit<WalletEvent, 'order'>[] {
    const all = this.newestFirst();
    const timesUpTo = (event: ChainEvent) =>
      all
        .slice(all.indexOf(event))
        .flatMap(({ account, blockTime }) =>
          account === event.account && blockTime !== null ? [blockTime] : [],
        );
    return all
      .filter((event) => event.wallet === wallet)
      .map((event) => ({
        ...event,
        historyTime: timesUpTo(event).reduce<number | null>(
          (latest, time) => Math.max(latest ?? time, time),
          null,
        ),
      }));
  }

  /** Newest first. */
  alarms(): ChainAlarm[] {
    return [...this.#alarms].reverse().sort((one, other) => other.slot - one.slot);
  }

  /** Oldest first. */
  quarantined(): QuarantinedTransaction[] {
    return this.#oldestFirst(this.#quarantined);
  }

  /** Oldest first. */
  allQuarantined(): QuarantinedTransaction[] {
    return this.#oldestFirst([...this.#quarantined, ...this.#provisionallyQuarantined]);
  }

  #oldestFirst(transactions: readonly QuarantinedTransaction[]): QuarantinedTransaction[] {
    const name = ({ account, signature }: QuarantinedTransaction) => `${account} ${signature}`;
    return transactions.toSorted(
      (one, other) =>
        one.slot - other.slot || one.position - other.position || (name(one) < name(other) ? -1 : 1),
    );
  }

  sums(account: string, upToSlot: number): EventSums {
    const events = this.finalHistory(account).filter(({ slot }) => slot <= upToSlot);
    const total = (isCounted: (event: ChainEvent) => boolean) =>
      sum(events.filter(isCounted).map(({ delta }) => delta));
    return {
      totalIn: total(({ delta }) => delta > 0n),
      totalOut: -total(({ delta }) => delta < 0n),
      staked: total(({ kind }) => kind === 'stake'),
      unstaked: -total(({ kind }) => kind === 'unstake'),
    };
  }

  statistics(vault: string, poolVault: string): IndexStatistics {
    const slots = [vault, poolVault].map((account) => this.#cursors.get(account)?.slot ?? null);
    const known = slots.filter((slot) => slot !== null);
    return {
      events: { vault: this.finalHistory(vault).length, 'stake-pool': this.finalHistory(poolVault).length },
      provisionalEvents: this.#provisional.length,
      quarantined: this.allQuarantined().length,
      alarms: this.#alarms.length,
      cursorSlot: known.length === 2 ? Math.min(...known) : null,
    };
  }

  stakes(maxEnded: number): Stakes {
    const events = this.newestFirst();
    const slot = this.#snapshot?.slot ?? -1;
    const openedBy = (entry: string, isOpen: boolean): string | null => {
      const entryEvents = events.filter((event) => event.stakeEntry === entry && event.slot <= slot);
      if (!isOpen && entryEvents[0]?.kind === 'unstake') entryEvents.shift();
      return entryEvents[0]?.kind === 'stake' ? entryEvents[0].signature : null;
    };
    const entries: SnapshotStake[] = (this.#snapshot?.entries ?? [])
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
    return { entries, ended: ended.slice(0, maxEnded), transactionCounts };
  }

  /**
   * The changes of an account's balance, each with its time. Times never go backward: if an event's block time is missing or
   * earlier than the previous time, the event gets the previous time.
   */
  #eventTimes(account: string): { time: number | null; delta: bigint }[] {
    let time: number | null = null;
    return this.history(account).map(({ blockTime, delta }) => {
      if (blockTime !== null && (time === null || blockTime > time)) time = blockTime;
      return { time, delta };
    });
  }

  #latestQuarantinedTime(account: string): number {
    const quarantined = this.allQuarantined().filter((one) => one.account === account);
    const last = quarantined.at(-1);
    if (last === undefined) return Number.NEGATIVE_INFINITY;
    const before = this.history(account).filter(
      ({ slot, position }) => slot < last.slot || (slot === last.slot && position <= last.position),
    );
    const times = before.map(({ blockTime }) => blockTime).filter((time) => time !== null);
    return Math.max(...times, ...quarantined.map(({ blockTime }) => blockTime ?? Number.POSITIVE_INFINITY));
  }

  #netUpTo(account: string, slot: number): bigint {
    return sum(this.history(account).flatMap((event) => (event.slot <= slot ? [event.delta] : [])));
  }

  #openingBalance(account: string): bigint | null {
    const snapshot = this.#snapshot;
    if (snapshot === null || snapshot.vaultBalance === null || !this.#caughtUp.has(account)) return null;
    const excess = snapshot.vaultBalance - this.#netUpTo(account, snapshot.slot);
    if (excess === 0n) return 0n;
    const { slot, differences } = this.#reconciliation ?? { slot: 0, differences: [] };
    const found = differences.find(({ what }) => what === 'vault.balance');
    if (this.#hasAgreed || found === undefined) return null;
    const isUnchanged = found.indexed === this.#netUpTo(account, slot);
    return isUnchanged && found.onChain === found.indexed + excess ? excess : null;
  }

  historyUntil(account: string): number | null {
    const moments = [this.#eventTimes(account).at(-1)?.time ?? null, this.#caughtUp.get(account) ?? null];
    const known = moments.filter((moment) => moment !== null);
    return known.length === 0 ? null : Math.max(...known);
  }

  movementsSince(account: string, since: number): VaultWindow {
    const timed = this.#eventTimes(account);
    const deltas = timed.filter(({ time }) => time !== null && time > since).map(({ delta }) => delta);
    return {
      deposits: sum(deltas.filter((delta) => delta > 0n)),
      withdrawals: -sum(deltas.filter((delta) => delta < 0n)),
      movements: deltas.filter((delta) => delta !== 0n).length,
      until: this.historyUntil(account),
      coversWindow:
        this.#latestQuarantinedTime(account) < since &&
        (timed.some(({ time }) => time !== null && time <= since) ||
          this.#openingBalance(account) === 0n ||
          this.#hasAgreed),
    };
  }

  balanceAt(account: string, moment: number): bigint | null {
    const opening = this.#openingBalance(account);
    const until = this.historyUntil(account) ?? -1;
    if (opening === null || moment > until || moment > (this.#snapshot?.readAt ?? -1)) return null;
    if (this.#latestQuarantinedTime(account) >= moment) return null;
    const timed = this.#eventTimes(account);
    const last = timed.findLastIndex(({ time }) => time !== null && time <= moment);
    return last < 0 ? null : opening + sum(timed.slice(0, last + 1).map(({ delta }) => delta));
  }
}
