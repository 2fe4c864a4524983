import { adminAuditTrail } from './admin-audit-trail.ts';
import * as bounces from './admin-bounces.ts';
import { changeRecords } from './admin-bulk.ts';
import { decideCard } from './admin-cards.ts';
import * as assistant from './admin-chat.ts';
import * as conversation from './admin-conversation.ts';
import * as decisions from './admin-decisions.ts';
import { erasePerson } from './admin-erasures.ts';
import { EXPORT_CALLS, FILTERED_EXPORT_CALLS, loanDocument } from './admin-files.ts';
import * as filters from './admin-filters.ts';
import * as links from './admin-links.ts';
import { LIST_CALLS } from './admin-lists.ts';
import * as mentions from './admin-mentions.ts';
import * as merges from './admin-merges.ts';
import * as passkeys from './admin-passkeys.ts';
import { adminRecord } from './admin-record.ts';
import * as reports from './admin-reports.ts';
import { adminSearch, otherRecords } from './admin-search.ts';
import * as account from './admin-session.ts';
import { adminStats } from './admin-stats.ts';
import * as team from './admin-team.ts';
import * as topUps from './admin-top-ups.ts';
import * as totp from './admin-totp.ts';
import * as webhooks from './admin-webhooks.ts';
import * as work from './admin-work.ts';
import type { Call } from './call.ts';
import * as cards from './cards.ts';
import { chatDuckling, chatVerdict } from './chat.ts';
import { cardEligibility } from './eligibility.ts';
import { history } from './history.ts';
import { inboundMail } from './inbound-mail.ts';
import { loanNoteDocument } from './loan-note-document.ts';
import * as metrics from './metrics.ts';
import { networkHealth } from './network.ts';
import { walletPosition } from './position.ts';
import * as reminders from './reminders.ts';
import * as stakeAction from './stake-action.ts';
import * as stakeOrder from './stake-order.ts';
import * as stakes from './stakes.ts';
import * as submissions from './submissions.ts';
import * as telegram from './telegram.ts';
import { verifyBdTokens } from './verification.ts';
import { stakeHistory, walletHistory, walletHistoryExport } from './wallet-history.ts';
import { walletName } from './wallet-name.ts';
import * as wallet from './wallet-session.ts';

/** A group of calls with a common subject, shown as a tag in the OpenAPI document. */
export interface CallGroup {
  readonly name: string;
  readonly description: string;
  readonly calls: readonly Call[];
}

