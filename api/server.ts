import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import express from 'express';
import { Registry } from 'prom-client';
import { CALLS } from '../data/contract/calls.ts';
import { LIVE_PATH } from '../data/contract/live.ts';
import { adminArea } from './admin/admin-area.ts';
import { auditTrailRoute } from './admin/audit-trail-route.ts';
import { documentRoute } from './admin/records/document-route.ts';
import { recordRoutes } from './admin/records/record-routes.ts';
import { applicationRoutes } from './applications/application-routes.ts';
import { applicationStatusRoute, STATUS_LOOKS_PER_MINUTE } from './applications/status-route.ts';
import { SUBMISSIONS_PER_MINUTE } from './applications/take-submission.ts';
import { verificationRequestRoute } from './applications/verification-request-route.ts';
import { type CardDesk, UnderWay } from './cards/card-desk.ts';
import { cardRoutes } from './cards/card-routes.ts';
import { resumeCards } from './cards/resume-cards.ts';
import { adminChatRoute } from './chat/admin-chat-route.ts';
import { chatRoutes, QUESTIONS_PER_MINUTE } from './chat/chat-routes.ts';
import { answerConnectionFaults } from './connection-faults.ts';
import { contactRoute } from './contact/contact-route.ts';
import { UploadRoom } from './documents/upload-room.ts';
import { errorHandler } from './error-handler.ts';
import { MalformedTargetError, MissingHostError, NotIndexedYetError } from './errors.ts';
import { HistoryAnswers } from './history/history-answers.ts';
import { historyRoute } from './history/history-route.ts';
import { jsonBody } from './json-body.ts';
import { type ApiRoute, isApiPath, knownCalls } from './known-calls.ts';
import { liveRoute } from './live/live-route.ts';
import { DEFAULT_STREAM_LIMITS, StreamHub } from './live/stream-hub.ts';
import { loanRoute } from './loan/loan-route.ts';
import { loanNoteRoute } from './loan-note/loan-note-route.ts';
import { type CachedAnswer, errorAnswer, figureAnswer, sendAnswer } from './metrics/cached-answer.ts';
import type { Facts } from './metrics/facts.ts';
import { FIGURES } from './metrics/figures.ts';
import { createHotReads } from './metrics/hot-reads.ts';
import { IndexFollower } from './metrics/index-follower.ts';
import { LiveSnapshot } from './metrics/live-snapshot.ts';
import { refresh } from './metrics/refresh.ts';
import { OPENAPI_PATH, openApiDocument } from './openapi/document.ts';
import { OPERATIONS_PATHS, operationsRoutes } from './operations/operations-routes.ts';
import { portalMetrics } from './operations/portal-metrics.ts';
import { type Readiness, readiness } from './operations/readiness.ts';
import { CLIENT_LEFT, RequestCounts, type RouteClass } from './operations/request-counts.ts';
import { inlineScriptHashes } from './pages/inline-scripts.ts';
import { servePages } from './pages/serve-pages.ts';
import type { PortalDependencies } from './portal-dependencies.ts';
import { originForm } from './request-target.ts';
import { endRequestWithin } from './request-time.ts';
import { erasureRoute } from './retention/erasure-route.ts';
import { applyHeaders, securityHeaders } from './security/headers.ts';
import { refuseForeignOrigins } from './security/own-origin.ts';
import { limitCalls } from './security/rate-limit.ts';
import { orderRoutes } from './stake-order/order-routes.ts';
import { StakeOrders } from './stake-order/stake-orders.ts';
import { telegramDesk } from './telegram/telegram-desk.ts';
import { TESTS_PER_MINUTE, telegramRoutes } from './telegram/telegram-routes.ts';
import { stakeCheck } from './verification/check-stake.ts';
import { eligibilityRoute } from './verification/eligibility-route.ts';
import { VERIFICATIONS_PER_MINUTE, verifyRoute } from './verification/verify-route.ts';
import { verifyStepsRoute } from './verification/verify-steps-route.ts';
import { positionRoute } from './wallet/position-route.ts';
import { ProvenWallets } from './wallet/proven-wallets.ts';
import { SessionCookie } from './wallet/session-cookie.ts';
import { provenWalletReader, sessionRoutes } from './wallet/session-routes.ts';
import { signInTerms } from './wallet/sign-in-terms.ts';

export interface Portal {
  readonly server: Server;
  /** Looks at the index once, and brings answers and streams up to date. */
  refresh(): Promise<void>;
  /** Brings cards to an end whose making was cut off: once, at the start. */
  resumeCards(): Promise<void>;
  /** Everything the public figures are computed from, as of the newest look. */
  facts(): Facts;
  readiness(): Readiness;
  /** How many event streams are open. */
  streams(): number;
  /** Ends the streams, lets requests under way finish for a moment, and frees the port. */
  close(): Promise<void>;
}

