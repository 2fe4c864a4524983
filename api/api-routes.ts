import { apiOriginOf } from '../data/config/api-origin.ts';
import { CALL_GROUPS } from '../data/contract/calls.ts';
import * as PATHS from '../data/contract/paths.ts';
import { bounceRoutes } from './admin/records/bounce-routes.ts';
import { bulkRoute } from './admin/records/bulk-route.ts';
import { decisionRoutes } from './admin/records/decision-routes.ts';
import { conversationFileRoute, documentRoute } from './admin/records/document-route.ts';
import { exportRoutes } from './admin/records/export-routes.ts';
import { filterRoutes } from './admin/records/filter-routes.ts';
import { listRoutes } from './admin/records/list-routes.ts';
import { mergeRoutes } from './admin/records/merge-routes.ts';
import { otherRecordsRoute } from './admin/records/other-records-route.ts';
import { recordRoute } from './admin/records/record-route.ts';
import { searchRoute } from './admin/records/search-route.ts';
import { statsRoute } from './admin/records/stats-route.ts';
import { workRoutes } from './admin/records/work-routes.ts';
import { teamAccountRoutes } from './admin/team-account-routes.ts';
import { applicationRoutes } from './applications/application-routes.ts';
import { applicationStatusRoute } from './applications/status-route.ts';
import { verificationRequestRoute } from './applications/verification-request-route.ts';
import type { ApiRoute } from './call-router.ts';
import { closeRoute } from './cards/close-route.ts';
import { createRoute } from './cards/create-route.ts';
import { freezeRoutes } from './cards/freeze-routes.ts';
import { issuerWebhookRoute } from './cards/issuer-webhook-route.ts';
import { limitsRoute } from './cards/limits-route.ts';
import { readRoutes } from './cards/read-routes.ts';
import { revealRoute } from './cards/reveal-route.ts';
import { spendNoticesRoute } from './cards/spend-notices.ts';
import { topUpRoutes } from './cards/top-ups/top-up-routes.ts';
import { adminChatRoutes } from './chat/admin-chat-routes.ts';
import { chatRoutes } from './chat/chat-routes.ts';
import { contactRoute } from './contact/contact-route.ts';
import { conversationRoutes } from './conversation/conversation-routes.ts';
import { forwardedMailRoute } from './conversation/forwarded-mail-route.ts';
import { ApiError } from './errors.ts';
import { historyRoute } from './history/history.ts';
import { adminLiveRoute } from './live/admin-streams.ts';
import { liveRoute } from './live/stream-hub.ts';
import { loanRoute } from './loan/loan-route.ts';
import { confirmMailboxRoute } from './loan/mailbox-confirmation.ts';
import { loanNoteRoute } from './loan-note/loan-note-route.ts';
import { type CachedAnswer, cachedFigureAnswer, sendAnswer } from './metrics/cached-answer.ts';
import { FIGURES } from './metrics/figures.ts';
import type { PortalContext } from './portal-context.ts';
import { reminderRoutes } from './reminders/reminder-routes.ts';
import { reportRoutes } from './reports/report-routes.ts';
import { orderRoutes } from './stake-order/stake-orders.ts';
import { telegramRoutes } from './telegram/telegram-routes.ts';
import { eligibilityRoute } from './verification/eligibility-route.ts';
import { verifyRoute } from './verification/verify-route.ts';
import { verifyStepsRoute } from './verification/verify-steps-route.ts';
import { walletHistoryRoutes } from './wallet/history-routes.ts';
import { positionRoute } from './wallet/position-route.ts';
import { sessionRoutes } from './wallet/session-routes.ts';
import { nameRoute } from './wallet/sol-names.ts';

function cachedRoute(path: ApiRoute['path'], answers: ReadonlyMap<string, CachedAnswer>): ApiRoute {
  return {
    method: 'GET',
    path,
    handle: (request, response) => {
      const answer = answers.get(path);
      if (!answer) throw new ApiError('not-indexed-yet');
      sendAnswer(answer, request, response);
    },
  };
}

/**
 * Builds the OpenAPI document on the first request for it, because that takes a tenth of a second. Later requests get the stored
 * response and do not reach this route.
 */
function openApiRoute({
  answers,
  security,
  version,
  rateLimits: limits,
  ...origins
}: PortalContext): ApiRoute {
  return {
    method: 'GET',
    path: PATHS.openApi,
    handle: async (request, response) => {
      const { openApiDocument } = await import('../data/openapi/document.ts');
      const options = { version, apiOrigin: apiOriginOf(origins), limits };
      const json = JSON.stringify(openApiDocument(CALL_GROUPS, options));
      const answer = cachedFigureAnswer({ json }, security.publicData);
      answers.set(PATHS.openApi, answer);
      sendAnswer(answer, request, response);
    },
  };
}

export function apiRoutes(context: PortalContext): readonly ApiRoute[] {
  return [
    ...FIGURES.map(({ call }) => cachedRoute(call.path, context.answers)),
    openApiRoute(context),
    liveRoute(context.hub),
    adminLiveRoute(context.adminStreams, context.authorize),
    historyRoute(context),
    verifyRoute(context),
    verifyStepsRoute(context),
    eligibilityRoute(context),
    positionRoute(context),
    ...walletHistoryRoutes(context),
    nameRoute(context),
    ...sessionRoutes(context),
    ...reminderRoutes(context),
    ...applicationRoutes(context),
    verificationRequestRoute(context),
    applicationStatusRoute(context),
    contactRoute(context),
    loanRoute(context),
    confirmMailboxRoute(context),
    loanNoteRoute(context),
    createRoute(context),
    revealRoute(context),
    ...freezeRoutes(context),
    limitsRoute(context),
    spendNoticesRoute(context),
    closeRoute(context),
    ...readRoutes(context),
    issuerWebhookRoute(context),
    ...topUpRoutes(context),
    ...orderRoutes(context),
    ...chatRoutes(context),
    ...teamAccountRoutes(context),
    ...reportRoutes(context),
    statsRoute(context),
    ...listRoutes(context),
    searchRoute(context),
    recordRoute(context),
    otherRecordsRoute(context),
    ...decisionRoutes(context),
    ...conversationRoutes(context),
    forwardedMailRoute(context),
    ...bounceRoutes(context),
    ...workRoutes(context),
    bulkRoute(context),
    ...mergeRoutes(context),
    ...filterRoutes(context),
    ...exportRoutes(context),
    documentRoute(context),
    conversationFileRoute(context),
    ...adminChatRoutes(context),
    ...telegramRoutes(context),
  ];
}
