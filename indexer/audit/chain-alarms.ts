import type { VersionedTransactionResponse } from '@solana/web3.js';
import bs58 from 'bs58';
import { balanceChanges } from './chain-balances.ts';
import type { Watched } from './chain-events.ts';
import { addressesOf, type RunInstruction, runGroups } from './chain-instructions.ts';
import { isTokenProgram } from './chain-tokens.ts';

/** What was done to a watched account beside moving its balance. */
export interface AuditedAlarm {
  readonly kind: 'owner-changed' | 'close-authority-changed' | 'delegate-approved' | 'account-closed';
  readonly account: Watched['account'];
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number | null;
  /** What was set; null where an authority was removed, or the account closed. */
  readonly address: string | null;
}

type Act = Pick<AuditedAlarm, 'kind' | 'address'>;
type TokenCall = Pick<RunInstruction, 'accounts' | 'data'>;

/** Source: `TokenInstruction` and `AuthorityType` of `spl-token`, and p-token's batch of instructions. */
const APPROVE = 4;
const SET_AUTHORITY = 6;
const CLOSE_ACCOUNT = 9;
const APPROVE_CHECKED = 13;
const BATCH = 255;
const AUTHORITIES: ReadonlyMap<number | undefined, Act['kind']> = new Map([
  [2, 'owner-changed'],
  [3, 'close-authority-changed'],
]);
const KEY_BYTES = 32;

/** A batch as the instructions in it: before each, how many accounts are its own and how many bytes it is long. */
function unbatched({ accounts, data }: TokenCall): readonly TokenCall[] {
  if (data[0] !== BATCH) return [{ accounts, data }];
  const calls: TokenCall[] = [];
  let account = 0;
  for (let at = 1; at + 1 < data.length; ) {
    const [ownAccounts = 0, bytes = 0] = data.subarray(at, at + 2);
    calls.push({
      accounts: accounts.slice(account, account + ownAccounts),
      data: data.subarray(at + 2, at + 2 + bytes),
    });
    account += ownAccounts;
    at += 2 + bytes;
  }
  return calls.flatMap(unbatched);
}

function actOn(address: string, { accounts, data }: TokenCall): Act | null {
  if (accounts[0] !== address) return null;
  switch (data[0]) {
    case APPROVE:
      return { kind: 'delegate-approved', address: accounts[1] ?? null };
    case APPROVE_CHECKED:
      return { kind: 'delegate-approved', address: accounts[2] ?? null };
    case CLOSE_ACCOUNT:
      return { kind: 'account-closed', address: null };
    case SET_AUTHORITY: {
      const kind = AUTHORITIES.get(data[1]);
      const isGiven = data[2] === 1;
      return kind ? { kind, address: isGiven ? bs58.encode(data.subarray(3, 3 + KEY_BYTES)) : null } : null;
    }
    default:
      return null;
  }
}

/** What a transaction did to a watched account that its balance does not show, each once. */
export function alarmsOf(response: VersionedTransactionResponse, watched: Watched): readonly AuditedAlarm[] {
  const { meta, transaction, slot, blockTime = null } = response;
  if (!meta || meta.err) return [];
  const addressAt = addressesOf(response);
  const own = balanceChanges(response, watched.mint, addressAt).find(
    ({ address }) => address === watched.address,
  );
  const ownerBefore = own?.was?.owner ?? null;
  const ownerAfter = own?.is?.owner ?? null;
  const instructed = runGroups(response, addressAt)
    .flat()
    .filter(({ program }) => isTokenProgram(program))
    .flatMap(unbatched)
    .map((call) => actOn(watched.address, call))
    .filter((act) => act !== null)
    .filter(({ kind, address }) => kind !== 'owner-changed' || address === null || address !== ownerBefore);
  // The balances are asked too, since a node may not record what programs call.
  const shown: readonly Act[] = [
    ...(ownerBefore !== null && ownerAfter !== null && ownerBefore !== ownerAfter
      ? [{ kind: 'owner-changed', address: ownerAfter } as const]
      : []),
    ...(own?.was && !own.is ? [{ kind: 'account-closed', address: null } as const] : []),
  ];
  const acts = new Map([...instructed, ...shown].map((act) => [`${act.kind} ${act.address}`, act]));
  const signature = transaction.signatures[0] ?? '';
  return [...acts.values()].map((act) => ({ ...act, account: watched.account, signature, slot, blockTime }));
}
