import { join } from 'node:path';
import Database from 'better-sqlite3';
import { walletOf } from '../../api/testing/sample-stakes.ts';
import { APPLICATION_STATUSES } from '../../data/model/submission-status.ts';
import { createWordIndex } from '../../data/store/sqlite/word-index.ts';

const FIRST = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Zoë', 'Jo', 'Katherine', 'Dennis'];
const LAST = ['Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov', 'Knuth', 'Müller', 'Li', 'Johnson'];
const HOSTS = ['gmail.com', 'example.com', 'mail.example.org', 'proton.me'];
const TIERS = ['Duckling', 'Banker', 'Raven', 'None'];

/** A number from 0 to below `below` that looks drawn, and is the same at each run (mulberry32). */
function drawn(place: number, salt: number, below: number): number {
  let state = Math.imul(place + 1, 0x9e37_79b1) + Math.imul(salt, 0x85eb_ca6b);
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) % below;
}

const oneOf = (list: readonly string[], place: number, salt: number): string =>
  list[drawn(place, salt, list.length)] ?? '';

/**
 * Fills a store with card applications of the last days before a moment, each with its deliveries and their tries, as the
 * portal writes them; one in a hundred was given up.
 */
export function fillRecords(folder: string, applications: number, newest: number): void {
  const client = new Database(join(folder, 'app.db'));
  client.pragma('synchronous = OFF');
  client.pragma('cache_size = -65536');
  const reference = client.prepare("insert into reference_numbers values (?, 'card-application', ?, null)");
  const application = client.prepare(
    "insert into card_applications (id, referenceNumber, shape, name, email, walletAddress, checkedAmount, checkedTier, checkedAt, isOwnershipProven, status, createdAt, changedAt) values (?, ?, 'v2', ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)",
  );
  const delivery = client.prepare(
    "insert into deliveries (id, event, referenceNumber, channel, audience, messageId, state, attemptCount, nextAttemptAt, fence, createdAt) values (?, 'card-application.received', ?, ?, ?, ?, 'waiting', 1, ?, 1, ?)",
  );
  const finish = client.prepare('update deliveries set state = ?, finishedAt = ? where id = ?');
  const attempt = client.prepare(
    "insert into delivery_attempts (id, deliveryId, at, outcome, maskedRecipient, latencyMs) values (?, ?, ?, ?, 'a***', 40)",
  );
  const add = (place: number): void => {
    const at = newest - (applications - place) * 10_000;
    const day = new Date(at).toISOString().slice(0, 10).replaceAll('-', '');
    const number = `BD-${day}-${100_000 + ((place * 7_919) % 900_000)}`;
    const [first, last] = [oneOf(FIRST, place, 3), oneOf(LAST, place, 11)];
    const email = `${first}.${last}${place}@${oneOf(HOSTS, place, 23)}`.toLowerCase();
    const tier = oneOf(TIERS, place, 31);
    const status = place % 1_000 === 0 ? 'card-issued' : oneOf(APPLICATION_STATUSES.slice(0, 4), place, 43);
    reference.run(number, at);
    const amount = String(drawn(place, 53, 9_000_000) * 1_000_000);
    application.run(
      `a${place}`,
      number,
      `${first} ${last}`,
      email,
      walletOf(place),
      amount,
      tier,
      at,
      status,
      at,
      at,
    );
    for (const [channel, audience] of [
      ['mail', 'applicant'],
      ['mail', 'team'],
      ['telegram', 'team'],
    ] as const) {
      const id = `${place}-${channel}-${audience}`;
      const outcome = (place * 3 + (audience === 'team' ? 1 : 0)) % 100 === 0 ? 'dead' : 'sent';
      delivery.run(id, number, channel, audience, id, at, at);
      finish.run(outcome, at + 500, id);
      attempt.run(`t-${id}`, id, at + 500, outcome);
    }
  };
  const addSome = client.transaction((from: number, to: number) => {
    for (let place = from; place < to; place += 1) add(place);
  });
  for (let from = 0; from < applications; from += 10_000) {
    addSome.immediate(from, Math.min(applications, from + 10_000));
  }
  createWordIndex(client).catchUp();
  client.pragma('wal_checkpoint(truncate)');
  client.close();
}
