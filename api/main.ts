import '../data/runtime/node-version.ts';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { configuredEndpoints } from '../data/config/configured-endpoints.ts';
import { prepareDataDir, readConfig } from '../data/config/read-config.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { createLogger } from '../data/runtime/log.ts';
import { installShutdown, runMain } from '../data/runtime/shutdown.ts';
import { tellParent } from '../data/runtime/supervised.ts';
import type { AppStore } from '../data/store/ports.ts';
import { openAppStore } from '../data/store/sqlite/app-store.ts';
import { openIndexReader } from '../data/store/sqlite/index-reader.ts';
import { StoreUnavailableError } from '../data/store/store-errors.ts';
import packageJson from '../package.json' with { type: 'json' };
import { newSetupToken, setupLink } from './admin/setup-door.ts';
import { backupsIn } from './backup/backup-files.ts';
import { backupFolder, startBackups } from './backup/scheduled-backups.ts';
import { configuredIssuer } from './cards/configured-issuer.ts';
import { ChainReads } from './chain/chain-reads.ts';
import { bookOf, CHAT_BOOK_FILE } from './chat/chat-book.ts';
import { modelAnswers } from './chat/model-answer.ts';
import type { DeliveryWorker } from './delivery/delivery-worker.ts';
import { startDelivery } from './delivery/start-delivery.ts';
import { openMasterKey } from './documents/master-key.ts';
import { warnOfOtherKeys } from './documents/other-keys.ts';
import { listen } from './listen.ts';
import { repeat } from './metrics/refresh.ts';
import { NO_SITE, readSiteFiles } from './pages/site-files.ts';
import { startDeletion } from './retention/scheduled-deletion.ts';
import { createPortal } from './server.ts';
import { createPortalBot } from './telegram/portal-bot.ts';
import { telegramDesk } from './telegram/telegram-desk.ts';
import { createHeldTokensReader } from './verification/held-tokens.ts';
import { createStakedTokensReader } from './verification/staked-tokens.ts';

const SITE_FOLDER = fileURLToPath(new URL('../dist', import.meta.url));

/** Milliseconds between two looks at the index: a change is on the page well within a second. */
const LOOK_EVERY = 100;

/** Milliseconds that building or sending a stake may take: several readings, one after the other. */
const STAKE_WITHIN_MS = 10_000;

/** Started with `--api-only` the portal serves no pages: for development, where the site's own server has them. */
function readArguments(args: readonly string[]): { readonly apiOnly: boolean } {
  const unknown = args.filter((argument) => argument !== '--api-only');
  if (unknown.length > 0) {
    throw new StartError(`${unknown.join(' ')} is no option. The only one is --api-only.`, EXIT.usage);
  }
  return { apiOnly: args.includes('--api-only') };
}

/** A store file that cannot be opened is for the operator to mend. */
async function opened<T>(open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    throw new StartError(error.message, EXIT.tryAgain, { cause: error });
  }
}

function auditor(store: AppStore) {
  return (action: string, details: Readonly<Record<string, string | number>>) =>
    store.recordAudit({ id: randomUUID(), at: Date.now(), actor: 'system', action, details });
}

