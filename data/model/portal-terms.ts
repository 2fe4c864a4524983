/** How long visitors wait for the portal and for the team. The team's times are goals that the project states. */
export const SERVICE_TIMES = {
  /** The maximum duration of an automatic check of a wallet. */
  verificationSeconds: 60,
  /** How long a manual verification takes: `short…` if requested with the inline form, `full…` if with the modal. */
  shortReviewHours: 24,
  fullReviewHours: [24, 48],
  applicationReviewHours: 24,
  cardProcessingHours: [24, 48],
  /** How long the team takes to credit a top-up by hand. */
  topUpHours: [24, 48],
  emailHours: 24,
  chatHours: [2, 4],
  priorityHours: 1,
  /** How long the team takes to answer a request about personal data. */
  privacyDays: 30,
} as const;

/** Limits that the portal sets for its visitors, its team and its own records. */
export const PORTAL_LIMITS = {
  minimumAgeYears: 18,
  /** The longest question to the assistant, in characters. */
  chatQuestionLength: 500,
  /** How many earlier questions the assistant takes into account for a short question, and how old they can be. */
  chatEarlierQuestions: 2,
  chatEarlierMinutes: 10,
  /** How long the team can see verdicts on answers, and how long transcripts are kept if the operator stores them. */
  chatVerdictDays: 30,
  chatTranscriptDays: 30,
  maxUnansweredGroups: 100,
  /** A dismissed group of questions comes back once its questions have been asked this many more times. */
  questionReappearsAfter: 5,
  /** How many questions with answers the team can add to the assistant, which reloads all of them after each change. */
  maxAdditions: 500,
  /** The maximum length, in characters, of a question or alternative wording that the team adds. */
  additionQuestionLength: 160,
  /** The maximum length, in characters, of an answer that the team adds. The assistant shows such an answer in full. */
  additionAnswerLength: 700,
  /** How long a wallet's sign-in message, or a passkey's challenge, is valid. */
  signInMinutes: 5,
  /** How many days count as recent in the team's overview. */
  recentDays: 7,
  adminIdleMinutes: 30,
  adminSessionHours: 12,
  maxPasskeys: 10,
  /** How long a link to join the team, or to set a new password, is valid. */
  adminLinkHours: 72,
  /** The maximum size of one uploaded document. */
  uploadMegabytes: 10,
  /** How long it may take to send a form with documents over a slow connection. */
  uploadMinutes: 5,
  /** An applicant must confirm the mailbox within this time. Otherwise the documents are deleted. */
  mailboxConfirmationHours: 48,
  /** Documents are deleted this long after the decision on their application. */
  documentRetentionDays: 90,
  /** A contact message is deleted this long after the team closed it. */
  messageRetentionDays: 365,
  /** A card is closed this long after the portal found that its stake was gone. */
  lostStakeDays: 30,
  /** How long a wallet must wait for a new card after its holder closed one. Otherwise, holders could order cards endlessly. */
  newCardHours: 24,
  /** A stored payment is deleted this long after the card's holder was notified of it. */
  spendRetentionDays: 90,
  reminderLinkHours: 24,
  /** How long a link that connects a chat is valid. */
  chatLinkMinutes: 60,
  /** How many reminders a wallet can have on one channel, and how many can be requested for one mailbox in a day. */
  remindersPerChannel: 5,
  reminderMailsPerDay: 5,
  /** Reminders are deleted once the wallet has had no stake for this long. */
  reminderIdleDays: 30,
  /** How long an admin's request to close a card waits for a second admin. */
  cardClosingHours: 24,
} as const;
