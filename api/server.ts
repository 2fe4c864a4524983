import type { Server } from 'node:http';
import express, { type Express } from 'express';
import * as PATHS from '../data/contract/paths.ts';
import { forwardClock } from '../data/runtime/forward-clock.ts';
import type { ChangedPart } from '../data/store/rules/record-changes.ts';
import { adminAuthorization } from './admin/authorize-admin.ts';
import type { AlertSources } from './alerts/alert-conditions.ts';
import { apiRoutes } from './api-routes.ts';
import { callRouter } from './call-router.ts';
import { WalletMutex } from './cards/card-context.ts';
import { checkCardStakes } from './cards/check-card-stakes.ts';
import { closeTestCards } from './cards/make-card.ts';
import { notifyNewSpends } from './cards/spend-notices.ts';
import { extendedBookOpener } from './chat/team-additions.ts';
import { embedRoutes } from './embed/embed-routes.ts';
import { errorHandler } from './error-handler.ts';
import { createHttpServer } from './http-server.ts';
import { jsonBody } from './json-body.ts';
import { AdminStreams } from './live/admin-streams.ts';
import { StreamHub } from './live/stream-hub.ts';
import type { FigureInputs } from './metrics/figure.ts';
import { FIGURES } from './metrics/figures.ts';
import { IndexFollower } from './metrics/index-follower.ts';
import { LiveSnapshot } from './metrics/live-snapshot.ts';
import { refresh } from './metrics/refresh.ts';
import { warnOfUnknownProxy } from './operations/local-requests.ts';
import { createMetricsServer, operationsRoutes } from './operations/operations-routes.ts';
import { portalMetrics } from './operations/portal-metrics.ts';
import { type Readiness, readiness } from './operations/readiness.ts';
import { replicaStatus } from './operations/replica-status.ts';
import { RequestCounts } from './operations/request-counts.ts';
import { createRefusalCounter, createRequestTimer } from './operations/request-metrics.ts';
import { SpaceWatch } from './operations/space-watch.ts';
import { StoreWatch } from './operations/store-watch.ts';
import { inlineScriptHashes, servePages } from './pages/serve-pages.ts';
import type { PortalContext, PortalDependencies } from './portal-context.ts';
import { removeForwardedPorts } from './security/forwarded-ports.ts';
import { applyHeaders, securityHeaders } from './security/headers.ts';
import { createLimits } from './security/rate-limit.ts';
import { refuseForeignOrigins } from './security/same-origin.ts';
import { securityTxtRoute } from './security/security-txt.ts';
import { apiHeaders } from './security/site-access.ts';
import { createCheckStake } from './verification/check-stake.ts';
import { ProvenWallets } from './wallet/proven-wallets.ts';
import { provenWalletReader } from './wallet/session-routes.ts';

