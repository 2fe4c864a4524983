import { SMALLEST_TOP_UP, splitTopUp, toDecimalUsdt } from '../../model/top-ups.ts';
import type { AuditRecord } from '../audit-port.ts';
import { rowId } from '../row-id.ts';
import type { ChainTransfer, StoredTransfer, UsdtFeed } from '../top-up-port.ts';
import type { QueuedDelivery } from './received-submission.ts';

/** The event of the email to a card's holder about a credited top-up. */
export const CARD_TOPPED_UP_EVENT = 'card-application.card-topped-up';
/** The event of the notice to the team about a credited top-up. The delivery's `referenceNumber` is the transfer's id. */
const TOP_UP_CREDITED_EVENT = 'top-up.credited';

type WithTextAmounts<Row, Amounts extends keyof Row> = Omit<Row, Amounts> & {
  readonly [Name in Amounts]: Row[Name] extends bigint ? string : string | null;
};
/** Rows of the tables `usdt_transfers` and `usdt_feeds`. Amounts are decimal text. SQLite has no booleans. */
export type TransferRow = WithTextAmounts<Omit<StoredTransfer, 'isByHand'>, 'amount' | 'fee' | 'credited'> & {
  readonly isByHand: boolean | number;
};
export type FeedRow = WithTextAmounts<UsdtFeed, 'expected' | 'difference'>;

const unitsOrNull = (text: string | null) => (text === null ? null : BigInt(text));

export const toTransfer = ({ amount, fee, credited, isByHand, ...row }: TransferRow): StoredTransfer => ({
  ...row,
  amount: BigInt(amount),
  fee: unitsOrNull(fee),
  credited: unitsOrNull(credited),
  isByHand: Boolean(isByHand),
});

export const toFeed = ({ expected, difference, ...row }: FeedRow): UsdtFeed => ({
  ...row,
  expected: BigInt(expected),
  difference: BigInt(difference),
});

/** The card that is identified by the decimals of a transfer's amount. */
export interface TaggedCard {
  readonly id: string;
  readonly state: string;
  readonly walletAddress: string;
  readonly closedByTeamAt: number | null;
  readonly closedByHolderAt: number | null;
}

const canBeToppedUp = ({ state, closedByTeamAt, closedByHolderAt }: TaggedCard) =>
  (state === 'active' || state === 'frozen') && closedByTeamAt === null && closedByHolderAt === null;

function creditFields(amount: bigint, cardId: string, closedAt: number, isByHand: boolean) {
  const { fee, credited } = splitTopUp(amount);
  return { state: 'credited', cardId, fee, credited, closedAt, isByHand } as const;
}

const NO_CREDIT_FIELDS = {
  cardId: null,
  fee: null,
  credited: null,
  closedAt: null,
  isByHand: false,
} as const;

/**
 * A final transfer, with the state and the credit that result from its amount and card.
 * @param card the card that is identified by the decimals of the amount; null if there is none
 */
export function finalTransfer(
  { isOutgoing, ...transfer }: ChainTransfer,
  card: TaggedCard | null,
  at: number,
): StoredTransfer {
  if (isOutgoing) return { ...transfer, ...NO_CREDIT_FIELDS, state: 'outgoing' };
  if (transfer.amount < SMALLEST_TOP_UP) return { ...transfer, ...NO_CREDIT_FIELDS, state: 'dust' };
  if (card === null) return { ...transfer, ...NO_CREDIT_FIELDS, state: 'unmatched' };
  if (!canBeToppedUp(card)) return { ...transfer, ...NO_CREDIT_FIELDS, state: 'unmatched', cardId: card.id };
  return { ...transfer, ...creditFields(transfer.amount, card.id, at, false) };
}

/**
 * An unmatched transfer after the team credits it to a card. Null if the transfer is not waiting for the team, or the card cannot
 * be topped up.
 */
export const bookedTransfer = (
  transfer: StoredTransfer,
  card: TaggedCard,
  at: number,
): StoredTransfer | null =>
  transfer.state === 'unmatched' && canBeToppedUp(card)
    ? { ...transfer, ...creditFields(transfer.amount, card.id, at, true) }
    : null;

/** A transfer that is not final yet; null if it would not be credited to a card. */
export function confirmingTransfer(transfer: ChainTransfer, card: TaggedCard | null): StoredTransfer | null {
  const final = finalTransfer(transfer, card, 0);
  return final.state === 'credited'
    ? { ...final, ...NO_CREDIT_FIELDS, cardId: final.cardId, state: 'confirming' }
    : null;
}

export function transferRecord(
  { id, state, amount, cardId, credited }: StoredTransfer,
  at: number,
): AuditRecord | null {
  const transferDetails = { transfer: id, amount: toDecimalUsdt(amount) };
  const record = { id: rowId(at), at, actor: 'system' };
  if (state === 'unmatched') return { ...record, action: 'card.top-up-unmatched', details: transferDetails };
  if (state !== 'credited' || credited === null) return null;
  const details = { ...transferDetails, cardId, credited: toDecimalUsdt(credited) };
  return { ...record, action: 'card.topped-up', details };
}

export const creditNotice = (id: string): QueuedDelivery => ({
  event: TOP_UP_CREDITED_EVENT,
  referenceNumber: id,
  channel: 'telegram',
  audience: 'team',
  recipient: null,
});

/** The amount by which final transfers change the balance of the funding address. */
export const balanceChange = (transfers: readonly Pick<StoredTransfer, 'state' | 'amount'>[]): bigint =>
  transfers.reduce((sum, { state, amount }) => (state === 'outgoing' ? sum - amount : sum + amount), 0n);
