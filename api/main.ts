import '../data/runtime/node-version.ts';
import { randomUUID } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import { apiOriginProblem } from '../data/config/api-origin.ts';
import { configuredEndpoints } from '../data/config/endpoints.ts';
import { isLocalOrigin } from '../data/config/network-variables.ts';
import { prepareDataDir, problemsText, readConfig } from '../data/config/read-config.ts';
import * as PATHS from '../data/contract/paths.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { createLogger } from '../data/runtime/log.ts';
import { installShutdown, notifyParent, runMain } from '../data/runtime/shutdown.ts';
import { startTracing } from '../data/runtime/tracing.ts';
import { openAppStore, openIndexReader, openLeases, openWakeUps } from '../data/store/open-stores.ts';
import type { WakeUps } from '../data/store/wake-up-port.ts';
import packageJson from '../package.json' with { type: 'json' };
import { adminLinkTokenDeriver } from './admin/admin-links.ts';
import { createSecretBox } from './admin/secret-box.ts';
import { newSetupToken, setupDigest, setupLink } from './admin/setup-routes.ts';
import { startAlerts } from './alerts/start-alerts.ts';
import { statusProofs } from './applications/status-proof.ts';
import { keptFilePath } from './backup/backups.ts';
import { openCopies } from './backup/portal-copies.ts';
import { createSandboxIssuer } from './cards/sandbox-issuer.ts';
import { createStripeIssuer } from './cards/stripe-issuer.ts';
import { registerTopUpMetrics, topUpFeedOf } from './cards/top-ups/start-top-ups.ts';
import { ChainReads } from './chain/chain-reads.ts';
import { createAskModel } from './chat/model-answer.ts';
import { builtBookOpener } from './chat/team-additions.ts';
import { inboundMetrics } from './conversation/inbound-metrics.ts';
import { createReplyComposer } from './conversation/reply-mail.ts';
import type { DeliveryWorker } from './delivery/delivery-worker.ts';
import { deriveVapidKeys } from './delivery/push/vapid-keys.ts';
import { startDelivery } from './delivery/start-delivery.ts';
import { createTeamAlerts } from './delivery/team-alerts.ts';
import { mayReachLoopback } from './delivery/webhooks/webhook-url.ts';
import { openMasterKey, warnOfOtherKeys } from './documents/master-key.ts';
import { emptyUploadFolder } from './documents/upload-spool.ts';
import { startLeaderJobs } from './leader-jobs.ts';
import { listen } from './listen.ts';
import { loadAhead, REQUEST_LIBRARIES } from './load-ahead.ts';
import { confirmationTokens } from './loan/mailbox-confirmation.ts';
import { repeat } from './metrics/refresh.ts';
import { readOrganization } from './pages/organization.ts';
import { NO_SITE, readSiteFiles } from './pages/serve-pages.ts';
import { createLedgerClock } from './reminders/ledger-clock.ts';
import { reminderTokens } from './reminders/reminder-tokens.ts';
import { reportTokens } from './reports/report-tokens.ts';
import { createWeeklyComposer } from './reports/weekly-mails.ts';
import { runAsLeader } from './run-as-leader.ts';
import { createPortal } from './server.ts';
import { heliusComputeUnitPrice } from './stake-order/priority-fee.ts';
import { storeOrExit } from './store-or-exit.ts';
import { createPortalBot } from './telegram/portal-bot.ts';
import { createTelegramContext } from './telegram/telegram-routes.ts';
import { createHeldTokensReader } from './verification/held-tokens.ts';
import { createStakedTokensReader } from './verification/staked-tokens.ts';

const SITE_FOLDER = fileURLToPath(new URL('../dist', import.meta.url));

/** The time between two reads of the index: short enough for a change to reach open pages well within a second. */
const REFRESH_INTERVAL_MS = 100;
/** The longest time between two reads while PostgreSQL notifies this process of changes. */
const NOTIFIED_REFRESH_INTERVAL_MS = 1_000;

/** How long (ms) building or sending a stake may take. Both read the chain several times in sequence. */
const STAKE_TIMEOUT_MS = 10_000;

/** With `--api-only` the portal serves no pages. In development, Astro's server serves them. */
function readArguments(args: readonly string[]): { readonly apiOnly: boolean } {
  const unknown = args.filter((argument) => argument !== '--api-only');
  if (unknown.length > 0) {
    throw new StartError(`Unknown option ${unknown.join(' ')}. The only option is --api-only.`, EXIT.usage);
  }
  return { apiOnly: args.includes('--api-only') };
}

