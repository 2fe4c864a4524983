// @module-tag slow
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { SUBMISSION_KINDS } from '../../model/submission-status.ts';
import { transactionKey } from '../rules/signature-key.ts';
import { IDENTITY, sampleBatch, sampleEvent, sampleSnapshot } from '../testing/sample-rows.ts';
import { FIRST_PAGE, SUBMITTED_AT, sampleOptions, submitApplication } from '../testing/sample-submissions.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { openAppStore } from './app-store.ts';
import { openIndexReader } from './index-reader.ts';
import { openIndexWriter } from './index-writer.ts';
import { openForWriting } from './open-database.ts';
import { APP_FILE, INDEX_FILE, type StoreFile } from './store-files.ts';

/** Rows for every table of the first index schema, as the program of that time wrote them. */
const FIRST_SCHEMA_ROWS = `
  insert into index_identity values (1, 'genesis', 'mint', 'vault', 'pool', 'poolVault', 6);
  insert into accounts values (1, 'vault', 'signature-2', 2, 9000), (2, 'poolVault', 'pool-1', 1, 9000);
  insert into events values
    (1, 1, 'signature-1', 1, 0, 1000, 1000, 'deposit', 'wallet', '1000', 'finalized', '1000', '0', 1),
    (2, 1, 'signature-2', 2, 0, 2000, 2000, 'deposit', 'wallet', '1000', 'confirmed', '2000', '0', 2),
    (3, 2, 'pool-1', 1, 0, 1000, 1000, 'stake', 'wallet', '70', 'finalized', '70', '0', 1);
  insert into chain_snapshot values (1, 3, 9000, '2000', '1', '70', '1000', 1);
  insert into stake_entries values ('entry', 'wallet', 0, '70', '70', 1, 2, null);
  insert into market_quote values (1, '0.5', null, null, null, 'demo', 9000);
  insert into endpoint_report values (1, 9000);
  insert into endpoints values (1, 'one.example', 1, 12, 3, 0, null);
`;

/** A store file as an earlier version of the program defined it, with only the first `migrationCount` migrations. */
function earlierFile(folder: string, kind: StoreFile, migrationCount: number): StoreFile {
  const migrations = join(folder, 'migrations');
  mkdirSync(join(migrations, 'meta'), { recursive: true });
  const journal = JSON.parse(readFileSync(new URL('meta/_journal.json', kind.migrations), 'utf8'));
  const entries: readonly { readonly tag: string }[] = journal.entries.slice(0, migrationCount);
  writeFileSync(join(migrations, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries }));
  for (const { tag } of entries) {
    copyFileSync(new URL(`${tag}.sql`, kind.migrations), join(migrations, `${tag}.sql`));
  }
  return { ...kind, migrations: pathToFileURL(`${migrations}/`) };
}

/** Rows for the schema that stored provisional rows among the final ones. The vault's cursor is past its provisional row. */
const PROVISIONAL_SCHEMA_ROWS = `
  insert into index_identity values (1, 'genesis', 'mint', 'vault', 'pool', 'poolVault', 6);
  insert into accounts (id, address, cursor_signature, cursor_slot, caught_up_at, cursor_position, event_count)
    values (1, 'vault', 'signature-6', 6, 9000, 0, 5), (2, 'poolVault', 'pool-2', 2, 9000, 0, 2);
  insert into events (account_id, signature_key, signature, slot, position, part, block_time, history_time, kind, wallet, delta, status,
      total_in, total_out, movements, staked, unstaked)
    values
    (1, 1, 'signature-1', 1, 0, 0, 1000, 1000, 'deposit', 'wallet', '1000', 'finalized', '1000', '0', 1, '0', '0'),
    (1, 2, 'signature-2', 2, 0, 0, 2000, 2000, 'deposit', 'wallet', '1000', 'finalized', '2000', '0', 2, '0', '0'),
    (1, ${transactionKey('signature-3').signatureKey}, 'signature-3', 3, 0, 0, 3000, 3000, 'deposit', 'wallet', '1000', 'finalized', '3000', '0', 3, '0', '0'),
    (1, 4, 'signature-5', 5, 0, 0, 5000, 5000, 'deposit', 'wallet', '1000', 'confirmed', '4000', '0', 4, '0', '0'),
    (1, 5, 'signature-6', 6, 0, 0, 6000, 6000, 'deposit', 'wallet', '1000', 'finalized', '5000', '0', 5, '0', '0'),
    (2, 6, 'pool-1', 1, 0, 0, 1000, 1000, 'stake', 'wallet', '70', 'finalized', '70', '0', 1, '70', '0'),
    (2, 7, 'pool-2', 2, 0, 0, 2000, 2000, 'stake', 'wallet', '30', 'finalized', '100', '0', 2, '100', '0');
  insert into wallet_activity values ('wallet', 9);
  insert into alarms values (1, 1, 'signature-5', 5, 5000, 'owner-changed', 'thief', 'confirmed');
  insert into quarantined (account_id, signature, slot, position, block_time, reason, since)
    values (1, 'unread-1', 1, 1, null, 'r', 1), (1, 'unread-5', 5, 1, null, 'r', 1);
`;

