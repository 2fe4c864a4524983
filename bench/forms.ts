import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import { walletOf } from '../api/testing/sample-stakes.ts';
import { submitApplicationV2 } from '../data/contract/applications.ts';
import { type ServerProcess, startPeer } from './api/server-process.ts';

/** Acknowledged submissions a second, as a share of the durable transactions that the disk takes in a second. */
const LIMIT = 0.5;
/** As many as the other benchmark of the API has. */
const CLIENTS = 64;
/** Both are measured in turn, and the middle of the rounds counts: a disk is not always as fast. */
const ROUNDS = 5;
const ROUND_SECONDS = 2;

interface Pace {
  readonly perSecond: number;
  /** Processor time of each, in microseconds. */
  readonly cpu: number;
}

const form = (number: number) => ({
  name: `Applicant ${number}`,
  email: `applicant-${number}@example.org`,
  wallet: walletOf(1),
  bd_amount: '6200000',
  tier: 'Banker',
  phone: '+44 20 7946 0000',
  alias: 'Everyday',
});

const isOver = (startedAt: number) => performance.now() - startedAt >= ROUND_SECONDS * 1_000;

function pace(count: number, startedAt: number, cpu: number): Pace {
  return { perSecond: (count * 1_000) / (performance.now() - startedAt), cpu: cpu / count };
}

/** Durable transactions: one row each, of a form's size, every commit on the disk. */
function durableTransactions(folder: string): Pace {
  const file = new Database(join(folder, 'limit.db'));
  file.pragma('journal_mode = WAL');
  file.pragma('synchronous = FULL');
  file.exec('create table if not exists forms (id integer primary key, form text not null)');
  const add = file.prepare('insert into forms (form) values (?)');
  const words = JSON.stringify(form(0));
  const before = process.cpuUsage();
  const startedAt = performance.now();
  let count = 0;
  while (!isOver(startedAt)) {
    add.run(words);
    count += 1;
  }
  const { user, system } = process.cpuUsage(before);
  const result = pace(count, startedAt, user + system);
  file.close();
  return result;
}

/** Sends forms to the portal, each of another applicant, from clients that keep their connections. */
function formClients(portal: ServerProcess) {
  const url = `${portal.origin}${submitApplicationV2.path}`;
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  let sent = 0;

  async function submitOne(): Promise<void> {
    sent += 1;
    const body = JSON.stringify(form(sent));
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const { status, answer } = await new Promise<{ status: number | undefined; answer: string }>(
      (resolve, reject) => {
        const call = request(url, { method: 'POST', headers, agent }, (response) => {
          text(response).then((answer) => resolve({ status: response.statusCode, answer }), reject);
        });
        call.on('error', reject);
        call.end(body);
      },
    );
    if (status !== 200) throw new Error(`a submission was answered with ${status}: ${answer}`);
  }

  return {
    async acknowledged(): Promise<Pace> {
      const before = await portal.cpu();
      const startedAt = performance.now();
      let count = 0;
      const client = async () => {
        while (!isOver(startedAt)) {
          await submitOne();
          count += 1;
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      return pace(count, startedAt, (await portal.cpu()) - before);
    },
    close: () => agent.destroy(),
  };
}

const told = ({ perSecond, cpu }: Pace) =>
  `${perSecond.toFixed(0)}/s (${cpu.toFixed(0)} µs of processor each)`;

/** Measures how fast forms are acknowledged, against one durable transaction each in the same run. */
export async function benchForms(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'forms-bench-'));
  // In a process of its own: the clients of a portal do not run on its thread.
  const portal = await startPeer('the portal', '../forms/form-portal.ts', []);
  const clients = formClients(portal);
  try {
    // A portal runs for days: what it loads and compiles with its first forms is no part of its pace.
    await clients.acknowledged();
    const ratios: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const limit = durableTransactions(folder);
      const acknowledged = await clients.acknowledged();
      ratios.push(acknowledged.perSecond / limit.perSecond);
      process.stdout.write(
        `round ${round}: durable transactions ${told(limit)}, submissions acknowledged while they are delivered ${told(acknowledged)}\n`,
      );
    }
    const middle = ratios.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
    process.stdout.write(`submissions to transactions: ${middle.toFixed(2)} (at least ${LIMIT})\n`);
    return middle >= LIMIT;
  } finally {
    clients.close();
    await portal.end();
    await rm(folder, { recursive: true, force: true });
  }
}
