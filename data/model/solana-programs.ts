export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
/** Sets a transaction's limits and priority fee. */
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
/**
 * Makes a transaction fail unless it has the outcome that the wallet showed. Phantom and Solflare add its instructions
 * (https://docs.phantom.com/developer-powertools/lighthouse).
 */
export const LIGHTHOUSE_PROGRAM = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';
