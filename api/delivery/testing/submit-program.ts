import '../../../data/runtime/node-version.ts';
import { join } from 'node:path';
import { Registry } from '@prometheus-io/client';
import { rateLimits } from '../../../data/config/rate-limits.ts';
import { createLogger } from '../../../data/runtime/log.ts';
import { installShutdown, runMain } from '../../../data/runtime/shutdown.ts';
import { openAppStore } from '../../../data/store/open-stores.ts';
import { sampleApplication, sampleOptions } from '../../../data/store/testing/sample-submissions.ts';
import { startDelivery } from '../start-delivery.ts';
import { UNUSED_MAIL_CONTEXT } from './unused-mail-context.ts';

/**
 * A process for tests to kill. For each number that it gets over IPC, it stores a submission, acknowledges the number and
 * delivers the submission. The same number always means the same submission. On `unfinished`, it replies with the number of
 * deliveries in the queue.
 * Usage: node submit-program.ts <folder of app.db> <port of the SMTP server> <root of the Bot API>
 */
export type SubmitRequest = { readonly submit: number } | 'unfinished';
export type SubmitReply =
  | { readonly accepted: number; readonly referenceNumber: string }
  | { readonly unfinished: number };

const SMTP = { kind: 'smtp', host: '127.0.0.1', isSecure: false, credentials: null } as const;
const BOT = {
  kind: 'bot',
  token: '123456:a-token-that-nobody-may-read',
  chatId: '-100',
  adminChatIds: [],
} as const;

const [folder = '', smtpPort = '', apiRoot = ''] = process.argv.slice(2);

await runMain('submit', async () => {
  const log = createLogger('submit', 'info');
  const shutdown = installShutdown((message, error) => log.error({ err: error }, message));
  const store = await openAppStore(join(folder, 'app.db'));
  shutdown.onStop('app.db', () => store.close());
  const delivery = await startDelivery({
    config: {
      mail: {
        transport: { ...SMTP, port: Number(smtpPort) },
        from: { name: 'BlackDuck', address: 'portal@example.com' },
        teamAddress: 'team@example.com',
      },
      telegram: { ...BOT, apiRoot },
      inbound: null,
    },
    store,
    folder,
    origin: 'https://portal.example.com',
    teamOrigin: 'https://portal.example.com',
    masterKey: UNUSED_MAIL_CONTEXT.masterKey,
    decimals: async () => 6,
    confirmationToken: () => '',
    adminLinkToken: () => '',
    statusProofOf: () => '',
    organization: null,
    rateLimits: rateLimits({ confirmations: 1_000_000, 'confirmations-of-domain': 1_000_000 }),
    log,
    registry: new Registry(),
    webhookOptions: null,
  });
  shutdown.onStop('deliveries', () => delivery.stop());
  const reply = (message: SubmitReply) => process.send?.(message);

  async function submit(number: number): Promise<void> {
    const application = sampleApplication({
      name: `Applicant ${number}`,
      email: `applicant-${number}@example.org`,
      createdAt: Date.now(),
    });
    const options = sampleOptions({
      drawReference: () => `BD-20260102-${100_000 + number}`,
      idempotency: { keyHash: `key ${number}`, bodyHash: `body ${number}` },
    });
    const outcome = await store.submissions.submit('card-application', application, options);
    if (!('answer' in outcome)) throw new Error(`not accepted: ${outcome.kind}`);
    reply({ accepted: number, referenceNumber: String(outcome.answer.referenceNumber) });
  }

  process.on('message', (request: SubmitRequest) => {
    void (async () => {
      if (request !== 'unfinished') return submit(request.submit);
      const depths = await store.deliveries.queueDepths();
      reply({ unfinished: depths.reduce((sum, { deliveries }) => sum + deliveries, 0) });
    })();
  });
});
