import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { IndexIdentity } from '../chain-rows.ts';
import type { IndexWriter } from '../ports.ts';
import { StoreIdentityError } from '../store-errors.ts';
import { prepareActivityStatements } from './activity.ts';
import { prepareAlarmStatements } from './alarm-rows.ts';
import { drizzle, sql } from './drizzle.ts';
import { commitBatch, release, settle } from './event-history.ts';
import { prepareEventStatements } from './event-statements.ts';
import { eventSums, finalEvent, provisionalTransactions } from './event-sums.ts';
import { prepareHistoryFiller } from './history-fill.ts';
import { prepareHistoryStatements, rollUp, sampleQuote, sampleSnapshot } from './history-points.ts';
import { prepareHolderStatements, replaceHolders } from './holder-rows.ts';
import { indexIdentity } from './index-schema.ts';
import { openForWriting } from './open-database.ts';
import { prepareQuarantineStatements } from './quarantine-rows.ts';
import { prepareReconciliationStatements, replaceReconciliation } from './reconciliation-rows.ts';
import {
  ONLY_ROW,
  prepareSnapshotStatements,
  replaceEndpoints,
  replaceQuote,
  replaceSnapshot,
} from './snapshot-rows.ts';
import { inStore } from './store-faults.ts';
import { INDEX_FILE } from './store-files.ts';

const value = (name: string) => sql.placeholder(name);

function prepareIdentityStatements(db: BetterSQLite3Database) {
  return {
    identity: db.select().from(indexIdentity).prepare(),
    addIdentity: db
      .insert(indexIdentity)
      .values({
        id: ONLY_ROW,
        genesisHash: value('genesisHash'),
        mint: value('mint'),
        vault: value('vault'),
        stakePool: value('stakePool'),
        poolVault: value('poolVault'),
        decimals: value('decimals'),
      })
      .prepare(),
  };
}

const IDENTITY_WORDS = {
  genesisHash: 'chain (genesis hash)',
  mint: 'mint',
  vault: 'vault',
  stakePool: 'stake pool',
  poolVault: "stake pool's vault",
  decimals: 'decimals of the mint',
} as const satisfies Record<keyof IndexIdentity, string>;

function differences(held: IndexIdentity, wanted: IndexIdentity): (keyof IndexIdentity)[] {
  const fields = Object.keys(IDENTITY_WORDS) as (keyof IndexIdentity)[];
  return fields.filter((field) => held[field] !== wanted[field]);
}

/** One transaction that takes the write lock at its start, so that it never meets a lock half-way. */
function writing<Args extends unknown[], Result>(
  client: Database.Database,
  work: (...args: Args) => Result,
): (...args: Args) => Promise<Result> {
  const transaction = client.transaction(work);
  return (...args) => inStore(client, INDEX_FILE, () => transaction.immediate(...args));
}

/**
 * Opens `index.db` to write, making it where there is none.
 * @throws {StoreUnavailableError} where the file cannot be opened or written, is no database, is another program's, or
 * newer than this program.
 */
export async function openIndexWriter(file: string): Promise<IndexWriter> {
  const client = openForWriting(file, INDEX_FILE);
  const db = drizzle({ client });
  const ofIdentity = prepareIdentityStatements(db);
  const ofEvents = prepareEventStatements(client, db);
  const ofSnapshots = prepareSnapshotStatements(db);
  const ofHistory = {
    events: ofEvents,
    alarms: prepareAlarmStatements(db),
    quarantine: prepareQuarantineStatements(db),
    activity: prepareActivityStatements(db),
  };
  const points = prepareHistoryStatements(db);
  const ofReconciliation = prepareReconciliationStatements(db);
  const ofHolders = prepareHolderStatements(db);
  const transaction = client.transaction(<T>(work: () => T): T => work());
  const inTransaction = <T>(work: () => T): Promise<T> =>
    inStore(client, INDEX_FILE, () => transaction.immediate(work) as T);
  const filler = prepareHistoryFiller({ db, points, ofEvents, inTransaction });
  const assertClaimed = (): void => {
    if (ofIdentity.identity.get() === undefined) {
      throw new StoreIdentityError(`${file} belongs to no chain yet: claim it before committing to it.`);
    }
  };

  return {
    claim: writing(client, (identity) => {
      const held = ofIdentity.identity.get();
      if (held === undefined) {
        ofIdentity.addIdentity.run({ ...identity });
        return;
      }
      const differing = differences(held, identity);
      if (differing.length > 0) {
        const told = differing.map(
          (field) => `${IDENTITY_WORDS[field]}: ${held[field]} there, ${identity[field]} configured`,
        );
        throw new StoreIdentityError(
          `${file} is the index of something else (${told.join('; ')}). Build it again with ` +
            'npm run indexer -- --rebuild, or set DATA_DIR to another folder.',
          differing,
        );
      }
    }),
    cursor: (address) =>
      inStore(client, INDEX_FILE, () => {
        const account = ofEvents.accountByAddress.get({ address });
        if (account === undefined || account.cursorSignature === null || account.cursorSlot === null)
          return null;
        return {
          account: address,
          signature: account.cursorSignature,
          slot: account.cursorSlot,
          position: account.cursorPosition,
        };
      }),
    commitEvents: writing(client, (batch) => {
      assertClaimed();
      commitBatch(ofHistory, batch);
    }),
    provisionalEvents: (upToSlot, limit) =>
      inStore(client, INDEX_FILE, () => provisionalTransactions(ofEvents, upToSlot, limit)),
    finalEvent: (account, upToSlot) =>
      inStore(client, INDEX_FILE, () => finalEvent(ofEvents, account, upToSlot)),
    quarantined: () => inStore(client, INDEX_FILE, () => ofHistory.quarantine.all.all()),
    releaseQuarantined: writing(client, (transaction, found) => release(ofHistory, transaction, found)),
    settleEvents: writing(client, (outcome) => settle(ofHistory, outcome)),
    commitSnapshot: writing(client, (snapshot) => {
      assertClaimed();
      const stakers = replaceSnapshot(ofSnapshots, snapshot);
      if (stakers !== null) sampleSnapshot(points, snapshot, stakers);
    }),
    commitQuote: writing(client, (quote) => {
      if (replaceQuote(ofSnapshots, quote, Date.now())) sampleQuote(points, quote);
    }),
    commitHolders: writing(client, (holders) => {
      assertClaimed();
      replaceHolders(ofHolders, holders);
    }),
    eventSums: (account, upToSlot) =>
      inStore(client, INDEX_FILE, () => eventSums(ofEvents, account, upToSlot)),
    commitReconciliation: writing(client, (reconciliation) =>
      replaceReconciliation(ofReconciliation, reconciliation),
    ),
    rollUpHistory: writing(client, (now) => rollUp(points, now)),
    fillHistory: (pastPrices) => filler.fill(pastPrices),
    reportEndpoints: writing(client, (reported, at) => replaceEndpoints(ofSnapshots, reported, at)),
    close: async () => {
      client.close();
    },
  };
}
