import type { ListId } from '../model/admin-lists.ts';
import type { EmbeddedFigureName } from './embeds.ts';

/*
 * Every path and header of the API. Each path is a separate constant, and this module imports no schema, so that the build
 * can inline the paths into the browser's scripts (`inlineConst` in astro.config.mjs).
 */

/** Identifies one submission. For a limited time, a request with the same key and body gets the same response again. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** Holds the token from the one-time setup link that the server prints. */
export const SETUP_TOKEN_HEADER = 'X-Setup-Token';

/** If the body of a response is an array, these headers contain the figure's state, read time and slot. */
export const FIGURE_HEADERS = {
  state: 'X-Figure-State',
  asOf: 'X-Figure-As-Of',
  slot: 'X-Figure-Slot',
} as const;

// Figures.
export const vaultLiveBalance = '/api/vault/live-balance';
export const vaultMetrics = '/api/vault/metrics';
export const stakingTotal = '/api/staking/total';
export const realStaking = '/api/analytics/real-staking';
export const analyticsOverview = '/api/analytics/overview';
export const tradingMarketData = '/api/trading/market-data';
export const tokenMarketData = '/api/token/market-data';
export const transactions = '/api/transactions';
export const stakingTransfers = '/api/staking/transfers';
export const enhancedStakers = '/api/stakers/enhanced';
export const programSummary = '/api/staking/program-summary';
export const stakeDistribution = '/api/staking/distribution';
export const networkHealth = '/api/network/health';
export const history = '/api/history';
/** The event stream. */
export const live = '/api/live';
/**
 * Query parameter of the stream: the version that the client has. The stream then starts with the changes since that version.
 */
export const liveSince = 'since';

// Wallets.
export const verifyBdTokens = '/api/verify-bd-tokens';
/** The event stream of one verification. */
export const verificationSteps = '/api/verify-bd-tokens/steps';
export const cardEligibility = '/api/virtual-card/eligibility';
export const walletPosition = '/api/wallet/position';
export const walletHistory = '/api/wallet/history';
export const walletHistoryExport = '/api/wallet/history/export';
export const stakeHistory = '/api/wallet/stake-history';
export const walletName = '/api/wallet/name';
export const walletChallenge = '/api/wallet/challenge';
export const walletProof = '/api/wallet/proof';
export const walletSession = '/api/wallet/session';
export const walletSignOut = '/api/wallet/sign-out';
export const reminders = '/api/wallet/reminders';
export const addReminder = '/api/wallet/reminders/add';
export const removeReminder = '/api/wallet/reminders/remove';
export const confirmReminder = '/api/reminders/confirm';
export const stopReminder = '/api/reminders/stop';
export const createTelegramAnswerLink = '/api/card/answers-in-telegram';
export const availableForStake = '/api/staking/available';
export const buildStake = '/api/staking/build';
export const buildUnstake = '/api/staking/build-unstake';
export const submitStake = '/api/staking/submit';
export const stakeProgress = '/api/staking/progress';
/** A Solana Action. Solana Pay QR codes contain the same URL. */
export const stakeAction = '/api/actions/stake';

// Forms.
export const submitApplication = '/api/card/submit-application';
export const submitApplicationV2 = '/api/card/submit-application-v2';
export const requestVerification = '/api/whitelist/request-verification';
export const applicationStatus = '/api/card/application-status';
export const submitContactMessage = '/api/contact/submit';
export const applyForLoan = '/api/convertible-loan';
export const confirmMailbox = '/api/convertible-loan/confirm-mailbox';
export const loanNoteDocument = '/api/pdf/loan-note';

// Cards.
export const createCard = '/api/virtual-card/create';
export const myCard = '/api/virtual-card/mine';
export const revealCard = '/api/virtual-card/reveal';
export const freezeCard = '/api/virtual-card/freeze';
export const unfreezeCard = '/api/virtual-card/unfreeze';
export const changeCardLimits = '/api/virtual-card/limits';
export const setSpendNotices = '/api/virtual-card/spend-notices';
export const closeCard = '/api/virtual-card/close';
export const cardUsage = '/api/virtual-card/usage';
export const cardTopUps = '/api/virtual-card/top-ups';
export const cardFunding = '/api/virtual-card/funding';
export const issuerWebhook = '/api/card-issuer/webhook';

// The assistant.
export const chatDuckling = '/api/chat/duckling';
export const chatVerdict = '/api/chat/verdict';

// The team: accounts and sessions.
export const adminSetupState = '/api/admin/setup-state';
export const adminSetup = '/api/admin/setup';
export const adminLogin = '/api/admin/login';
export const adminLogout = '/api/admin/logout';
export const adminSession = '/api/admin/session';
export const adminSessions = '/api/admin/sessions';
export const revokeAdminSession = '/api/admin/sessions/revoke';
export const changeOwnPassword = '/api/admin/password';
export const beginTotp = '/api/admin/totp/begin';
export const confirmTotp = '/api/admin/totp/confirm';
export const disableTotp = '/api/admin/totp/disable';
export const renewRecoveryCodes = '/api/admin/totp/recovery-codes';
export const passkeyChallenge = '/api/admin/passkeys/challenge';
export const signInWithPasskey = '/api/admin/passkeys/sign-in';
export const passkeys = '/api/admin/passkeys';
export const beginPasskey = '/api/admin/passkeys/begin';
export const addPasskey = '/api/admin/passkeys/add';
export const removePasskey = '/api/admin/passkeys/remove';
export const team = '/api/admin/team';
export const inviteToTeam = '/api/admin/team/invite';
export const changeRole = '/api/admin/team/role';
export const disableAdmin = '/api/admin/team/disable';
export const enableAdmin = '/api/admin/team/enable';
export const resetPassword = '/api/admin/team/reset-password';
export const withdrawLink = '/api/admin/team/withdraw-link';
export const readAdminLink = '/api/admin/link';
export const useAdminLink = '/api/admin/link/use';
export const webhooks = '/api/admin/webhooks';
export const webhookDeliveries = '/api/admin/webhooks/deliveries';
export const addWebhook = '/api/admin/webhooks/add';
export const changeWebhook = '/api/admin/webhooks/change';
export const rollWebhookSecret = '/api/admin/webhooks/roll-secret';
export const pauseWebhook = '/api/admin/webhooks/pause';
export const resumeWebhook = '/api/admin/webhooks/resume';
export const removeWebhook = '/api/admin/webhooks/remove';
export const testWebhook = '/api/admin/webhooks/test';
export const retryWebhook = '/api/admin/webhooks/retry';

