import { adminAuditTrail } from './admin-audit-trail.ts';
import { adminChat } from './admin-chat.ts';
import { addNote, decideApplication, decideRequest, retryDelivery, voteOnLoan } from './admin-decisions.ts';
import { erasePerson } from './admin-erasures.ts';
import { EXPORT_CALLS, loanDocument } from './admin-files.ts';
import { LIST_CALLS } from './admin-lists.ts';
import { adminRecord } from './admin-record.ts';
import {
  adminLogin,
  adminLogout,
  adminSession,
  adminSessions,
  adminSetup,
  adminSetupState,
  changeOwnPassword,
  revokeAdminSession,
} from './admin-session.ts';
import { adminStats } from './admin-stats.ts';
import { addToTeam, changeRole, disableAdmin, enableAdmin, resetPassword, team } from './admin-team.ts';
import { beginTotp, confirmTotp, disableTotp, renewRecoveryCodes } from './admin-totp.ts';
import type { Call } from './call.ts';
import {
  cardFunding,
  cardUsage,
  createCard,
  freezeCard,
  issuerWebhook,
  myCard,
  revealCard,
  unfreezeCard,
} from './cards.ts';
import { chatDuckling, chatVerdict } from './chat.ts';
import { cardEligibility } from './eligibility.ts';
import { history } from './history.ts';
import { loanNoteDocument } from './loan-note-document.ts';
import {
  analyticsOverview,
  realStaking,
  stakingTotal,
  tokenMarketData,
  tradingMarketData,
  transactions,
  vaultLiveBalance,
  vaultMetrics,
} from './metrics.ts';
import { networkHealth } from './network.ts';
import { walletPosition } from './position.ts';
import { buildStake, stakeProgress, submitStake } from './stake-order.ts';
import { enhancedStakers, programSummary, stakingTransfers } from './stakes.ts';
import {
  applicationStatus,
  applyForLoan,
  requestVerification,
  submitApplication,
  submitApplicationV2,
  submitContactMessage,
} from './submissions.ts';
import {
  sendTestApplication,
  sendTestMessage,
  telegramDiagnostics,
  telegramNewDiagnostics,
} from './telegram.ts';
import { verifyBdTokens } from './verification.ts';
import { walletChallenge, walletProof, walletSession, walletSignOut } from './wallet-session.ts';

/** Every call of the API. Other calls are not served. */
export const CALLS: readonly Call[] = [
  vaultLiveBalance,
  vaultMetrics,
  stakingTotal,
  realStaking,
  analyticsOverview,
  tradingMarketData,
  tokenMarketData,
  transactions,
  stakingTransfers,
  enhancedStakers,
  programSummary,
  networkHealth,
  history,
  verifyBdTokens,
  cardEligibility,
  walletPosition,
  walletChallenge,
  walletProof,
  walletSession,
  walletSignOut,
  submitApplication,
  submitApplicationV2,
  requestVerification,
  applicationStatus,
  submitContactMessage,
  applyForLoan,
  createCard,
  myCard,
  revealCard,
  freezeCard,
  unfreezeCard,
  cardUsage,
  cardFunding,
  issuerWebhook,
  buildStake,
  submitStake,
  stakeProgress,
  adminSetupState,
  adminSetup,
  adminLogin,
  adminLogout,
  adminSession,
  adminSessions,
  revokeAdminSession,
  changeOwnPassword,
  chatDuckling,
  chatVerdict,
  adminChat,
  adminAuditTrail,
  loanNoteDocument,
  beginTotp,
  confirmTotp,
  disableTotp,
  renewRecoveryCodes,
  team,
  addToTeam,
  changeRole,
  disableAdmin,
  enableAdmin,
  resetPassword,
  telegramDiagnostics,
  telegramNewDiagnostics,
  sendTestMessage,
  sendTestApplication,
  adminStats,
  ...Object.values(LIST_CALLS).flatMap(({ page, search }) => [page, search]),
  adminRecord,
  decideApplication,
  decideRequest,
  voteOnLoan,
  addNote,
  retryDelivery,
  ...Object.values(EXPORT_CALLS),
  loanDocument,
  erasePerson,
];
