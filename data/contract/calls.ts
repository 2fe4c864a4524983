import { adminAuditTrail } from './admin-audit-trail.ts';
import { decideCard } from './admin-cards.ts';
import * as assistant from './admin-chat.ts';
import * as decisions from './admin-decisions.ts';
import { erasePerson } from './admin-erasures.ts';
import { EXPORT_CALLS, loanDocument } from './admin-files.ts';
import { LIST_CALLS } from './admin-lists.ts';
import { adminRecord } from './admin-record.ts';
import * as account from './admin-session.ts';
import { adminStats } from './admin-stats.ts';
import * as team from './admin-team.ts';
import * as totp from './admin-totp.ts';
import type { Call } from './call.ts';
import * as cards from './cards.ts';
import { chatDuckling, chatVerdict } from './chat.ts';
import { cardEligibility } from './eligibility.ts';
import { history } from './history.ts';
import { loanNoteDocument } from './loan-note-document.ts';
import * as metrics from './metrics.ts';
import { networkHealth } from './network.ts';
import { walletPosition } from './position.ts';
import * as stakeOrder from './stake-order.ts';
import * as stakes from './stakes.ts';
import * as submissions from './submissions.ts';
import * as telegram from './telegram.ts';
import { verifyBdTokens } from './verification.ts';
import * as wallet from './wallet-session.ts';

/** Every call of the API. Other calls are not served. */
export const CALLS: readonly Call[] = [
  metrics.vaultLiveBalance,
  metrics.vaultMetrics,
  metrics.stakingTotal,
  metrics.realStaking,
  metrics.analyticsOverview,
  metrics.tradingMarketData,
  metrics.tokenMarketData,
  metrics.transactions,
  stakes.stakingTransfers,
  stakes.enhancedStakers,
  stakes.programSummary,
  networkHealth,
  history,
  verifyBdTokens,
  cardEligibility,
  walletPosition,
  wallet.walletChallenge,
  wallet.walletProof,
  wallet.walletSession,
  wallet.walletSignOut,
  submissions.submitApplication,
  submissions.submitApplicationV2,
  submissions.requestVerification,
  submissions.applicationStatus,
  submissions.submitContactMessage,
  submissions.applyForLoan,
  submissions.confirmMailbox,
  cards.createCard,
  cards.myCard,
  cards.revealCard,
  cards.freezeCard,
  cards.unfreezeCard,
  cards.cardUsage,
  cards.cardFunding,
  cards.issuerWebhook,
  stakeOrder.availableForStake,
  stakeOrder.buildStake,
  stakeOrder.submitStake,
  stakeOrder.stakeProgress,
  account.adminSetupState,
  account.adminSetup,
  account.adminLogin,
  account.adminLogout,
  account.adminSession,
  account.adminSessions,
  account.revokeAdminSession,
  account.changeOwnPassword,
  chatDuckling,
  chatVerdict,
  assistant.adminChat,
  assistant.tryQuestion,
  assistant.addPhrasing,
  assistant.addAnswer,
  assistant.withdrawAddition,
  assistant.dismissQuestions,
  adminAuditTrail,
  loanNoteDocument,
  totp.beginTotp,
  totp.confirmTotp,
  totp.disableTotp,
  totp.renewRecoveryCodes,
  team.team,
  team.addToTeam,
  team.changeRole,
  team.disableAdmin,
  team.enableAdmin,
  team.resetPassword,
  telegram.telegramDiagnostics,
  telegram.telegramNewDiagnostics,
  telegram.sendTestMessage,
  telegram.sendTestApplication,
  adminStats,
  ...Object.values(LIST_CALLS).flatMap(({ page, search }) => [page, search]),
  adminRecord,
  decisions.decideApplication,
  decisions.decideRequest,
  decideCard,
  decisions.voteOnLoan,
  decisions.addNote,
  decisions.retryDelivery,
  ...Object.values(EXPORT_CALLS),
  loanDocument,
  erasePerson,
];