it('an index with provisional rows keeps earlier final rows, and is indexed again from the first provisional row', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'index.db');
  const client = openForWriting(file, earlierFile(folder, INDEX_FILE, 6));
  client.exec(PROVISIONAL_SCHEMA_ROWS);
  client.close();
  const writer = await openIndexWriter(file);
  const reader = openIndexReader(file);
  // The newest slot with final rows is indexed again as well, because it may be incomplete.
  expect(await writer.cursor('vault')).toMatchObject({ signature: 'signature-2', slot: 2 });
  expect(await writer.cursor('poolVault')).toMatchObject({ signature: 'pool-1', slot: 1 });
  const snapshot = await reader.latestSnapshot(9);
  expect(snapshot.recentEvents.map(({ signature, status }) => `${signature} ${status}`)).toEqual([
    'signature-3 finalized',
    'pool-2 finalized',
    'signature-2 finalized',
    'pool-1 finalized',
    'signature-1 finalized',
  ]);
  expect(snapshot).toMatchObject({ isHistoryCaughtUp: false, alarms: [], quarantinedCount: 1 });
  expect(await reader.statistics()).toMatchObject({ events: { vault: 3, 'stake-pool': 2 } });
  expect((await reader.stakes(9)).transactionCounts).toEqual(new Map([['wallet', 2]]));
  await writer.commitEvents(sampleBatch([sampleEvent(3), sampleEvent(5)]));
  expect(await writer.eventSums('vault', 9)).toMatchObject({ totalIn: 4_000n });
  await reader.close();
  await writer.close();
});

describe('an index of the first schema', () => {
  let file: string;
  beforeEach(() => {
    const folder = temporaryFolder();
    file = join(folder, 'index.db');
    const client = openForWriting(file, earlierFile(folder, INDEX_FILE, 1));
    client.exec(FIRST_SCHEMA_ROWS);
    client.close();
  });

  it('is empty for a reader until the writer has migrated it, and is then indexed again', async () => {
    const reader = openIndexReader(file);
    expect((await reader.latestSnapshot(9)).identity).toBeNull();
    const writer = await openIndexWriter(file);
    expect(await reader.latestSnapshot(9)).toMatchObject({
      identity: IDENTITY,
      quote: { priceUsd: '0.5' },
      chain: null,
      recentEvents: [],
      endpoints: [],
      isHistoryCaughtUp: false,
    });
    expect(await writer.cursor('vault')).toBeNull();
    expect(await writer.cursor('poolVault')).toBeNull();
    await writer.close();
    await reader.close();
  });

  it('stores the same history again, with the current fields', async () => {
    const writer = await openIndexWriter(file);
    await writer.claim(IDENTITY);
    await writer.commitEvents(sampleBatch([sampleEvent(1), sampleEvent(2)], 9_000));
    const stake = { account: 'poolVault', signature: 'pool-1', kind: 'stake', delta: 70n } as const;
    await writer.commitEvents(sampleBatch([sampleEvent(1, { ...stake, stakeEntry: 'entry' })], 9_000));
    await writer.commitSnapshot(sampleSnapshot(3, { vaultBalance: 2_000n }));
    const reader = openIndexReader(file);
    expect(await reader.vaultMovements(0)).toMatchObject({ deposits: 2_000n, coversWindow: true });
    expect(await writer.eventSums('poolVault', 9)).toMatchObject({ totalIn: 70n, staked: 70n });
    expect(await reader.statistics()).toMatchObject({ events: { vault: 2, 'stake-pool': 1 } });
    expect((await reader.stakes(0)).transactionCounts).toEqual(new Map([['wallet', 1]]));
    await writer.close();
    await reader.close();
  });
});

