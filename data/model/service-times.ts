/** How long members wait for the portal and the people behind it. Times of people are aims, as the project states them. */
export const SERVICE_TIMES = {
  /** The longest that an automatic check of a wallet takes. */
  verificationSeconds: 60,
  /** Review of a stake by a person: asked for by the short form, and by the full one. */
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
