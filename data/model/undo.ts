/** How long (ms) an admin can undo a decision. The decision's emails and webhook events are sent after this time. */
export const UNDO_MS = 10_000;
