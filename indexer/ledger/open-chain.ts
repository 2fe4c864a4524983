import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { SLOT_MILLISECONDS } from './chain.ts';
import { createEngine, type Engine } from './engine.ts';
import { createGenesis } from './genesis.ts';
import { HISTORY_MILLISECONDS, writeHistory } from './history.ts';
import { type Genesis, type LedgerStore, openLedgerStore } from './ledger-store.ts';
import { createSlotClock } from './slot-clock.ts';
import { createSvm } from './svm.ts';

/** A ledger without history starts this long after its genesis, which leaves enough slots for all genesis transactions. */
const GENESIS_LEAD_MILLISECONDS = 10 * 60_000;

/**
 * Opens the embedded ledger. A new ledger is created in one SQLite transaction, so that the file stays empty if the process
 * is killed before the commit.
 *
 * @param options.file path of the SQLite file, or `:memory:`
 * @param options.now unix milliseconds; by default the wall clock
 * @param options.withHistory whether a new ledger gets past stakes, deposits and withdrawals; by default true
 * @throws {LedgerFileError} if the file has a different format, is not a database, or is in use by another process
 */
export function openChain(options: {
  readonly file: string;
  readonly now?: () => number;
  readonly withHistory?: boolean;
}): Engine {
  const now = options.now ?? Date.now;
  const store = openLedgerStore(options.file);
  try {
    const genesis = store.readGenesis() ?? createLedger(store, now(), options.withHistory ?? true);
    const clock = createSlotClock({
      genesisTime: genesis.time,
      genesisHash: genesis.hash,
      reachedSlot: store.newest()?.slot ?? 0,
      aheadMs: store.readClockAdvance(),
      now,
    });
    return createEngine({ svm: createSvm(), store, clock, genesisHash: genesis.hash });
  } catch (error) {
    store.close();
    throw error;
  }
}

function createLedger(store: LedgerStore, start: number, withHistory: boolean): Genesis {
  const genesisTime = start - (withHistory ? HISTORY_MILLISECONDS : GENESIS_LEAD_MILLISECONDS);
  // The start time is part of the hash, so that an index built from a different ledger is detected.
  const hash = bs58.encode(createHash('sha256').update(`blackduck-ledger:genesis:${start}`).digest());
  const genesis = { time: genesisTime, hash };
  return store.atomically(() => {
    let moment = genesisTime;
    const clock = createSlotClock({
      genesisTime,
      genesisHash: hash,
      reachedSlot: 0,
      now: () => moment,
    });
    const engine = createEngine({ svm: createSvm(), store, clock, genesisHash: hash });
    createGenesis(engine, () => {
      moment += SLOT_MILLISECONDS;
    });
    if (withHistory) {
      writeHistory(engine, (milliseconds) => {
        moment = genesisTime + milliseconds;
      });
    }
    store.writeGenesis(genesis);
    return genesis;
  });
}