const CALLS_PER_MINUTE = 300;
/** Milliseconds a client may take to send its headers, and its whole request. */
const HEADERS_WITHIN = 15_000;
const REQUEST_WITHIN = 30_000;
/** The same for a form with documents: twenty megabytes over a slow line. */
const UPLOAD_WITHIN = 300_000;
/** Pages ask again every few seconds: longer than their longest usual pause, so that they need no new connection. */
const KEEP_ALIVE = 65_000;
/** Calls whose forms hold files. */
const UPLOAD_PATHS: ReadonlySet<string> = new Set(
  CALLS.filter(({ files }) => files !== undefined).map(({ path }) => path),
);
/** Milliseconds that requests under way get when the server closes. */
const CLOSE_WITHIN = 2_000;

function cachedRoute(path: ApiRoute['path'], answers: ReadonlyMap<string, CachedAnswer>): ApiRoute {
  return {
    method: 'GET',
    path,
    handle: (request, response) => {
      const answer = answers.get(path);
      if (!answer) throw new NotIndexedYetError();
      sendAnswer(answer, request, response);
    },
  };
}

/** The kind of route that a target other than a figure's belongs to. */
function routeClassOf(target: string): RouteClass {
  const [path = ''] = target.split('?');
  if (path === LIVE_PATH) return 'stream';
  if (isApiPath(path)) return 'call';
  return OPERATIONS_PATHS.includes(path) ? 'operations' : 'page';
}

