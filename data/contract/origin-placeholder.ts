/**
 * A placeholder for the portal's origin in the built site. The API replaces it when it serves a file, so that one build works
 * at every address.
 */
export const ORIGIN_PLACEHOLDER = 'https://portal-origin.invalid';
