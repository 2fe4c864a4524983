/** `waiting` for its next attempt, `leased` to a worker, `sent`, or `dead` when no attempt is left. */
export const DELIVERY_STATES = ['waiting', 'leased', 'sent', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** How an attempt ended. `unknown`: the peer may or may not have accepted the message. */
export const ATTEMPT_OUTCOMES = ['sent', 'retry', 'dead', 'unknown'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export const DELIVERY_METHODS = ['email', 'telegram'] as const;
export type DeliveryMethod = (typeof DELIVERY_METHODS)[number];
