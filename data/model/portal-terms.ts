/** Waiting times for the portal and the team. The team's times are goals that the project states. */
export const SERVICE_TIMES = {
  /** The maximum duration of an automatic check of a wallet. */
  verificationSeconds: 60,
  /** Manual verification, requested by the short form and by the full one. */
  shortReviewHours: 24,
  fullReviewHours: [24, 48],
  applicationReviewHours: 24,
  cardProcessingHours: [24, 48],
  emailHours: 24,
  chatHours: [2, 4],
  priorityHours: 1,
  /** An answer to a request about personal data. */
  privacyDays: 30,
} as const;

/** Limits that the portal sets for its visitors, its team and its own records. */
export const PORTAL_LIMITS = {
  minimumAgeYears: 18,
  /** Characters of one question to the assistant. */
  chatQuestionLength: 500,
  /** How long verdicts are shown to the team, and transcripts kept if the operator stores them. */
  chatVerdictDays: 30,
  chatTranscriptDays: 30,
  /** How many unanswered questions the team sees. */
  unansweredListed: 100,
  /** The maximum validity of a message that proves a wallet. */
  signInMinutes: 5,
  /** The days that the team's overview counts as recent. */
  recentDays: 7,
  adminIdleMinutes: 30,
  adminSessionHours: 12,
  /** Megabytes of one uploaded document. */
  uploadMegabytes: 10,
  /** The maximum duration of sending a form with documents, over a slow connection. */
  uploadMinutes: 5,
  /** Documents are deleted this long after the decision on their application. */
  documentRetentionDays: 90,
} as const;
