import { type LedgerChain, type SendOutcome, SLOT_MILLISECONDS } from '../ledger/chain.ts';
import type { SeededRandom } from '../ledger/seeded-random.ts';
import { openTestLedger } from '../ledger/testing/test-ledger.ts';
import { type LedgerRecord, recordLedger } from './ledger-record.ts';

/**
 * For tests: a ledger that forks once. Two real ledgers of one genesis and one clock take the same transactions, until
 * a fork begins: from then on each slot is of one of them alone, and a transaction lands on that one, and on the other
 * in a later slot or never. The cluster follows the fork first and gives it up later.
 */
export interface ForkingLedger {
  /** What stays: the chain as it is told in the end. */
  readonly main: LedgerRecord;
  /** What is given up; null where the ledger was made without. */
  readonly fork: LedgerRecord | null;
  /** What traffic is sent to. */
  readonly entrance: LedgerChain;
  /** The ledger that the cluster agrees on at the moment. */
  current(): LedgerRecord;
  advance(milliseconds: number): void;
  /** Begins the fork, with the next slot. It has to be given up before its slots become final. */
  beginFork(): void;
  /** Gives the fork up, with the next slot. */
  giveUpFork(): void;
  close(): void;
}

/** Of the transactions of a fork, those that land on the other side too. */
const SHARE_ON_BOTH = 0.5;

export function openForkingLedger(random: SeededRandom, options: { readonly forks: boolean }): ForkingLedger {
  const ledger = openTestLedger();
  const main = recordLedger(ledger.chain);
  const other = options.forks ? openTestLedger() : null;
  const fork = other && recordLedger(other.chain);
  /** What landed on one of them and will land on the other. */
  const late: { readonly wire: Uint8Array; readonly on: LedgerRecord }[] = [];
  let phase: 'before' | 'forked' | 'after' = 'before';
  let slotOf = main;

  const land = ({ chain }: LedgerRecord, wire: Uint8Array): SendOutcome =>
    chain.send(wire, { skipPreflight: true });
  const landLate = (): void => {
    for (const { wire, on } of late.splice(0)) {
      if (phase === 'after' ? on === main : on === slotOf) land(on, wire);
      else if (phase === 'forked') late.push({ wire, on });
    }
  };
  const send = (wire: Uint8Array): SendOutcome => {
    if (phase === 'after' || !fork) return land(main, wire);
    if (phase === 'forked') {
      const on = slotOf === main ? fork : main;
      if (random.next() < SHARE_ON_BOTH) late.push({ wire, on });
      return land(slotOf, wire);
    }
    land(fork, wire);
    return land(main, wire);
  };
  const advance = (milliseconds: number): void => {
    ledger.advance(milliseconds);
    other?.advance(milliseconds);
    // Slots go by where there is time for one: only then may they be of another.
    if (phase === 'forked' && fork && milliseconds >= SLOT_MILLISECONDS)
      slotOf = random.pick([fork, fork, main]);
    landLate();
  };

  return {
    main,
    fork,
    entrance: { ...main.chain, send },
    current: () => (phase === 'forked' && fork ? fork : main),
    advance,
    beginFork() {
      if (!fork) return;
      phase = 'forked';
      advance(SLOT_MILLISECONDS);
    },
    giveUpFork() {
      if (phase !== 'forked') return;
      phase = 'after';
      advance(SLOT_MILLISECONDS);
    },
    close() {
      ledger.chain.close();
      other?.chain.close();
    },
  };
}
