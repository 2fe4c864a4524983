import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { CONTACT_BODY } from '../../api/applications/testing/sample-forms.ts';
import { startBotApiPeer } from '../../api/delivery/testing/bot-api-peer.ts';
import { deliverySettings } from '../../api/delivery/testing/delivery-settings.ts';
import { startSmtpPeer } from '../../api/delivery/testing/smtp-peer.ts';
import type { ReplicaStatus } from '../../api/operations/replica-status.ts';
import { ask, sendForm } from '../../api/testing/portal-client.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { EXIT } from '../../data/runtime/exit-codes.ts';
import { LEDGER_ADDRESS_ENV, spawnApi, spawnIndexer, TEST_PRELOAD } from '../../indexer/testing/processes.ts';
import { startTestChain } from '../../indexer/testing/test-chain.ts';
import { NO_RATE_LIMITS } from '../attack/attacked-portal.ts';
import { RESTART_DELAY_MS } from './supervised-program.ts';

/** How much faster than real time the replica's clock runs. At normal speed, its timeouts take several seconds. */
export const TIME_FACTOR = process.env.POSTGRES_FAULTS === 'real-time' ? 1 : 5;

/** Starts everything that the programs connect to, except the database. */
export async function startPeers(database: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'peers-'));
  const [chain, smtpPeer, bot] = await Promise.all([
    startTestChain({ history: true }),
    startSmtpPeer(),
    startBotApiPeer(),
  ]);
  const env = {
    ...database,
    ...deliverySettings(smtpPeer.port, bot.url),
    SOLANA_RPC_URLS: chain.url,
    RATE_LIMITS: NO_RATE_LIMITS,
    ...LEDGER_ADDRESS_ENV,
  };
  return {
    chain,
    mails: smtpPeer,
    folder,
    envOf: (program: string) => ({ ...env, DATA_DIR: join(folder, program) }),
    async close(): Promise<void> {
      await Promise.all([chain.close(), smtpPeer.close(), bot.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type FaultsPortal = Awaited<ReturnType<typeof startFaultsPortal>>;

export async function startFaultsPortal(database: Readonly<Record<string, string>>) {
  const peers = await startPeers(database);
  const { chain, mails, envOf } = peers;
  let isClosing = false;
  const startIndexer = () => spawnIndexer(envOf('indexer'), [], { timeFactor: TIME_FACTOR });
  let indexer = startIndexer();
  const supervising = (async () => {
    for (;;) {
      const { code } = await indexer.ended;
      if (isClosing) return;
      expect(code).toBe(EXIT.tryAgain);
      await pause(RESTART_DELAY_MS);
      if (isClosing) return;
      indexer = startIndexer();
    }
  })();
  supervising.catch(() => {});
  let replica: ReturnType<typeof spawnApi> | null = null;
  const startReplica = async () => {
    await indexer.ready;
    replica = spawnApi(
      { ...envOf('replica'), TEST_TIME_FACTOR: String(TIME_FACTOR) },
      { flags: ['--import', TEST_PRELOAD] },
    );
    return { port: Number((await replica.ready).details.port), log: replica.stderr };
  };
  const close = async (): Promise<void> => {
    isClosing = true;
    for (const { child } of replica ? [replica, indexer] : [indexer]) child.kill('SIGKILL');
    try {
      await Promise.all([replica?.ended, supervising]);
    } finally {
      await peers.close();
    }
  };
  const { port, log } = await startReplica().catch(async (error: unknown) => {
    await close().catch(() => {});
    throw error;
  });
  return {
    chain,
    mails,
    log,
    async readStakingTotal(): Promise<{ readonly status: number; readonly slot: number }> {
      const { status, body } = await ask(port, '/api/staking/total');
      return { status, slot: JSON.parse(body).slot };
    },
    /** @returns the status, the error code if there is one, and the real time in ms */
    async send(key: string = randomUUID(), message = CONTACT_BODY.message) {
      const startedAt = performance.now();
      const form = { ...CONTACT_BODY, message, email: `${key}@example.com` };
      const { status, body } = await sendForm(port, PATHS.submitContactMessage, form, {
        'Idempotency-Key': key,
      });
      return {
        key,
        status,
        code: JSON.parse(body).code as string | undefined,
        ms: performance.now() - startedAt,
      };
    },
    async readiness(): Promise<{ readonly missing: readonly string[]; readonly replica: ReplicaStatus }> {
      const { missing, replica } = JSON.parse((await ask(port, PATHS.readyz)).body);
      return { missing: missing.map(({ what }: { what: string }) => what), replica };
    },
    close,
  };
}
