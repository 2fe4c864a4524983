/**
 * What node is started with where it runs the API. Answers are made once and kept, so little of what is young is worth
 * much room: a small space for it (MiB) keeps thousands of open streams from growing the process by their opening alone.
 * `npm run api` says the same in package.json.
 */
export const API_MEMORY_FLAGS: readonly string[] = ['--max-semi-space-size=8'];