describe('an app store from before reference numbers had a mailbox', () => {
  it('finds its applications, and counts them toward the limit of their mailbox', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'app.db');
    const earlier = openForWriting(file, earlierFile(folder, APP_FILE, 6));
    earlier.exec(`
      insert into reference_numbers values ('BD-20260102-100000', 'card-application', ${SUBMITTED_AT});
      insert into mailbox_submissions values ('BD-20260102-100000', 'ada@example.com', ${SUBMITTED_AT});
      insert into card_applications (id, referenceNumber, shape, name, email, isOwnershipProven, status, createdAt, changedAt)
        values ('1', 'BD-20260102-100000', 'v2', 'Ada Łovelace', 'ada@example.com', 0, 'received', ${SUBMITTED_AT}, ${SUBMITTED_AT});
    `);
    earlier.close();
    const store = await openAppStore(file);
    const findNames = async (search: string) => {
      const { rows } = await store.records.list('applications', { ...FIRST_PAGE, search });
      return rows.map(({ name }) => name);
    };
    expect(await findNames('lovelace')).toEqual(['Ada Łovelace']);
    const options = { ...sampleOptions(), confirmations: { since: SUBMITTED_AT, limit: 1 } };
    const sendsConfirmation = async (email: string) => {
      const reference = await submitApplication(store, { name: 'Ada Byron', email }, options);
      return (await store.deliveries.deliveriesOf(reference)).some(
        ({ audience }) => audience === 'applicant',
      );
    };
    expect(await sendsConfirmation('ada@example.com')).toBe(false);
    expect(await sendsConfirmation('byron@example.com')).toBe(true);
    expect(await findNames('ada')).toEqual(['Ada Byron', 'Ada Byron', 'Ada Łovelace']);
    await store.close();
  });
});

describe('an app store from when each field had a column', () => {
  it('keeps every value', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'app.db');
    const earlier = openForWriting(file, earlierFile(folder, APP_FILE, 7));
    const referenceOf = (index: number) => `BD-20260102-10000${index}`;
    const insertNumber = earlier.prepare('insert into reference_numbers values (?, ?, 1, null)');
    for (const [index, kind] of SUBMISSION_KINDS.entries()) insertNumber.run(referenceOf(index), kind);
    earlier.exec(`
      insert into card_applications (id, referenceNumber, shape, name, email, phone, alias, notes, isOwnershipProven, status, createdAt, changedAt)
        values ('1', '${referenceOf(0)}', 'v2', 'Ada', 'ada@example.com', '+44 20 7946 0000', 'Everyday', 'One
Two', 0, 'received', 1, 1);
      insert into verification_requests (id, referenceNumber, walletAddress, email, claimedAmount, reason, evidence, statedDetection, requestedAt, isOwnershipProven, status, createdAt, changedAt)
        values ('2', '${referenceOf(1)}', 'wallet', 'ada@example.com', '1', 'It is "mine"', null, 'None', 1, 0, 'received', 1, 1);
      insert into contact_messages (id, referenceNumber, name, email, message, createdAt)
        values ('3', '${referenceOf(2)}', 'Ada', 'ada@example.com', 'When?', 1);
      insert into loan_applications (id, referenceNumber, name, email, investmentAmount, investorType, riskSuitability, conversionOption, country, comments, status, createdAt, changedAt)
        values ('4', '${referenceOf(3)}', 'Ada', 'ada@example.com', 50000, 'Family Office', 'Yes', 'Convert', 'GB', 'None', 'received', 1, 1);
    `);
    earlier.close();
    const store = await openAppStore(file);
    const found = await Promise.all(
      SUBMISSION_KINDS.map((kind, index) => store.submissions.find(kind, referenceOf(index))),
    );
    expect(found).toMatchObject([
      { phone: '+44 20 7946 0000', alias: 'Everyday', applicantNotes: 'One\nTwo' },
      { claimedAmount: '1', reason: 'It is "mine"', evidence: null, statedDetection: 'None' },
      { message: 'When?', subject: null },
      { riskSuitability: 'Yes', conversionOption: 'Convert', comments: 'None' },
    ]);
    await store.close();
  });
});

