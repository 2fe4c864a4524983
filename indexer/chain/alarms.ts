import type { ChainAlarmKind } from '../../data/model/chain-events.ts';
import { isStanding, type WatchedAccount } from './classify.ts';
import type { DecodedTransaction } from './decode.ts';

/** Something done to a watched account, beside moving its balance, that the team has to look at. */
export interface AccountAlarm {
  readonly kind: ChainAlarmKind;
  /** The address that was set; null where the authority was removed, or the account closed. */
  readonly address: string | null;
}

/**
 * What a transaction did to a watched account that no balance shows: its owner was changed, someone else was allowed to
 * close it or to spend from it, or it was closed. Each is told once, in the order in
 * which they were done.
 *
 * Instructions decide, and the recorded balances are asked too: an owner who differs afterwards, or an account that is
 * gone, is told even where no instruction says so, as with a node that does not record what programs call. Setting the
 * owner that the account had before is no change. A transaction that failed did nothing.
 */
export function alarmsOn(transaction: DecodedTransaction, watched: WatchedAccount): readonly AccountAlarm[] {
  const { accountActs, changes, accounts } = transaction;
  const index = accounts.indexOf(watched.address);
  if (index === -1) return [];
  const change = changes.find(({ account }) => account === index);
  if (accountActs.length === 0 && change && isStanding(change)) return [];
  const told: AccountAlarm[] = [];
  const tell = (kind: ChainAlarmKind, address: string | null): void => {
    if (!told.some((alarm) => alarm.kind === kind && alarm.address === address)) told.push({ kind, address });
  };
  const ownerBefore = change?.ownerBefore ?? null;
  for (const { kind, account, address } of accountActs) {
    const isNoChange = kind === 'owner-changed' && address !== null && address === ownerBefore;
    if (account === index && !isNoChange) tell(kind, address);
  }
  const ownerAfter = change?.ownerAfter ?? null;
  if (ownerBefore !== null && ownerAfter !== null && ownerBefore !== ownerAfter) {
    tell('owner-changed', ownerAfter);
  }
  if (change?.existedBefore && !change.existsAfter) tell('account-closed', null);
  return told;
}