function httpOrigin(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

async function main(): Promise<void> {
  const { apiOnly } = readArguments(process.argv.slice(2));
  const config = readConfig();
  const originProblem = await apiOriginProblem(config);
  if (originProblem) throw new StartError(problemsText([originProblem]), EXIT.configuration);
  const site = apiOnly ? NO_SITE : await readSiteFiles(SITE_FOLDER);
  const log = createLogger('api', config.logLevel);
  const folder = await prepareDataDir(config.dataDir, (paths) =>
    log.warn({ paths }, 'other users can read these files: change their owner to the portal’s user'),
  );
  const shutdown = installShutdown((message, error) => log.error({ err: error }, message));
  const { version } = packageJson;
  const program = { service: 'blackduck-api', version, log };
  // Registered first, so it stops last.
  shutdown.onStop('traces', await startTracing(config.tracing, program));

  const database = config.database?.main ?? null;
  const store = await storeOrExit(() => openAppStore(database ?? join(folder, 'app.db')));
  shutdown.onStop('store', () => store.close());
  const reader = await storeOrExit(() => openIndexReader(database ?? join(folder, 'index.db')));
  shutdown.onStop('index', () => reader.close());
  // Null without PostgreSQL, because then only this process uses the store.
  const leases = database && (await storeOrExit(() => openLeases(database)));
  if (leases) shutdown.onStop('leases', () => leases.close());
  const masterKey = await openMasterKey(folder, config.documentKey);
  await warnOfOtherKeys(store.submissions, masterKey, log);
  const uploadFolder = join(folder, 'uploads');
  await emptyUploadFolder(uploadFolder);

  const { publicOrigin, publicApiOrigin, trustedProxies, metrics, rateLimits } = config;
  const chainLimit = { maxConcurrentReads: rateLimits['chain-reads'] };
  const chain = config.solana.kind === 'embedded' ? 'embedded-ledger' : 'solana';
  const endpointConfigs = configuredEndpoints(config);
  const endpoints = endpointConfigs.map(({ url }) => url);
  const [ledgerUrl] = endpoints;
  const ledgerClock =
    chain === 'embedded-ledger' && ledgerUrl !== undefined ? createLedgerClock(ledgerUrl, Date.now) : null;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const setupToken = (await store.admins.hasAdmins()) ? null : newSetupToken();
  if (setupToken !== null) await store.setupLinks?.offer(setupDigest(setupToken));
  const { mail, telegram } = config.delivery;
  const { issuer, fundingAddress, topUps } = config.cards;
  const topUpFeed = topUps && fundingAddress ? topUpFeedOf(topUps, fundingAddress) : null;
  registerTopUpMetrics(registry, { topUps: store.topUps, feed: topUpFeed, now: Date.now });
  const bot =
    telegram.kind === 'bot'
      ? createPortalBot({ config: telegram, log, now: Date.now, isShared: leases !== null })
      : null;
  // Deliveries start once the portal listens; until then no channel is paused.
  let deliveryWorker: DeliveryWorker | undefined;
  let wakeUps: WakeUps | undefined;
  let runsJobs = false;
  const organization = apiOnly ? null : await readOrganization(SITE_FOLDER);
  const alerts = createTeamAlerts({
    config: config.delivery,
    to: config.alerts,
    site: () => ({ organization, origin: url }),
    folder,
    log,
  });
  shutdown.onStop('alerts', () => alerts.stop());
  const copies = await openCopies({
    config: config.backup,
    folder,
    usesDatabase: database !== null,
    masterKey,
    registry,
    log,
  });
  const { inbound } = config.delivery;
  const inboundAddress = inbound?.address ?? null;
  const replies = createReplyComposer({ organization, origin: () => url, inboundAddress });
  const inboundMailMetrics = inboundMetrics(registry, inbound);
  const ownAddresses = [mail.from.address, ...(inbound ? [inbound.address] : [])];
  const isNotified = () => wakeUps?.isConnected() ?? false;
  const portal = createPortal({
    copies: copies.erasureCopies,
    reader,
    store,
    leases,
    site,
    log,
    now: Date.now,
    monotonicNow: () => performance.now(),
    chain,
    publicOrigin,
    publicApiOrigin,
    trustedProxies,
    metrics,
    version,
    rateLimits,
    securityContact: config.securityContact,
    walletReaders: {
      staked: createStakedTokensReader(endpoints, chainLimit),
      held: createHeldTokensReader(endpoints, chainLimit),
    },
    issuer: await (issuer.kind === 'stripe'
      ? createStripeIssuer(issuer, { now: Date.now })
      : createSandboxIssuer({ now: Date.now, requiresStripeFields: issuer.asksLikeStripe })),
    fundingAddress,
    topUpFeed,
    minAccountAgeToVoteMs: config.voteAccountAgeHours * 3_600_000,
    masterKey,
    uploadFolder,
    disk: {
      freeBytes: async () => {
        const { bavail, bsize } = await statfs(folder);
        return bavail * bsize;
      },
      reserveBytes: config.diskReserveBytes,
    },
    stakeReads: new ChainReads(endpoints, { ...chainLimit, readTimeoutMs: STAKE_TIMEOUT_MS }),
    estimateComputeUnitPrice: heliusComputeUnitPrice(endpointConfigs, log),
    registry,
    setupToken,
    openChatBook: apiOnly ? null : builtBookOpener(SITE_FOLDER),
    askModel:
      config.chat.model === null
        ? null
        : createAskModel(config.chat.model, {
            rateLimits: config.rateLimits,
            onUnused: (why) => log.warn({ why }, 'the chat model gave no usable answer'),
            now: Date.now,
          }),
    keepsTranscripts: config.chat.keepsTranscripts,
    telegram: createTelegramContext({ bot, now: Date.now, teamOrigin: () => teamUrl }),
    replies,
    inboundMail: {
      secret: inbound?.webhookSecret ?? null,
      ownAddresses,
      onMail: inboundMailMetrics.onMail,
    },
    deliveryPauses: () => deliveryWorker?.pauses() ?? new Map(),
    alertTeam: alerts.alertTeam,
    sendsMail: mail.transport.kind === 'smtp',
    teamOrigin: () => teamUrl,
    lostStoreCopyPath: () => keptFilePath(join(folder, 'app.db'), 'lost', Date.now()),
    runsJobs: () => runsJobs,
    isNotified,
  });
  // Reads the index before the portal listens, so that the first answer already has the figures.
  await portal.refresh();
  const port = await listen(portal.server, config.host, config.port);
  let metricsUrl: string | undefined;
  if (portal.metricsServer && metrics.listener) {
    const { host } = metrics.listener;
    const metricsPort = await listen(portal.metricsServer, host, metrics.listener.port, 'METRICS_PORT');
    metricsUrl = `${httpOrigin(host, metricsPort)}${PATHS.prometheus}`;
  }
  const isLocalHost = ['127.0.0.1', '0.0.0.0', '::'].includes(config.host);
  const url = publicOrigin ?? httpOrigin(isLocalHost ? 'localhost' : config.host, port);
  // If the site and the API have different origins, only the API's origin serves the team's pages.
  const teamUrl = publicApiOrigin ?? url;
  const audit = (action: string) =>
    store.recordAudit({
      id: randomUUID(),
      at: Date.now(),
      actor: 'system',
      action,
      details: { version, port },
    });
  await audit('portal.started');
  shutdown.onStop('audit trail', () => audit('portal.stopped'));
  const refreshLoop = repeat(portal.refresh, {
    shortestMs: REFRESH_INTERVAL_MS,
    longestMs: () => (isNotified() ? NOTIFIED_REFRESH_INTERVAL_MS : REFRESH_INTERVAL_MS),
  });
  shutdown.onStop('refresh', () => refreshLoop.stop());
  if (config.database?.listen) {
    wakeUps = await openWakeUps(config.database.listen, {
      onIndexChanged: refreshLoop.wake,
      onQueued: () => deliveryWorker?.wake(),
      onChanged: portal.notifyRecordsChanged,
      onConnected: () => {
        refreshLoop.wake();
        deliveryWorker?.wake();
      },
      onLost: (error) => log.warn({ err: error }, 'the database sends no notifications; changes are polled'),
    });
    shutdown.onStop('notifications', async () => wakeUps?.close());
  }
  const isOutboxOnly = mail.transport.kind !== 'smtp' && telegram.kind !== 'bot';
  if (!isOutboxOnly && publicOrigin === null) {
    log.warn({ url }, 'links in emails and notices point to this machine: set PUBLIC_ORIGIN');
  }
  if (!isLocalOrigin(publicOrigin) && mail.transport.kind !== 'smtp') {
    log.warn('SMTP_URL is not set: emails are only written to DATA_DIR/outbox and are not sent');
  }
  // The portal itself serves plain HTTP, so an https origin means that there is a proxy.
  if (publicOrigin?.startsWith('https:') && trustedProxies.length === 0) {
    log.warn(
      'TRUSTED_PROXIES is not set, so all visitors behind the proxy share one rate limit: add the proxy’s address',
    );
  }
  const worker = await startDelivery({
    config: config.delivery,
    store,
    folder,
    origin: url,
    teamOrigin: teamUrl,
    decimals: async () => (await reader.latestSnapshot(0)).identity?.decimals ?? null,
    masterKey,
    confirmationToken: confirmationTokens(masterKey),
    adminLinkToken: adminLinkTokenDeriver(masterKey),
    composeWeekly: createWeeklyComposer({
      reports: store.reports,
      records: store.records,
      reportTokens: reportTokens(masterKey),
      teamOrigin: teamUrl,
      now: Date.now,
    }),
    statusProofOf: statusProofs(masterKey),
    reminders: {
      subscriptions: store.subscriptions,
      stakes: () => {
        const { stakes } = portal.figureInputs();
        return ledgerClock?.inProgramTime(stakes) ?? stakes;
      },
      tokens: reminderTokens(masterKey),
      origin: url,
      apiOrigin: teamUrl,
      now: Date.now,
      vapid: deriveVapidKeys(masterKey),
    },
    organization,
    rateLimits: config.rateLimits,
    log,
    registry,
    webhookOptions: {
      box: createSecretBox(masterKey.bytes),
      allowsLoopback: mayReachLoopback(chain, publicOrigin),
    },
  });
  deliveryWorker = worker;
  shutdown.onStop('deliveries', () => worker.stop());
  const startJobs = () => {
    runsJobs = true;
    const stopJobs = startLeaderJobs({
      config,
      store,
      reader,
      portal,
      masterKey,
      bot,
      ledgerClock,
      sweepLeftovers: copies.sweepLeftovers,
      ownAddresses,
      inbound: inboundMailMetrics,
      origin: url,
      log,
    });
    return () => {
      runsJobs = false;
      return stopJobs();
    };
  };
  shutdown.onStop(
    'jobs',
    leases === null ? startJobs() : runAsLeader({ leases, name: 'jobs', start: startJobs, log }),
  );
  const stopAlerts = startAlerts({
    config: config.alerts,
    store,
    sources: {
      ...portal.alertSources,
      isMailboxOpen: inboundMailMetrics.isMailboxOpen,
      topUps:
        topUpFeed === null
          ? null
          : { feed: () => store.topUps.feed(topUpFeed), unmatchedCount: () => store.topUps.unmatchedCount() },
      backup: copies.alertSource,
    },
    isLeading: () => runsJobs,
    alertDirectly: database === null ? null : alerts.alertTeam,
    log,
  });
  shutdown.onStop('checks for alerts', stopAlerts);
  shutdown.onStop('backups', copies.start(store));
  // Registered last, so the server closes first. Forms accepted during the shutdown are delivered after the next start.
  shutdown.onStop('server', () => portal.close());
  loadAhead([...REQUEST_LIBRARIES, () => portal.openExtendedBook()], shutdown.signal).catch(
    (error: unknown) => {
      // A call that needs the library reports the error.
      if (!shutdown.signal.aborted) log.warn({ err: error }, 'a library could not be preloaded');
    },
  );

  if (setupToken !== null) {
    // Printed, not logged, because anyone with the link can become the first admin.
    process.stdout.write(
      `No admin exists yet. Create the first one at ${setupLink(teamUrl, setupToken)}\n` +
        `The link works once and expires ${store.setupLinks ? 'after a day' : 'when the portal restarts'}.\n`,
    );
  }
  const details = { port, url: teamUrl, ...(metricsUrl === undefined ? {} : { metricsUrl }) };
  log.info(details, 'portal is up');
  notifyParent({ type: 'ready', details });
}

// `storeOrExit` covers the whole start, because the store can become unavailable after it was opened.
await runMain('api', () => storeOrExit(main));
