/** How many filters an admin can save. */
export const MAX_FILTERS = 30;
/** In characters. */
export const LONGEST_FILTER_NAME = 60;
