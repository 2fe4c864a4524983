import { adminAuditTrail } from './admin-audit-trail.ts';
import { adminChat } from './admin-chat.ts';
import { addNote, decideApplication, decideRequest, retryDelivery, voteOnLoan } from './admin-decisions.ts';
import { erasePerson } from './admin-erasures.ts';
import {
  exportApplications,
  exportContacts,
  exportDeliveryLogs,
  exportLoans,
  exportRequests,
  loanDocument,
} from './admin-files.ts';
import { adminRecord } from './admin-record.ts';
import {
  adminApplications,
  adminContacts,
  adminDeliveryLogs,
  adminLoans,
  adminRequests,
  searchApplications,
  searchContacts,
  searchDeliveryLogs,
  searchLoans,
  searchRequests,
} from './admin-records.ts';
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
import {
  applicationStatus,
  requestVerification,
  submitApplication,
  submitApplicationV2,
} from './applications.ts';
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
import { submitContactMessage } from './contact.ts';
import { cardEligibility } from './eligibility.ts';
import { history } from './history.ts';
import { applyForLoan } from './loan.ts';
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
  sendTestApplication,
  sendTestMessage,
  telegramDiagnostics,
  telegramNewDiagnostics,
} from './telegram.ts';
import { verifyBdTokens } from './verification.ts';
import { walletChallenge, walletProof, walletSession, walletSignOut } from './wallet-session.ts';

/** Every call of the API. A call that is not listed here is not served. */
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
  adminApplications,
  searchApplications,
  adminContacts,
  searchContacts,
  adminRequests,
  searchRequests,
  adminLoans,
  searchLoans,
  adminDeliveryLogs,
  searchDeliveryLogs,
  adminRecord,
  decideApplication,
  decideRequest,
  voteOnLoan,
  addNote,
  retryDelivery,
  exportApplications,
  exportContacts,
  exportDeliveryLogs,
  exportRequests,
  exportLoans,
  loanDocument,
  erasePerson,
];
