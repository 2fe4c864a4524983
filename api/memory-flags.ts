/**
 * Node's flags for the API. The cap on V8's young generation (in MiB) keeps the process small while thousands of streams open.
 * It costs little, because answers are built once and stay in memory. With the second flag, V8 collects memory after a
 * flood of calls once the heap has grown by 60%. Without it, the heap grows from 40 to 220 MiB. `npm run api` in
 * package.json has the same flags.
 */
export const API_MEMORY_FLAGS: readonly string[] = ['--max-semi-space-size=8', '--heap-growing-percent=60'];
