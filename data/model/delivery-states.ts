/**
 * `waiting`: waits for its next attempt. `leased`: a worker is sending it. `sent`: the peer accepted it. `dead`: not tried
 * again, because an attempt failed permanently, all attempts were used up, or the email bounced.
 */
export const SENDING_STATES = ['waiting', 'leased', 'sent', 'dead'] as const;
export type SendingState = (typeof SENDING_STATES)[number];

/**
 * `settled`: the message is no longer sent. The team informed the applicant in another way, the decision that
 * the message reports is no longer valid, the recipient's subscription or chat link ended, or the record was erased.
 */
export const DELIVERY_STATES = [...SENDING_STATES, 'settled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** `unknown`: the peer may or may not have accepted the message. */
export const ATTEMPT_OUTCOMES = ['sent', 'retry', 'dead', 'unknown'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** The combined state of all messages that one channel sends about a new submission. `none`: there are no messages. */
export const COMBINED_DELIVERY_STATES = ['sent', 'waiting', 'failed', 'settled', 'none'] as const;
export type CombinedDeliveryState = (typeof COMBINED_DELIVERY_STATES)[number];

export const DELIVERY_METHODS = ['email', 'telegram', 'push'] as const;
export type DeliveryMethod = (typeof DELIVERY_METHODS)[number];
