/** What the portal itself holds its visitors and its own memory to. */
export const PORTAL_LIMITS = {
  minimumAgeYears: 18,
  /** Characters of one question to the assistant. */
  chatQuestionLength: 500,
  /** The longest life of a message that proves a wallet. */
  signInMinutes: 5,
  adminIdleMinutes: 30,
  adminSessionHours: 12,
  /** Megabytes of one uploaded document. */
  uploadMegabytes: 10,
  /** How long documents are kept after the decision they were sent for. */
  documentRetentionDays: 90,
} as const;
