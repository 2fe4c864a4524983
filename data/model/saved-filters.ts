export const MAX_FILTERS = 30;
/** In characters. */
export const MAX_FILTER_NAME_LENGTH = 60;
