import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { startDelivery } from '../api/delivery/start-delivery.ts';
import { walletOf } from '../api/testing/sample-stakes.ts';
import { startTestPortal } from '../api/testing/test-portal.ts';
import { parseEnvironment } from '../data/config/environment.ts';
import { submitApplicationV2 } from '../data/contract/applications.ts';

/** Acknowledged submissions a second, as a share of the durable transactions that the disk takes in a second. */
const LIMIT = 0.5;
const CLIENTS = 16;
/** Both are measured in turn, and the middle of the rounds counts: a disk is not always as fast. */
const ROUNDS = 5;
const ROUND_SECONDS = 2;

const UNLIMITED = 1_000_000_000;

const form = (number: number) => ({
  name: `Applicant ${number}`,
  email: `applicant-${number}@example.org`,
  wallet: walletOf(1),
  bd_amount: '6200000',
  tier: 'Banker',
  phone: '+44 20 7946 0000',
  alias: 'Everyday',
});

/** Durable transactions a second: one row each, of a form's size, every commit on the disk. */
function durableTransactions(folder: string): number {
  const file = new Database(join(folder, 'limit.db'));
  file.pragma('journal_mode = WAL');
  file.pragma('synchronous = FULL');
  file.exec('create table if not exists forms (id integer primary key, form text not null)');
  const add = file.prepare('insert into forms (form) values (?)');
  const words = JSON.stringify(form(0));
  const startedAt = performance.now();
  let count = 0;
  while (performance.now() - startedAt < ROUND_SECONDS * 1_000) {
    add.run(words);
    count += 1;
  }
  file.close();
  return count / ((performance.now() - startedAt) / 1_000);
}

/** Tells how many submissions a second are acknowledged over HTTP, while they are delivered to the outbox. */
async function startForms() {
  const portal = await startTestPortal({ submissionsPerMinute: UNLIMITED, callsPerMinute: UNLIMITED });
  const outcome = parseEnvironment({});
  if (!outcome.ok) throw new Error('the environment without settings must be right');
  const delivery = await startDelivery({
    config: outcome.config.delivery,
    store: portal.store,
    folder: portal.folder,
    origin: 'https://portal.example.com',
    decimals: async () => 6,
    log: pino({ level: 'silent' }),
    registry: new Registry(),
  });
  const url = `http://127.0.0.1:${portal.port}${submitApplicationV2.path}`;
  let sent = 0;

  async function submitOne(): Promise<void> {
    sent += 1;
    const body = JSON.stringify(form(sent));
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body });
    const answer = await response.text();
    if (!response.ok) throw new Error(`a submission was answered with ${response.status}: ${answer}`);
  }

  return {
    async acknowledged(): Promise<number> {
      const startedAt = performance.now();
      let count = 0;
      const client = async () => {
        while (performance.now() - startedAt < ROUND_SECONDS * 1_000) {
          await submitOne();
          count += 1;
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      return count / ((performance.now() - startedAt) / 1_000);
    },
    async close(): Promise<void> {
      await delivery.stop();
      await portal.close();
    },
  };
}

/** Measures how fast forms are acknowledged, against one durable transaction each in the same run. */
export async function benchForms(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'forms-bench-'));
  const forms = await startForms();
  try {
    const ratios: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const limit = durableTransactions(folder);
      const acknowledged = await forms.acknowledged();
      ratios.push(acknowledged / limit);
      process.stdout.write(
        `round ${round}: ${limit.toFixed(0)} durable transactions/s, ${acknowledged.toFixed(0)} submissions/s acknowledged while they are delivered\n`,
      );
    }
    const middle = ratios.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
    process.stdout.write(`submissions to transactions: ${middle.toFixed(2)} (at least ${LIMIT})\n`);
    return middle >= LIMIT;
  } finally {
    await forms.close();
    await rm(folder, { recursive: true, force: true });
  }
}