export const CALL_GROUPS: readonly CallGroup[] = [
  {
    name: 'Figures',
    description: 'Live figures of the token, the vault, the stakers and the market.',
    calls: [
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
      stakes.stakeDistribution,
      stakes.programSummary,
      networkHealth,
      history,
    ],
  },
  {
    name: 'Wallets',
    description: 'What a wallet has staked, and the proof that a visitor owns it.',
    calls: [
      verifyBdTokens,
      cardEligibility,
      walletPosition,
      walletHistory,
      walletHistoryExport,
      stakeHistory,
      walletName,
      wallet.walletChallenge,
      wallet.walletProof,
      wallet.walletSession,
      wallet.walletSignOut,
      reminders.reminders,
      reminders.addReminder,
      reminders.removeReminder,
      reminders.confirmReminder,
      reminders.stopReminder,
    ],
  },
  {
    name: 'Staking',
    description: 'Stake orders: the wallet signs the transaction, and the portal sends it.',
    calls: [
      stakeOrder.availableForStake,
      stakeOrder.buildStake,
      stakeOrder.buildUnstake,
      stakeOrder.submitStake,
      stakeOrder.stakeProgress,
      stakeAction.stakeActionCard,
      stakeAction.stakeActionOrder,
    ],
  },
  {
    name: 'Forms',
    description: 'Applications, requests and messages of visitors, and their status.',
    calls: [
      submissions.submitApplication,
      submissions.submitApplicationV2,
      submissions.requestVerification,
      submissions.applicationStatus,
      reminders.createTelegramAnswerLink,
      submissions.submitContactMessage,
      submissions.applyForLoan,
      submissions.confirmMailbox,
      loanNoteDocument,
    ],
  },
  {
    name: 'Cards',
    description: 'The virtual card of the signed-in wallet.',
    calls: [
      cards.createCard,
      cards.myCard,
      cards.revealCard,
      cards.freezeCard,
      cards.unfreezeCard,
      cards.changeCardLimits,
      cards.setSpendNotices,
      cards.closeCard,
      cards.cardUsage,
      cards.cardFunding,
      cards.cardTopUps,
      cards.issuerWebhook,
    ],
  },
  {
    name: 'Assistant',
    description: 'Duckling answers questions about the portal.',
    calls: [chatDuckling, chatVerdict],
  },
  {
    name: 'Team accounts',
    description: 'Accounts and sessions of the team.',
    calls: [
      account.adminSetupState,
      account.adminSetup,
      account.adminLogin,
      account.adminLogout,
      account.adminSession,
      account.adminSessions,
      account.revokeAdminSession,
      account.changeOwnPassword,
      totp.beginTotp,
      totp.confirmTotp,
      totp.disableTotp,
      totp.renewRecoveryCodes,
      passkeys.passkeyChallenge,
      passkeys.signInWithPasskey,
      passkeys.passkeys,
      passkeys.beginPasskey,
      passkeys.addPasskey,
      passkeys.removePasskey,
      team.team,
      team.inviteToTeam,
      team.changeRole,
      team.disableAdmin,
      team.enableAdmin,
      team.resetPassword,
      team.withdrawLink,
      links.readAdminLink,
      links.useAdminLink,
      reports.weeklyReport,
      reports.setWeeklyReport,
      reports.confirmWeeklyReport,
      reports.stopWeeklyReport,
    ],
  },
  {
    name: 'Team records',
    description: 'What visitors submitted, and what the team decides about it.',
    calls: [
      adminStats,
      reports.adminReports,
      ...Object.values(LIST_CALLS).flatMap(({ page, search }) => [page, search]),
      adminSearch,
      adminRecord,
      otherRecords,
      decisions.decideApplication,
      decisions.decideRequest,
      decideCard,
      topUps.adminTopUps,
      topUps.bookTopUp,
      topUps.settleTopUp,
      decisions.voteOnLoan,
      decisions.reopenRecord,
      decisions.openUndos,
      decisions.undoDecision,
      decisions.undoDecisions,
      ...Object.values(merges),
      work.adminWork,
      work.assignees,
      work.assignRecord,
      work.endWaiting,
      changeRecords,
      ...Object.values(filters),
      work.moveContact,
      decisions.addNote,
      decisions.changeNote,
      mentions.adminMentions,
      mentions.mentionableAdmins,
      mentions.markMentionsRead,
      decisions.retryDelivery,
      conversation.adminConversation,
      conversation.conversationFile,
      conversation.sendReply,
      conversation.previewReply,
      conversation.attachFile,
      conversation.detachFile,
      inboundMail,
      ...Object.values(bounces),
      ...Object.values(EXPORT_CALLS),
      ...Object.values(FILTERED_EXPORT_CALLS),
      loanDocument,
      erasePerson,
      adminAuditTrail,
    ],
  },
  {
    name: 'Team channels',
    description: 'The team’s additions to the assistant, Telegram diagnostics, and webhooks.',
    calls: [
      assistant.adminChat,
      assistant.tryQuestion,
      assistant.addPhrasing,
      assistant.addAnswer,
      assistant.withdrawAddition,
      assistant.dismissQuestions,
      telegram.telegramDiagnostics,
      telegram.telegramPolledDiagnostics,
      telegram.sendTestMessage,
      telegram.sendTestApplication,
      webhooks.webhookEndpoints,
      webhooks.webhookDeliveries,
      webhooks.addWebhook,
      webhooks.changeWebhook,
      webhooks.rollWebhookSecret,
      webhooks.pauseWebhook,
      webhooks.resumeWebhook,
      webhooks.removeWebhook,
      webhooks.testWebhook,
      webhooks.retryWebhook,
    ],
  },
];

export const CALLS: readonly Call[] = CALL_GROUPS.flatMap(({ calls }) => calls);
