/**
 * The time limit, in milliseconds, for `client:idle` and idle callbacks. Without a limit, a browser may never call back: a
 * page that is busy or draws no frames is never idle.
 */
export const IDLE_OPTIONS = { timeout: 2_000 };
