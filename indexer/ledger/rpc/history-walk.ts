/** Walks over the history of addresses by position in the ledger, in either direction, a page at a time. */
import type { LedgerChain, SignatureRecord } from '../chain.ts';

/** A place in the ledger: a slot and the position among its transactions. */
export interface LedgerPoint {
  readonly slot: number;
  readonly position: number;
}

export type Direction = 'asc' | 'desc';

/** The part of the ledger that a walk reads. */
export type History = Pick<LedgerChain, 'signaturesAscending' | 'signaturesFor'>;

/** A row, and whether the address that was asked about stands in its transaction itself. */
export interface WalkedRow {
  readonly row: SignatureRecord;
  readonly isDirect: boolean;
}

/** Negative where `one` comes before `other`. */
export function comparePoints(one: LedgerPoint, other: LedgerPoint): number {
  return one.slot === other.slot ? one.position - other.position : one.slot - other.slot;
}

function* walkUp(
  chain: History,
  address: string,
  after: LedgerPoint | null,
  pageSize: number,
): Generator<SignatureRecord> {
  let from = after;
  for (;;) {
    const page = chain.signaturesAscending(address, from, pageSize);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    from = last;
  }
}

function* walkDown(
  chain: History,
  address: string,
  before: LedgerPoint | null,
  pageSize: number,
): Generator<SignatureRecord> {
  // The ledger goes back from a signature, not from a place: the first row at or after the place is where to start.
  const start =
    before === null
      ? undefined
      : chain.signaturesAscending(address, { slot: before.slot, position: before.position - 1 }, 1)[0];
  let cursor = start?.signature;
  for (;;) {
    const answer = chain.signaturesFor(address, {
      limit: pageSize,
      ...(cursor === undefined ? {} : { before: cursor }),
    });
    if (answer.kind === 'unknown-cursor') throw new Error(`row ${answer.signature} of the ledger is gone`);
    yield* answer.rows;
    const last = answer.rows.at(-1);
    if (last === undefined || answer.rows.length < pageSize) return;
    cursor = last.signature;
  }
}

/**
 * The rows of an address and of others that are related to it, each transaction once, in ledger order.
 *
 * @param from exclusive; null for the very beginning (or end)
 */
export function* walkHistory(
  chain: History,
  addresses: readonly [direct: string, ...related: string[]],
  direction: Direction,
  from: LedgerPoint | null,
  pageSize: number,
): Generator<WalkedRow> {
  const walk = direction === 'asc' ? walkUp : walkDown;
  const sign = direction === 'asc' ? 1 : -1;
  const walks = addresses.map((address, index) => {
    const rows = walk(chain, address, from, pageSize);
    return { isDirect: index === 0, rows, head: rows.next() };
  });
  for (;;) {
    let next: SignatureRecord | undefined;
    for (const { head } of walks) {
      if (head.done === true) continue;
      if (next === undefined || sign * comparePoints(head.value, next) < 0) next = head.value;
    }
    if (next === undefined) return;
    let isDirect = false;
    for (const each of walks) {
      if (each.head.done === true || comparePoints(each.head.value, next) !== 0) continue;
      isDirect ||= each.isDirect;
      each.head = each.rows.next();
    }
    yield { row: next, isDirect };
  }
}