/** The portal's HTTP server: API, event stream and site on one origin. It does not listen yet. */
export function createPortal(dependencies: PortalDependencies): Portal {
  const { reader, store, site, log, clock, chain, publicOrigin, version, walletReaders } = dependencies;
  const clocks = { wall: clock, steady: dependencies.steadyClock ?? (() => performance.now()) };
  const security = securityHeaders({ publicOrigin, inlineScriptHashes: inlineScriptHashes(site.pages) });

  const proven = new ProvenWallets(store.sessions, log);
  const follower = new IndexFollower(reader, {
    source: chain,
    provenWallets: () => proven.known,
    log,
    steady: clocks.steady,
  });
  const facts = () => follower.facts;
  const readinessNow = () => readiness(facts(), follower.isReadable, clock());
  const snapshot = new LiveSnapshot({ figures: FIGURES, security: security.data, log, startedAt: clock() });
  const hub = new StreamHub(snapshot, { ...DEFAULT_STREAM_LIMITS, ...dependencies.streamLimits }, clocks);
  const { answers } = snapshot;
  answers.set(
    OPENAPI_PATH,
    figureAnswer({ json: JSON.stringify(openApiDocument(CALLS, version)) }, security.data),
  );

  const verificationsPerMinute = dependencies.verificationsPerMinute ?? VERIFICATIONS_PER_MINUTE;
  const verification = {
    facts,
    readers: walletReaders,
    now: clock,
    limit: limitCalls(verificationsPerMinute, 'verifications'),
    log,
  };
  const readProvenWallet =
    dependencies.readProvenWallet ?? provenWalletReader({ store: store.sessions, now: clock });
  const checkStake = dependencies.checkStake ?? stakeCheck(verification);
  const submissions = {
    store: store.applications,
    checkStake,
    readProvenWallet,
    now: clock,
    limit: limitCalls(dependencies.submissionsPerMinute ?? SUBMISSIONS_PER_MINUTE, 'submissions'),
  };
  const statusLooks = dependencies.statusLooksPerMinute ?? STATUS_LOOKS_PER_MINUTE;
  const { issuer, fundingAddress } = dependencies;
  const desk: CardDesk = { store, issuer, log, now: clock, underWay: new UnderWay() };
  const whitelistedTier =
    dependencies.whitelistedTier ?? ((wallet: string) => store.sessions.whitelistedTier(wallet));
  const cards = cardRoutes(desk, {
    checkStake,
    whitelistedTier,
    readProvenWallet,
    fundingAddress,
    callsPerMinute: dependencies.cardCallsPerMinute,
  });
  const admins = adminArea({
    store,
    now: clock,
    setupToken: dependencies.setupToken ?? null,
    masterKey: dependencies.masterKey,
    callsPerMinute: dependencies.adminCallsPerMinute,
  });
  const routes: ApiRoute[] = [
    ...FIGURES.map(({ call }) => cachedRoute(call.path, answers)),
    cachedRoute(OPENAPI_PATH, answers),
    liveRoute(hub),
    historyRoute(new HistoryAnswers({ reader, facts, clocks, security: security.data })),
    verifyRoute(verification),
    verifyStepsRoute({ ...verification, withinMs: dependencies.verificationWithinMs }),
    eligibilityRoute({ ...verification, whitelistedTier }),
    positionRoute({ facts, reader, now: clock }),
    ...sessionRoutes({
      store: store.sessions,
      proven,
      terms: signInTerms(publicOrigin, chain),
      cookie: new SessionCookie(publicOrigin),
      now: clock,
      proofsPerMinute: dependencies.proofsPerMinute,
    }),
    ...applicationRoutes(submissions),
    verificationRequestRoute(submissions),
    contactRoute({ store: store.contacts, now: clock, limit: submissions.limit }),
    applicationStatusRoute({
      stores: [store.applications, store.loans],
      limit: limitCalls(statusLooks, 'status-looks'),
    }),
    loanRoute({
      store: store.loans,
      masterKey: dependencies.masterKey,
      room: new UploadRoom(),
      now: clock,
      limit: submissions.limit,
    }),
    ...cards,
    ...orderRoutes(new StakeOrders({ reads: dependencies.stakeReads, facts, now: clock })),
    ...admins.routes,
    erasureRoute({
      store,
      admit: admins.admit,
      now: clock,
      ...(dependencies.erasing ?? { outboxFolder: null, backups: () => null }),
      onErased: () => proven.left(),
      perMinute: dependencies.adminCallsPerMinute,
    }),
    loanNoteRoute(site),
    ...telegramRoutes({
      desk:
        dependencies.telegram ?? telegramDesk({ bot: null, now: clock, origin: () => publicOrigin ?? '' }),
      admitAdmin: admins.admit,
      limit: limitCalls(dependencies.adminCallsPerMinute ?? TESTS_PER_MINUTE, 'telegram-tests'),
    }),
    documentRoute({
      store,
      masterKey: dependencies.masterKey,
      admit: admins.admit,
      now: clock,
      log,
      perMinute: dependencies.adminCallsPerMinute,
    }),
    ...recordRoutes({
      store,
      admit: admins.admit,
      now: clock,
      log,
      decimals: () => facts().index.identity?.decimals ?? null,
      readiness: () => readiness(facts(), follower.isReadable, clock()),
      pauses: dependencies.deliveryPauses ?? (() => new Map()),
      whitelisted: (walletAddress) => proven.joined(walletAddress),
      perMinute: dependencies.adminCallsPerMinute,
    }),
    auditTrailRoute({ store, admit: admins.admit }),
    adminChatRoute({ store: store.chat, admit: admins.admit, now: clock }),
    ...chatRoutes({
      openBook: dependencies.openChatBook ?? null,
      facts,
      store: store.chat,
      now: clock,
      log,
      askModel: dependencies.askModel,
      keepsTranscripts: dependencies.keepsTranscripts ?? false,
      limit: limitCalls(dependencies.questionsPerMinute ?? QUESTIONS_PER_MINUTE, 'questions'),
    }),
    ...(dependencies.routes ?? []),
  ];
  const api = express.Router();
  api.use(limitCalls(dependencies.callsPerMinute ?? CALLS_PER_MINUTE));
  api.use(knownCalls(routes, [refuseForeignOrigins(publicOrigin)], jsonBody()));

  const requests = new RequestCounts();
  const registry = dependencies.registry ?? new Registry();
  const metrics = portalMetrics(registry, {
    reader,
    facts,
    now: clock,
    streams: () => hub.size,
    chainReads: () =>
      walletReaders.staked.underWay + walletReaders.held.underWay + dependencies.stakeReads.underWay,
    requests,
  });

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // A proxy on this machine tells the client's address; from anywhere else the header is the client's own invention.
  app.set('trust proxy', 'loopback');
  app.use((request, response, next) => {
    const isApi = isApiPath(request.path);
    applyHeaders(response, isApi ? security.data : security.page);
    if (!isApi) {
      next();
      return;
    }
    // An answer that may be kept says so itself.
    response.setHeader('Cache-Control', 'no-store');
    api(request, response, next);
  });
  app.use(
    operationsRoutes({
      readiness: readinessNow,
      metrics,
      metricsType: registry.contentType,
    }),
  );
  app.use(servePages(site));
  app.use(errorHandler(log));

  const hotReads = createHotReads(answers);
  const malformedTarget = errorAnswer(new MalformedTargetError(), security.data);
  const missingHost = errorAnswer(new MissingHostError(), security.data);
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      sendAnswer(missingHost, request, response);
      return;
    }
    if (hotReads(request, response)) {
      requests.count('figure', response.statusCode);
      return;
    }
    const target = originForm(request.url ?? '');
    if (target === null) {
      sendAnswer(malformedTarget, request, response);
      return;
    }
    request.url = target;
    const routeClass = routeClassOf(target);
    response.once('close', () =>
      requests.count(routeClass, response.headersSent ? response.statusCode : CLIENT_LEFT),
    );
    if (!UPLOAD_PATHS.has(request.url)) endRequestWithin(REQUEST_WITHIN, server, request);
    app(request, response);
  };
  const server = createServer(
    {
      headersTimeout: HEADERS_WITHIN,
      requestTimeout: UPLOAD_WITHIN,
      keepAliveTimeout: KEEP_ALIVE,
      // Node would refuse without a word; the listener does it with the API's own.
      requireHostHeader: false,
      optimizeEmptyRequests: true,
    },
    listener,
  );
  server.on('checkExpectation', listener);
  answerConnectionFaults(server, security.data);

  return {
    server,
    refresh: async () => {
      await proven.follow();
      await refresh({ follower, snapshot, hub }, clock);
    },
    resumeCards: () => resumeCards(desk),
    facts,
    readiness: readinessNow,
    streams: () => hub.size,
    close: () => {
      hub.close();
      const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN);
      return new Promise((resolve) => {
        server.close(() => {
          clearTimeout(deadline);
          resolve();
        });
      });
    },
  };
}
