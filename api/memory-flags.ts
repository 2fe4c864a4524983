/**
 * Node's flags for the API. The cap on V8's young generation (in MiB) keeps the process small while thousands of streams
 * open. It costs little: answers are built once and stay in memory. `npm run api` in package.json has the same flag.
 */
export const API_MEMORY_FLAGS: readonly string[] = ['--max-semi-space-size=8'];