it('an app store from before mailboxes were confirmed keeps the documents of its open applications', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'app.db');
  const earlier = openForWriting(file, earlierFile(folder, APP_FILE, 11));
  earlier.exec(`
    insert into reference_numbers values ('BD-20260102-100000', 'loan-application', 1, null);
    insert into loan_applications (id, referenceNumber, name, email, investmentAmount, investorType, country, status, createdAt, changedAt)
      values ('1', 'BD-20260102-100000', 'Ada', 'ada@example.com', 50000, 'Family Office', 'GB', 'received', 1, 1);
    insert into loan_documents
      values ('2', 'BD-20260102-100000', 'passport-copy', 'p.pdf', 'application/pdf', 1, '', '', x'00', x'00', 1);
  `);
  earlier.close();
  const store = await openAppStore(file);
  expect(await store.retention.unconfirmedApplicationsDue(Number.MAX_SAFE_INTEGER)).toEqual([]);
  expect(await store.retention.deleteUnconfirmed('BD-20260102-100000', Number.MAX_SAFE_INTEGER)).toBe(0);
  expect(await store.submissions.readDocument('2')).not.toBeNull();
  await store.close();
});

describe('an app store from before admins had a field for the owner who added them', () => {
  it('takes the owner from the audit trail', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'app.db');
    const earlier = openForWriting(file, earlierFile(folder, APP_FILE, 9));
    const insertAdmin = earlier.prepare(
      "insert into admins (id, username, usernameKey, passwordHash, role, createdAt, changedAt) values (?, ?, ?, '', 'owner', 1, 1)",
    );
    for (const name of ['ada', 'grace']) insertAdmin.run(name, name, name);
    const insertRecord = earlier.prepare(
      "insert into audit_records (id, at, actor, action, address, details, hash) values (?, 1, ?, 'admin.added', '', ?, '')",
    );
    insertRecord.run('1', 'operator', '{"adminId":"ada"}');
    insertRecord.run('2', 'ada', '{"adminId":"grace"}');
    earlier.close();
    await (await openAppStore(file)).close();
    const client = openForWriting(file, APP_FILE);
    expect(client.prepare('select id, addedBy from admins order by id').raw().all()).toEqual([
      ['ada', null],
      ['grace', 'ada'],
    ]);
    client.close();
  });
});

it('reports keep deliveries from before kinds were counted, as the kind "other"', async () => {
  const folder = temporaryFolder();
  const earlier = openForWriting(join(folder, 'app.db'), earlierFile(folder, APP_FILE, 38));
  earlier.exec(`
    insert into report_deliveries values (100, 'mail', 5, 2, 1), (101, 'push', 3, 0, 0);
    insert into report_state values (1, 0, 102);
  `);
  earlier.close();
  const { reports, close } = await openAppStore(join(folder, 'app.db'));
  const deliveries = [
    { day: 100, kind: 'other', channel: 'mail', sent: 5, failed: 2, bounced: 1 },
    { day: 101, kind: 'other', channel: 'push', sent: 3, failed: 0, bounced: 0 },
  ];
  for (const isMore of [true, true, false]) {
    expect(await reports.read(0, 200)).toMatchObject({ deliveries });
    expect(await reports.update(0)).toBe(isMore);
  }
  expect(await reports.read(101, 102)).toMatchObject({ deliveries: deliveries.slice(1) });
  await close();
});

it('a card from before cards had stake entries has none at first, and can claim some later', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'app.db');
  const earlier = openForWriting(file, earlierFile(folder, APP_FILE, 11));
  earlier.exec(`
    insert into cards (id, walletAddress, state, tier, holderName, issuer, idempotencyKey, issuerCard, lastFour, expiryMonth, expiryYear, createdAt, changedAt)
      values ('card', 'wallet', 'active', 'Banker', 'Ada', 'stripe', 'key', 'ic', '0042', 3, 2031, 1, 2);
  `);
  earlier.close();
  const store = await openAppStore(file);
  expect(await store.cards.usableCards('stripe')).toMatchObject([
    { id: 'card', tier: 'Banker', stakeEntries: [], stakeGoneAt: null, frozenByTeamAt: null, changedAt: 2 },
  ]);
  expect(await store.cards.claimStake('card', ['entry'])).toBe(true);
  expect(await store.cards.card('card')).toMatchObject({ stakeEntries: ['entry'] });
  await store.close();
});
