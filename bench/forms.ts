import { Agent } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { walletOf } from '../api/testing/sample-stakes.ts';
import { submitApplicationV2 } from '../data/contract/submissions.ts';
import { type ServerProcess, startServerProcess } from './api/server-process.ts';
import { median } from './growth/flatness.ts';
import { sendCall } from './http-call.ts';
import { withTempFolder } from './temp-folder.ts';

/** The minimum rate of accepted submissions, as a share of the rate of durable transactions. */
const MIN_RATIO = 0.5;
const CLIENTS = 64;
/** Each round measures both rates. The median of the rounds is used, because a disk's speed varies. */
const ROUNDS = 5;
const ROUND_SECONDS = 2;

interface Rate {
  readonly perSecond: number;
  /** CPU time of each submission or transaction, in microseconds. */
  readonly cpuMicroseconds: number;
}

const sampleForm = (number: number) => ({
  name: `Applicant ${number}`,
  email: `applicant-${number}@example.org`,
  wallet: walletOf(1),
  bd_amount: '6200000',
  tier: 'Banker',
  phone: '+44 20 7946 0000',
  alias: 'Everyday',
});

const isOver = (startedAt: number) => performance.now() - startedAt >= ROUND_SECONDS * 1_000;

function rateOf(count: number, startedAt: number, cpu: number): Rate {
  return { perSecond: (count * 1_000) / (performance.now() - startedAt), cpuMicroseconds: cpu / count };
}

/** Measures durable transactions: each writes one row as large as a form, and every commit is synced to the disk. */
function measureTransactions(folder: string): Rate {
  const database = new Database(join(folder, 'limit.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec('create table if not exists forms (id integer primary key, form text not null)');
  const insertForm = database.prepare('insert into forms (form) values (?)');
  const row = JSON.stringify(sampleForm(0));
  const before = process.cpuUsage();
  const startedAt = performance.now();
  let count = 0;
  while (!isOver(startedAt)) {
    insertForm.run(row);
    count += 1;
  }
  const { user, system } = process.cpuUsage(before);
  const result = rateOf(count, startedAt, user + system);
  database.close();
  return result;
}

function openFormClients(portal: ServerProcess) {
  const port = Number(new URL(portal.origin).port);
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  let sentCount = 0;

  return {
    async submit(): Promise<Rate> {
      const before = await portal.cpuMicroseconds();
      const startedAt = performance.now();
      let count = 0;
      const client = async () => {
        while (!isOver(startedAt)) {
          sentCount += 1;
          await sendCall(agent, port, { path: submitApplicationV2.path, body: sampleForm(sentCount) });
          count += 1;
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      return rateOf(count, startedAt, (await portal.cpuMicroseconds()) - before);
    },
    close: () => agent.destroy(),
  };
}

const rateText = ({ perSecond, cpuMicroseconds }: Rate) =>
  `${perSecond.toFixed(0)}/s (${cpuMicroseconds.toFixed(0)} µs of CPU time each)`;

export function benchForms(): Promise<boolean> {
  return withTempFolder(async (folder) => {
    // A separate process, because real visitors do not run on the portal's thread either.
    const portal = await startServerProcess('the portal', '../forms/form-portal.ts', []);
    const clients = openFormClients(portal);
    try {
      // The first submissions also load and compile code, so they are not measured.
      await clients.submit();
      const ratios: number[] = [];
      for (let round = 1; round <= ROUNDS; round += 1) {
        const transactionRate = measureTransactions(folder);
        const submissionRate = await clients.submit();
        ratios.push(submissionRate.perSecond / transactionRate.perSecond);
        process.stdout.write(
          `round ${round}: durable transactions ${rateText(transactionRate)}, submissions accepted and delivered ${rateText(submissionRate)}\n`,
        );
      }
      const medianRatio = median(ratios);
      process.stdout.write(
        `submissions to transactions: ${medianRatio.toFixed(2)} (at least ${MIN_RATIO})\n`,
      );
      return medianRatio >= MIN_RATIO;
    } finally {
      clients.close();
      await portal.end();
    }
  });
}
