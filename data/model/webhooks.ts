/** The events that the portal reports to other systems, with the labels that the team sees. */
export const WEBHOOK_EVENT_LABELS = {
  'application.submitted': 'Card application submitted',
  'application.decided': 'Card application decided',
  'verification.submitted': 'Verification requested',
  'verification.decided': 'Verification decided',
  'contact.submitted': 'Contact message submitted',
  'loan.submitted': 'Loan application submitted',
  'loan.decided': 'Loan application decided',
  'card.created': 'Card created',
  'card.frozen': 'Card frozen',
  'card.unfrozen': 'Card unfrozen',
  'card.closed': 'Card closed',
} as const;
export type WebhookEventType = keyof typeof WEBHOOK_EVENT_LABELS;
export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENT_LABELS) as [
  WebhookEventType,
  ...WebhookEventType[],
];

/** The team sends this event to test an endpoint, whatever events the endpoint subscribes to. */
export const TEST_EVENT = 'endpoint.test';
export type SentEventType = WebhookEventType | typeof TEST_EVENT;

/** `disabled`: by the portal, because the receiver answered 410 or failed for days. Only an active endpoint gets events. */
export const WEBHOOK_STATES = ['active', 'paused', 'disabled'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

export const WEBHOOK_LIMITS = {
  endpoints: 10,
  /** The maximum length of a URL, in characters. */
  url: 500,
  /** For this many hours after a change of the secret, events are also signed with the previous secret. */
  oldSecretHours: 24,
  /** A failed event is retried for this many days. An endpoint is disabled if every delivery to it fails for this long. */
  retryDays: 3,
  /** Deliveries are kept for this many days. */
  keptDays: 30,
  /** How many seconds a receiver has to respond. */
  timeoutSeconds: 10,
  /** The maximum difference, in seconds, between a signature’s time and the receiver’s clock. */
  toleranceSeconds: 300,
} as const;
