import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { SLOT_MILLISECONDS } from './chain.ts';
import { createEngine, type Engine } from './engine.ts';
import { found } from './genesis.ts';
import { HISTORY_MILLISECONDS, writeHistory } from './history.ts';
import { type Genesis, type LedgerStore, openLedgerStore } from './ledger-store.ts';
import { createSlotClock } from './slot-clock.ts';
import { createSvm } from './svm.ts';

/** How long before the start a ledger without history begins: time for the genesis to have slots of its own. */
const BARE_GENESIS_MILLISECONDS = 10 * 60_000;

/**
 * Opens the embedded ledger, and makes it first where the file has none. Making is all or nothing: killed halfway, the
 * file is empty and the next opening makes it anew.
 *
 * @param options.file path of its SQLite file, or `:memory:`
 * @param options.now unix milliseconds; the wall clock unless given
 * @param options.history whether a new ledger gets its past of stakes, deposits and withdrawals; true unless given
 * @throws {LedgerFileError} where the file is of another format, no database, or in use by another process
 */
export function openChain(options: {
  readonly file: string;
  readonly now?: () => number;
  readonly history?: boolean;
}): Engine {
  const now = options.now ?? Date.now;
  const store = openLedgerStore(options.file);
  try {
    const genesis = store.readGenesis() ?? makeLedger(store, now(), options.history ?? true);
    const clock = createSlotClock({
      genesisTime: genesis.time,
      genesisHash: genesis.hash,
      reachedSlot: store.newest()?.slot ?? 0,
      now,
    });
    return createEngine({ svm: createSvm(), store, clock, genesisHash: genesis.hash });
  } catch (error) {
    store.close();
    throw error;
  }
}

function makeLedger(store: LedgerStore, start: number, withHistory: boolean): Genesis {
  const time = start - (withHistory ? HISTORY_MILLISECONDS : BARE_GENESIS_MILLISECONDS);
  // The start is part of the hash, so that whoever follows the ledger sees when it was made anew.
  const hash = bs58.encode(createHash('sha256').update(`blackduck-ledger:genesis:${start}`).digest());
  const genesis = { time, hash };
  return store.atomically(() => {
    let simulated = time;
    const clock = createSlotClock({
      genesisTime: time,
      genesisHash: hash,
      reachedSlot: 0,
      now: () => simulated,
    });
    const engine = createEngine({ svm: createSvm(), store, clock, genesisHash: hash });
    found(engine, () => {
      simulated += SLOT_MILLISECONDS;
    });
    if (withHistory) {
      writeHistory(engine, (moment) => {
        simulated = start - HISTORY_MILLISECONDS + moment;
      });
    }
    store.writeGenesis(genesis);
    return genesis;
  });
}
