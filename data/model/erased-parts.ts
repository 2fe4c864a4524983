/** The parts of a person's data that an erasure removes, with their labels. */
export const ERASED_PART_LABELS = {
  cardApplications: 'Card applications',
  verificationRequests: 'Verification requests',
  contactMessages: 'Contact messages',
  loanApplications: 'Loan applications',
  loanDocuments: 'Documents',
  loanVotes: 'Votes',
  notes: 'Team notes',
  conversation: 'Messages to and from the person',
  decisionReasons: 'Reasons for decisions',
  openUndos: 'Decisions that could be undone',
  timelineNotes: 'Notes in timelines',
  cancelledDeliveries: 'Mails and notices not yet sent',
  recipients: 'Recipient addresses',
  earlierAddresses: 'Corrected mail addresses',
  deliveryAttempts: 'Delivery log entries',
  webhookEvents: 'Webhook events, sent and not yet sent',
  repeatedAnswers: 'Responses stored for repeated requests',
  mailboxEntries: 'Mailbox entries',
  walletSessions: 'Wallet sessions',
  walletChallenges: 'Sign-in messages',
  provenWallets: 'Wallet proofs',
  whitelistedWallets: 'Whitelist entries',
  cardReasons: 'Reasons for decisions on cards',
  closedCards: 'Closed cards',
} as const;
export type ErasedPart = keyof typeof ERASED_PART_LABELS;
export const ERASED_PARTS = Object.keys(ERASED_PART_LABELS) as readonly ErasedPart[];
