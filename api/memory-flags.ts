/**
 * Node's flags for the API. Answers are built once and stay in memory, so few young objects survive. A small young
 * generation (MiB) keeps thousands of opening streams from growing the process. `npm run api` in package.json has the
 * same flag.
 */
export const API_MEMORY_FLAGS: readonly string[] = ['--max-semi-space-size=8'];
