/**
 * Node's flags for the API. Answers are built once and stay in memory, so few young objects survive. V8's young
 * generation is capped (in MiB), so that opening thousands of streams does not grow the process. `npm run api` in package.json has the
 * same flag.
 */
export const API_MEMORY_FLAGS: readonly string[] = ['--max-semi-space-size=8'];