// The team: records.
export const adminStats = '/api/admin/dashboard/stats';
export const adminList = <List extends ListId>(list: List) => `/api/admin/${list}` as const;
export const adminReports = '/api/admin/reports';
export const weeklyReport = '/api/admin/weekly-report';
export const setWeeklyReport = '/api/admin/weekly-report/set';
export const confirmWeeklyReport = '/api/admin/weekly-report/confirm';
export const stopWeeklyReport = '/api/admin/weekly-report/stop';
export const adminSearch = '/api/admin/search';
export const adminRecord = '/api/admin/record';
export const otherRecords = '/api/admin/record/others';
export const decideApplication = '/api/admin/applications/decide';
export const decideCard = '/api/admin/cards/decide';
export const adminTopUps = '/api/admin/top-ups';
export const bookTopUp = '/api/admin/top-ups/book';
export const settleTopUp = '/api/admin/top-ups/settle';
export const decideRequest = '/api/admin/verification-requests/decide';
export const voteOnLoan = '/api/admin/loan-applications/vote';
export const moveContact = '/api/admin/contacts/status';
export const savedFilters = '/api/admin/filters';
export const saveFilter = '/api/admin/filters/save';
export const removeFilter = '/api/admin/filters/remove';
export const changeRecords = '/api/admin/records/change';
export const assignRecord = '/api/admin/records/assign';
export const reopenRecord = '/api/admin/records/reopen';
export const undoDecisions = '/api/admin/records/undo-all';
export const undoDecision = '/api/admin/records/undo';
export const mergeRecords = '/api/admin/records/merge';
export const endWaiting = '/api/admin/records/end-waiting';
export const splitRecord = '/api/admin/records/split';
export const openUndos = '/api/admin/records/undos';
/** The admins' event stream. */
export const adminLive = '/api/admin/live';
export const adminWork = '/api/admin/work';
export const assignees = '/api/admin/assignees';
export const adminMentions = '/api/admin/work/mentions';
export const markMentionsRead = '/api/admin/mentions/read';
export const mentionableAdmins = '/api/admin/mentionable';
export const addNote = '/api/admin/notes/add';
export const changeNote = '/api/admin/notes/change';
export const retryDelivery = '/api/admin/deliveries/retry';
export const adminConversation = '/api/admin/conversation';
export const sendReply = '/api/admin/conversation/reply';
export const previewReply = '/api/admin/conversation/preview';
export const attachFile = '/api/admin/conversation/attach';
export const detachFile = '/api/admin/conversation/detach';
export const conversationFile = '/api/admin/conversation/file';
export const retryFailedDeliveries = '/api/admin/deliveries/retry-failed';
export const correctAddress = '/api/admin/bounces/correct-address';
export const settleBounce = '/api/admin/bounces/settle';
export const adminExport = <List extends ListId>(list: List) => `/api/admin/export/${list}` as const;
export const loanDocument = '/api/admin/loan-documents';
export const erasePerson = '/api/admin/erasures';
export const adminAuditTrail = '/api/admin/audit-trail';
export const adminChat = '/api/admin/chat';
export const tryQuestion = '/api/admin/chat/try';
export const addPhrasing = '/api/admin/chat/phrasings/add';
export const addAnswer = '/api/admin/chat/answers/add';
export const withdrawAddition = '/api/admin/chat/additions/withdraw';
export const dismissQuestions = '/api/admin/chat/questions/dismiss';
export const telegramDiagnostics = '/api/telegram/diagnostics';
export const telegramPolledDiagnostics = '/api/telegram/new-diagnostics';
export const sendTestMessage = '/api/telegram/send-test';
export const sendTestApplication = '/api/telegram/send-test-application';

// For programs.
export const inboundMail = '/api/inbound-mail';
export const openApi = '/api/openapi.json';
export const healthz = '/healthz';
export const readyz = '/readyz';
export const prometheus = '/metrics';
/** The page that the admin area loads in a frame to show PDFs. */
export const pdfViewer = '/admin/pdf-viewer.htm';
export const securityTxt = '/.well-known/security.txt';

// For other sites. The names of the figures are in embeds.ts.
export const badge = <Name extends EmbeddedFigureName>(name: Name) => `/badge/${name}.svg` as const;
export const figuresWidget = '/embed/figures';
/** The API client for other programs: a module and its types. */
export const clientFiles = ['/developers/portal-client.js', '/developers/portal-client.d.ts'] as const;
/** Lists the site's Solana Actions for wallets. */
export const actionRules = '/actions.json';
export const actionIcon = '/icons/icon-512.png';
/** The JSON Feed of chain events. */
export const eventFeed = '/feed.json';

export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}

/** Whether a path is for the team, including calls without a session, such as signing in. */
export function isTeamPath(path: string): boolean {
  return path.startsWith('/api/admin/');
}