export interface Portal {
  readonly server: Server;
  /** Serves the metrics on a separate port; null if none is configured. */
  readonly metricsServer: Server | null;
  /** Reads the index once and updates answers and streams. */
  refresh(): Promise<void>;
  closeTestCards(): Promise<void>;
  /**
   * Checks the stakes of all cards: freezes cards whose stake is gone, and closes them after a while. Also finishes pending
   * cards and notifies holders of new payments.
   */
  checkCardStakes(signal?: AbortSignal): Promise<void>;
  figureInputs(): FigureInputs;
  readiness(): Readiness;
  isDiskSpaceLow(): boolean;
  readonly alertSources: Pick<
    AlertSources,
    'figureInputs' | 'deliveryPauses' | 'freeDiskBytes' | 'diskReserveBytes' | 'replicaStatus'
  >;
  /** Opens the assistant's book, so that the first question does not have to wait for it. */
  openExtendedBook(): Promise<unknown>;
  /** Call this when another replica has changed something that the team sees. */
  notifyRecordsChanged(part: ChangedPart): void;
  streamCount(): number;
  /** Ends the streams, gives open requests a moment to finish, and frees the port. */
  close(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 2_000;

function createApp(context: PortalContext, readMetrics: () => Promise<string>): Express {
  const { limits, security } = context;
  const api = express.Router();
  api.use(apiHeaders(security));
  api.use((request, response, next) => limits.count('calls', request, response).then(() => next(), next));
  api.use(
    callRouter(apiRoutes(context), {
      handlersBeforeBody: [refuseForeignOrigins(context)],
      bodyParser: jsonBody(),
      limits,
    }),
  );
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Trusts `X-Forwarded-For` only from these proxies. Any other client could forge it.
  app.set('trust proxy', context.trustedProxies);
  app.use(removeForwardedPorts);
  app.use(warnOfUnknownProxy(app.get('trust proxy fn'), context.log));
  app.use((request, response, next) => {
    if (PATHS.isApiPath(request.path)) return api(request, response, next);
    applyHeaders(response, request.path === PATHS.pdfViewer ? security.pdfViewer : security.page);
    next();
  });
  app.use(operationsRoutes(context, readMetrics));
  app.use(securityTxtRoute(context));
  app.use(embedRoutes(context));
  app.use(servePages(context.site, context.publicOrigin));
  app.use(errorHandler(context.log));
  return app;
}

/** Creates the portal. Its server is not listening yet. */
export function createPortal(dependencies: PortalDependencies): Portal {
  const {
    reader,
    store,
    site,
    log,
    now,
    monotonicNow,
    chain,
    publicOrigin,
    publicApiOrigin,
    registry,
    openChatBook,
  } = dependencies;
  const security = securityHeaders({
    publicOrigin,
    publicApiOrigin,
    inlineScriptHashes: inlineScriptHashes(site.pages),
    pdfViewerHashes: inlineScriptHashes([site.pdfViewer]),
  });
  const provenWallets = new ProvenWallets(
    store.sessions,
    log,
    store.callCounts === null ? null : monotonicNow,
  );
  const follower = new IndexFollower(reader, {
    source: chain,
    provenWallets: () => provenWallets.wallets,
    log,
    monotonicNow,
  });
  const nonDecreasingNow = forwardClock(now, monotonicNow);
  // This first read starts the clock. From now on, it does not go back if the system clock is set back.
  nonDecreasingNow();
  const figureInputs = () => follower.inputs;
  const storeWatch = new StoreWatch(dependencies);
  const spaceWatch = new SpaceWatch(dependencies);
  const readinessNow = () =>
    readiness(figureInputs(), follower.isReadable, storeWatch.problem, now(), {
      spaceProblem: spaceWatch.problem,
      copyProblem: dependencies.copies.remoteProblem(),
    });
  const snapshot = new LiveSnapshot({ figures: FIGURES, security: security.publicData, log });
  const hub = new StreamHub(snapshot, dependencies);
  const adminStreams = new AdminStreams({ ...dependencies, now: nonDecreasingNow });
  const { answers } = snapshot;

  const context: PortalContext = {
    ...dependencies,
    figureInputs,
    readiness: readinessNow,
    replicaStatus: replicaStatus({ ...dependencies, lastVersion: () => follower.dataVersion }),
    isStoreWritable: () => storeWatch.problem === null,
    isDiskSpaceLow: () => spaceWatch.problem !== null,
    freeDiskBytes: () => spaceWatch.freeBytes,
    answers,
    hub,
    adminStreams,
    security,
    limits: createLimits(dependencies.rateLimits, store.callCounts, createRefusalCounter(registry)),
    decimals: () => figureInputs().index.identity?.decimals ?? null,
    provenWallets,
    readProvenWallet: provenWalletReader(dependencies),
    checkStake: createCheckStake({ ...dependencies, figureInputs }),
    walletMutex: new WalletMutex(dependencies.leases),
    authorize: adminAuthorization({ store, now: nonDecreasingNow }),
    nonDecreasingNow,
    openExtendedBook: openChatBook && extendedBookOpener(openChatBook, store.chat),
  };
  const requestCounts = new RequestCounts();
  const comparedOn = new Map<string, number>();
  const readMetrics = portalMetrics(context, requestCounts);
  const app = createApp(context, readMetrics);
  const metricsServer = createMetricsServer(context, readMetrics);
  const server = createHttpServer({
    app,
    answers,
    requests: requestCounts,
    timeRequest: createRequestTimer(registry),
    security: security.data,
    isTrusted: (address) => app.get('trust proxy fn')(address, 0),
  });

  return {
    server,
    metricsServer,
    refresh: async () => {
      await provenWallets.check();
      await storeWatch.check();
      await spaceWatch.check();
      await refresh({ follower, snapshot, hub }, now);
    },
    closeTestCards: () => closeTestCards(context),
    checkCardStakes: async (signal) => {
      await checkCardStakes(context, { comparedOn, signal });
      if (!signal?.aborted) await notifyNewSpends(context);
    },
    figureInputs,
    readiness: readinessNow,
    isDiskSpaceLow: context.isDiskSpaceLow,
    alertSources: { ...context, diskReserveBytes: dependencies.disk.reserveBytes },
    openExtendedBook: async () => context.openExtendedBook?.(),
    streamCount: () => hub.size,
    notifyRecordsChanged: (part) => adminStreams.queueChange(part),
    close: async () => {
      hub.close();
      adminStreams.close();
      metricsServer?.close();
      metricsServer?.closeAllConnections();
      const closeTimer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(closeTimer);
      await storeWatch.whenSaved();
    },
  };
}
