/** For tests: one movement of an account, from the ledger's own answers. */
export interface MovementTold {
  readonly account: string;
  readonly signature: string;
  readonly slot: number;
  readonly position: number;
  readonly delta: bigint;
  readonly blockTime: number;
}

interface Listed {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
}
interface TokenBalance {
  readonly accountIndex: number;
  readonly uiTokenAmount: { readonly amount: string };
}
interface Told {
  readonly blockTime: number;
  readonly meta: { readonly preTokenBalances: TokenBalance[]; readonly postTokenBalances: TokenBalance[] };
  readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
}

/**
 * For tests: the movements of an account as the ledger at a URL tells them, oldest first. Shares no code with the
 * indexer.
 */
export async function movementsToldBy(url: string, account: string): Promise<readonly MovementTold[]> {
  const listed: Listed[] = [];
  for (;;) {
    const before = listed.at(-1)?.signature;
    const options = { limit: 1_000, ...(before && { before }) };
    const page = await ask<Listed[]>(url, 'getSignaturesForAddress', account, options);
    if (page.length === 0) break;
    listed.push(...page);
  }
  listed.reverse();
  const movements: MovementTold[] = [];
  for (const [index, { signature, slot, err }] of listed.entries()) {
    if (err !== null) continue;
    const told = await ask<Told>(url, 'getTransaction', signature, { encoding: 'json' });
    const at = told.transaction.message.accountKeys.indexOf(account);
    const held = (side: TokenBalance[]) =>
      BigInt(side.find((one) => one.accountIndex === at)?.uiTokenAmount.amount ?? 0);
    const delta = held(told.meta.postTokenBalances) - held(told.meta.preTokenBalances);
    if (delta === 0n) continue;
    const position = listed.slice(0, index).filter((earlier) => earlier.slot === slot).length;
    movements.push({ account, signature, slot, position, delta, blockTime: told.blockTime * 1_000 });
  }
  return movements;
}

async function ask<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const body = (await response.json()) as { result: T };
  return body.result;
}
