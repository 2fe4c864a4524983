// @module-tag slow
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { CONTACT_BODY } from '../../api/applications/testing/sample-forms.ts';
import { type BotApiPeer, startBotApiPeer } from '../../api/delivery/testing/bot-api-peer.ts';
import { deliverySettings } from '../../api/delivery/testing/delivery-settings.ts';
import { ask, sendForm } from '../../api/testing/portal-client.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { newSchema } from '../../data/store/testing/postgres-stores.ts';
import {
  type IndexerProcess,
  LEDGER_ADDRESS_ENV,
  spawnApi,
  spawnIndexer,
} from '../../indexer/testing/processes.ts';
import { startTestChain, type TestChain } from '../../indexer/testing/test-chain.ts';

let chain: TestChain;
let bot: BotApiPeer;
let env: Record<string, string>;
let ports: readonly number[];
const folders: string[] = [];
const replicas: ReturnType<typeof spawnApi>[] = [];
let indexer: IndexerProcess;

async function newMachineEnv(): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'replica-'));
  folders.push(folder);
  return { ...env, DATA_DIR: folder };
}

beforeAll(async () => {
  [chain, bot] = await Promise.all([startTestChain(), startBotApiPeer()]);
  env = {
    DATABASE_URL: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(inject('postgresSocketFolder'))}`,
    DATABASE_SCHEMA: newSchema(),
    ...deliverySettings(undefined, bot.url),
    SOLANA_RPC_URLS: chain.url,
    RATE_LIMITS: 'submissions=3',
    ...LEDGER_ADDRESS_ENV,
  };
  indexer = spawnIndexer(await newMachineEnv());
  await indexer.ready;
  replicas.push(spawnApi(await newMachineEnv()), spawnApi(await newMachineEnv()));
  ports = await Promise.all(replicas.map(async ({ ready }) => Number((await ready).details.port)));
});

afterAll(async () => {
  for (const { child, ended } of [...replicas, indexer]) {
    child.kill('SIGKILL');
    await ended;
  }
  await Promise.all([chain.close(), bot.close()]);
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

describe('two replicas on one database', () => {
  it('show in /readyz which replica runs the shared jobs, and follow the index by notifications', async () => {
    const statuses = () =>
      Promise.all(ports.map(async (port) => JSON.parse((await ask(port, PATHS.readyz)).body).replica));
    await expect
      .poll(async () => (await statuses()).filter(({ runsJobs }) => runsJobs).length, { timeout: 40_000 })
      .toBe(1);
    await expect
      .poll(async () => (await statuses()).map(({ isNotified }) => isNotified))
      .toEqual([true, true]);
    for (const { indexerFence, pools } of await statuses()) {
      expect(indexerFence).toBeGreaterThan(0);
      expect(pools.app.open).toBeGreaterThan(0);
    }
  });

  it('count the forms from one IP address together', async () => {
    const statuses = [];
    for (const port of [0, 1, 0, 1].map((replica) => ports[replica] ?? 0)) {
      const form = { ...CONTACT_BODY, email: `${randomUUID()}@example.com` };
      statuses.push((await sendForm(port, PATHS.submitContactMessage, form)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('answer a message to the bot from only one replica', async () => {
    await bot.waitForCallsOf('getUpdates', 1);
    const id = bot.sendToBot({
      message_id: 7,
      date: Math.floor(Date.now() / 1_000),
      text: '/status',
      chat: { id: 42, type: 'private' },
      from: { id: 42, is_bot: false, first_name: 'Ada', username: 'Ada_L' },
    });
    // Counts only the reply to the sender, not the message to the team's chat.
    await expect
      .poll(() =>
        bot
          .callsOf('sendMessage')
          .filter(
            (body) =>
              (body as { chat_id: unknown }).chat_id === '42' ||
              (body as { chat_id: unknown }).chat_id === 42,
          ),
      )
      .toHaveLength(1);
    expect(id).toBeGreaterThan(0);
  });
});