async function main(): Promise<void> {
  const { apiOnly } = readArguments(process.argv.slice(2));
  const config = readConfig();
  const site = apiOnly ? NO_SITE : await readSiteFiles(SITE_FOLDER);
  const folder = await prepareDataDir(config.dataDir);
  const log = createLogger('api', config.logLevel);
  const shutdown = installShutdown((message, error) => log.error({ err: error }, message));

  const store = await opened(() => openAppStore(join(folder, 'app.db')));
  shutdown.onStop('app.db', () => store.close());
  const reader = await opened(() => openIndexReader(join(folder, 'index.db')));
  shutdown.onStop('index.db', () => reader.close());
  const audit = auditor(store);
  const masterKey = await openMasterKey(folder, config.documentKey);
  await warnOfOtherKeys(store.loans, masterKey, log);

  const { version } = packageJson;
  const { publicOrigin } = config;
  const chain = config.solana.kind === 'embedded' ? 'embedded-ledger' : 'solana';
  const endpoints = configuredEndpoints(config).map(({ url }) => url);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const setupToken = (await store.admins.hasAdmins()) ? null : newSetupToken();
  const { telegram } = config.delivery;
  const bot = telegram.kind === 'bot' ? createPortalBot({ config: telegram, log, now: Date.now }) : null;
  // Deliveries start once the portal listens; until then no channel rests.
  let delivery: DeliveryWorker | undefined;
  const backups = backupFolder(config.backup, folder);
  const portal = createPortal({
    erasing: {
      outboxFolder: join(folder, 'outbox', 'mail'),
      backups: () => ({
        newestAt: backupsIn(backups)[0]?.at ?? null,
        keep: config.backup.keep,
        isScheduled: config.backup.pattern !== null,
      }),
    },
    reader,
    store,
    site,
    log,
    clock: Date.now,
    chain,
    publicOrigin,
    version,
    walletReaders: {
      staked: createStakedTokensReader(endpoints),
      held: createHeldTokensReader(endpoints),
    },
    issuer: await configuredIssuer(config.cards, Date.now),
    fundingAddress: config.cards.fundingAddress,
    masterKey,
    stakeReads: new ChainReads(endpoints, { readWithinMs: STAKE_WITHIN_MS }),
    registry,
    setupToken,
    ...(!apiOnly && { openChatBook: bookOf(join(SITE_FOLDER, CHAT_BOOK_FILE)) }),
    askModel:
      config.chat.model === null
        ? undefined
        : modelAnswers(config.chat.model, (why) => log.warn({ why }, 'the chat model was not used')),
    keepsTranscripts: config.chat.keepsTranscripts,
    telegram: telegramDesk({ bot, now: Date.now, origin: () => url }),
    deliveryPauses: () => delivery?.pauses() ?? new Map(),
  });
  // Before anyone can ask: the first answer is a figure where there is one.
  await portal.refresh();
  const port = await listen(portal.server, config.host, config.port);
  const url = publicOrigin ?? `http://${config.host === '127.0.0.1' ? 'localhost' : config.host}:${port}`;
  await audit('portal.started', { version, port });
  shutdown.onStop('audit trail', () => audit('portal.stopped', { version, port }));
  const looking = repeat(portal.refresh, LOOK_EVERY);
  shutdown.onStop('refresh', () => looking.stop());
  const isTellingPeople =
    config.delivery.mail.transport.kind === 'smtp' || config.delivery.telegram.kind === 'bot';
  if (isTellingPeople && publicOrigin === null) {
    log.warn({ url }, 'mails and notices link to an address of this machine: set PUBLIC_ORIGIN');
  }
  const worker = await startDelivery({
    config: config.delivery,
    store,
    folder,
    origin: url,
    decimals: async () => (await reader.latestSnapshot(0)).identity?.decimals ?? null,
    log,
    registry,
  });
  delivery = worker;
  shutdown.onStop('deliveries', () => worker.stop());
  const { documentRetentionDays } = config;
  const stopDeletion = startDeletion({ store, documentRetentionDays, now: Date.now, log });
  shutdown.onStop('deletion', stopDeletion);
  const stopBackups = startBackups({
    config: config.backup,
    dataDir: folder,
    backUp: (target) => store.backUp(target),
    now: Date.now,
    log,
    registry,
  });
  shutdown.onStop('backups', stopBackups);
  if (bot) {
    bot.listen({ facts: portal.facts, readiness: portal.readiness, store, origin: url });
    shutdown.onStop('bot', () => bot.stop());
  }
  // Closed first: what is submitted until then is taken up by the next start.
  shutdown.onStop('server', () => portal.close());
  // The issuer may be slow: nobody else waits for it.
  portal.resumeCards().catch((error: unknown) => log.error({ err: error }, 'cards were not resumed'));

  if (setupToken !== null) {
    // To the operator's terminal and not to the log: whoever holds the link may make themselves the first admin.
    process.stdout.write(
      `No admin exists yet. Create the first one at ${setupLink(url, setupToken)}\n` +
        'The link holds once, and until the portal starts again.\n',
    );
  }
  log.info({ port, url }, 'portal is up');
  tellParent({ type: 'ready', details: { port, url } });
}

await runMain('api', main);
