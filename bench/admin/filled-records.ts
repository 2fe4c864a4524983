import { join } from 'node:path';
import Database from 'better-sqlite3';
import { walletOf } from '../../api/testing/sample-stakes.ts';
import { APPLICATION_STATUSES } from '../../data/model/submission-status.ts';
import { createWordIndex } from '../../data/store/sqlite/word-index.ts';

const FIRST_NAMES = [
  'Ada',
  'Grace',
  'Alan',
  'Edsger',
  'Barbara',
  'Donald',
  'Zoë',
  'Jo',
  'Katherine',
  'Dennis',
];
const LAST_NAMES = ['Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov', 'Knuth', 'Müller', 'Li', 'Johnson'];
const HOSTS = ['gmail.com', 'example.com', 'mail.example.org', 'proton.me'];
const TIERS = ['Duckling', 'Banker', 'Raven', 'None'];

/** A pseudo-random integer from 0 to `below - 1`, the same in each run (mulberry32). */
function randomNumber(index: number, salt: number, below: number): number {
  let state = Math.imul(index + 1, 0x9e37_79b1) + Math.imul(salt, 0x85eb_ca6b);
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) % below;
}

const oneOf = (list: readonly string[], index: number, salt: number): string =>
  list[randomNumber(index, salt, list.length)] ?? '';

/** Adds records of every kind except card applications, without deliveries. One in 500 is assigned, one in 50 is open. */
function fillOthers(client: Database.Database, recordCount: number, newestAt: number): void {
  const kinds = {
    'contact-message': [
      'contact_messages',
      "name, email, subject, category, status) values (?, ?, ?, ?, ?, ?, ?, ?, 'My stake', 'staking', ?)",
      ['closed', 'open'],
    ],
    'verification-request': [
      'verification_requests',
      'walletAddress, email, requestedAt, isOwnershipProven, status) values (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?)',
      ['approved', 'received'],
    ],
    'loan-application': [
      'loan_applications',
      "name, email, investmentAmount, investorType, country, status) values (?, ?, ?, ?, ?, ?, ?, ?, 50000, 'Other', 'AE', ?)",
      ['refused', 'received'],
    ],
  } as const;
  for (const [position, [kind, [table, insertTail, [done, open]]]] of Object.entries(kinds).entries()) {
    const insertReference = client.prepare('insert into reference_numbers values (?, ?, ?, null)');
    const insertRow = client.prepare(
      `insert into ${table} (id, referenceNumber, createdAt, changedAt, dueAt, assigneeId, ${insertTail}`,
    );
    const fill = client.transaction(() => {
      for (let index = 0; index < recordCount; index += 1) {
        const at = newestAt - (recordCount - index) * 10_000;
        const referenceNumber = `BD-200${position}0101-${100_000 + index}`;
        const name = `${oneOf(FIRST_NAMES, index, 3)} ${oneOf(LAST_NAMES, index, 11)}`;
        insertReference.run(referenceNumber, kind, at);
        insertRow.run(
          `${kind}-${index}`,
          referenceNumber,
          at,
          at,
          at + 86_400_000,
          index % 500 === 0 ? ASSIGNEE_ID : null,
          name,
          `a${index}@example.com`,
          index % 50 === 0 ? open : done,
        );
      }
    });
    fill.immediate();
  }
}

const ASSIGNEE_ID = 'another-admin';

/**
 * Fills a store with card applications, 10 s apart, each with its deliveries and attempts. Adds the same number of
 * records of every other kind. One delivery in 100 is dead, and one application in 500 is assigned to `adminId`.
 */
export function fillRecords(
  folder: string,
  applicationCount: number,
  newestAt: number,
  adminId: string,
): void {
  const client = new Database(join(folder, 'app.db'));
  client.pragma('synchronous = OFF');
  client.pragma('cache_size = -65536');
  const insertReference = client.prepare(
    "insert into reference_numbers values (?, 'card-application', ?, null)",
  );
  const insertApplication = client.prepare(
    "insert into card_applications (id, referenceNumber, shape, name, email, walletAddress, checkedAmount, checkedTier, checkedAt, isOwnershipProven, status, createdAt, changedAt, dueAt, assigneeId) values (?, ?, 'v2', ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)",
  );
  const insertDelivery = client.prepare(
    "insert into deliveries (id, event, referenceNumber, channel, audience, messageId, state, attemptCount, nextAttemptAt, fence, createdAt) values (?, 'card-application.received', ?, ?, ?, ?, 'waiting', 1, ?, 1, ?)",
  );
  const finishDelivery = client.prepare('update deliveries set state = ?, finishedAt = ? where id = ?');
  const insertAttempt = client.prepare(
    "insert into delivery_attempts (id, deliveryId, at, outcome, maskedRecipient, latencyMs) values (?, ?, ?, ?, 'a***', 40)",
  );
  const add = (index: number): void => {
    const at = newestAt - (applicationCount - index) * 10_000;
    const day = new Date(at).toISOString().slice(0, 10).replaceAll('-', '');
    const referenceNumber = `BD-${day}-${100_000 + ((index * 7_919) % 900_000)}`;
    const [first, last] = [oneOf(FIRST_NAMES, index, 3), oneOf(LAST_NAMES, index, 11)];
    const email = `${first}.${last}${index}@${oneOf(HOSTS, index, 23)}`.toLowerCase();
    const tier = oneOf(TIERS, index, 31);
    const status = index % 1_000 === 0 ? 'card-issued' : oneOf(APPLICATION_STATUSES.slice(0, 4), index, 43);
    insertReference.run(referenceNumber, at);
    const amount = String(randomNumber(index, 53, 9_000_000) * 1_000_000);
    insertApplication.run(
      `a${index}`,
      referenceNumber,
      `${first} ${last}`,
      email,
      walletOf(index),
      amount,
      tier,
      at,
      status,
      at,
      at,
      at + 86_400_000,
      index % 500 === 0 ? adminId : null,
    );
    for (const [channel, audience] of [
      ['mail', 'applicant'],
      ['mail', 'team'],
      ['telegram', 'team'],
    ] as const) {
      const id = `${index}-${channel}-${audience}`;
      const outcome = (index * 3 + (audience === 'team' ? 1 : 0)) % 100 === 0 ? 'dead' : 'sent';
      insertDelivery.run(id, referenceNumber, channel, audience, id, at, at);
      finishDelivery.run(outcome, at + 500, id);
      insertAttempt.run(`t-${id}`, id, at + 500, outcome);
    }
  };
  const addRange = client.transaction((from: number, to: number) => {
    for (let index = from; index < to; index += 1) add(index);
  });
  for (let from = 0; from < applicationCount; from += 10_000) {
    addRange.immediate(from, Math.min(applicationCount, from + 10_000));
  }
  fillOthers(client, applicationCount, newestAt);
  createWordIndex(client).catchUp();
  client.pragma('wal_checkpoint(truncate)');
  client.close();
}
