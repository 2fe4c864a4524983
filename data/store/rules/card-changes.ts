import { PORTAL_LIMITS } from '../../model/portal-terms.ts';
import type { CardDecision } from '../../model/submission-status.ts';
import type {
  CardChange,
  CardOrder,
  CardSpend,
  ClosingRequest,
  IssuedCard,
  ReservationOutcome,
  StoredCard,
} from '../card-port.ts';
import type { QueuedDelivery } from './received-submission.ts';

/**
 * How long (ms) the id of an applied message is stored, so that the message is not applied twice. An issuer resends an unanswered
 * message for only a few days, and a message's signature is valid for only a few minutes.
 */
export const MESSAGE_RETENTION_MS = 30 * 86_400_000;
/**
 * Whenever a message is stored, at most this many old ones are deleted: more than one, so that a backlog of old messages shrinks.
 */
export const MAX_MESSAGES_DELETED = 10;

/**
 * The events of the emails to a card's holder. If an event occurs again for the same application, `:2`, `:3` etc. is appended.
 */
export const CARD_ISSUED = 'card-application.card-issued';
const CARD_FROZEN = 'card-application.card-frozen';
const CARD_FROZEN_BY_TEAM = 'card-application.card-frozen-by-team';
const CARD_FROZEN_BY_ISSUER = 'card-application.card-frozen-by-issuer';
export const CARD_LIMITS_LOWERED = 'card-application.card-limits-lowered';
const CARD_CLOSED = 'card-application.card-closed';
const CARD_CLOSED_BY_ISSUER = 'card-application.card-closed-by-issuer';
/** The events of the emails to the team about a closed card. The delivery's `referenceNumber` is the card's id. */
const CLOSED_BY_HOLDER = 'card.closed-by-holder';
const CLOSED_BY_ISSUER = 'card.closed-by-issuer';

/** If true, the delivery's `referenceNumber` is the card's id. */
export const isAboutCard = ({ event }: Pick<QueuedDelivery, 'event'>): boolean =>
  event === CLOSED_BY_HOLDER || event === CLOSED_BY_ISSUER;

const closes = (change: CardChange): boolean => change === 'closed' || change === 'closed-while-frozen';

/** How long (ms) a card whose stake is gone stays frozen before the portal closes it. */
export const LOST_STAKE_MS = PORTAL_LIMITS.lostStakeDays * 86_400_000;

/**
 * Whether the issuer closed a card on its own initiative, at `at` (Unix ms). The portal closes a card only after a decision, or
 * if the card's stake has been gone for long enough and the team has not frozen the card. The portal also closes test cards after
 * the switch to real ones.
 */
export const isClosedByIssuer = (
  { issuer, closedByTeamAt, closedByHolderAt, frozenByTeamAt, stakeGoneAt }: StoredCard,
  at: number,
): boolean =>
  issuer !== 'sandbox' &&
  (closedByTeamAt ?? closedByHolderAt) === null &&
  (frozenByTeamAt !== null || stakeGoneAt === null || at < stakeGoneAt + LOST_STAKE_MS);

/**
 * The event of the email to the holder about a change at `at` (Unix ms); null if the holder gets no email.
 * @param isByIssuer whether the issuer made the change on its own initiative
 */
export function changeNoticeEvent(
  card: StoredCard,
  change: CardChange,
  at: number,
  isByIssuer: boolean,
): string | null {
  if (change === 'stake-gone') return CARD_FROZEN;
  if (change === 'frozen' && isByIssuer) return CARD_FROZEN_BY_ISSUER;
  if (!closes(change)) return null;
  if (isClosedByIssuer(card, at)) return CARD_CLOSED_BY_ISSUER;
  return card.closedByHolderAt === null ? null : CARD_CLOSED;
}

export function deliveryToTeam(card: StoredCard, change: CardChange, at: number): QueuedDelivery | null {
  const isByIssuer = isClosedByIssuer(card, at);
  if (!closes(change) || (!isByIssuer && card.closedByHolderAt === null)) return null;
  const event = isByIssuer ? CLOSED_BY_ISSUER : CLOSED_BY_HOLDER;
  return { event, referenceNumber: card.id, channel: 'mail', audience: 'team', recipient: null };
}

export const decisionNoticeEvent = ({ frozenByTeamAt }: StoredCard, decision: CardDecision): string | null =>
  decision === 'frozen' && frozenByTeamAt === null ? CARD_FROZEN_BY_TEAM : null;

/** The event of the next email. @param earlierCount how many emails with this event the application already has */
export const numberedEvent = (event: string, earlierCount: number): string =>
  earlierCount === 0 ? event : `${event}:${earlierCount + 1}`;

/**
 * How long (ms) a reported payment is stored. The row prevents a second email when the issuer reports the same payment again as
 * settled, which happens within this time.
 */
export const SPEND_RETENTION_MS = PORTAL_LIMITS.spendRetentionDays * 86_400_000;

const CARD_SPENT = 'card-application.card-spent';

export const spendNoticeEvent = (id: string): string => `${CARD_SPENT}:${id}`;

export const spendIdOf = ({ event }: Pick<QueuedDelivery, 'event'>): string | null =>
  event.startsWith(`${CARD_SPENT}:`) ? event.slice(CARD_SPENT.length + 1) : null;

/**
 * Whether the holder wants a message about a payment. No message is sent about payments older than `SPEND_RETENTION_MS`: they may
 * have been reported before, and their rows may have been deleted. Issuers report the time of a payment in whole seconds, so
 * `spendNoticesFrom` is rounded down to a second.
 * @param reportedAt when the issuer reported the payment, or the portal read it (Unix ms)
 */
export const wantsSpendNotice = (
  { spendNoticesFrom }: StoredCard,
  { at }: CardSpend,
  reportedAt: number,
): boolean =>
  spendNoticesFrom !== null &&
  at >= Math.floor(spendNoticesFrom / 1_000) * 1_000 &&
  at > reportedAt - SPEND_RETENTION_MS;

/** A row of the table `card_spends`. SQLite has no booleans. */
export interface SpendRow extends Omit<CardSpend, 'amount' | 'isDeclined'> {
  readonly cardId: string;
  readonly amount: string;
  readonly isDeclined: boolean | number;
}

export const toSpend = ({ amount, isDeclined, ...row }: SpendRow) => ({
  ...row,
  amount: BigInt(amount),
  isDeclined: Boolean(isDeclined),
});

type Nullable<Facts> = { readonly [Name in keyof Facts]: Facts[Name] | null };

export type CardRow = Omit<StoredCard, 'issued'> & Nullable<IssuedCard>;

function issuedCardOf(row: CardRow): IssuedCard | null {
  const { issuerCardId, issuerCardholderId, lastFour, expiryMonth, expiryYear } = row;
  if (issuerCardId === null || lastFour === null || expiryMonth === null || expiryYear === null) return null;
  return { issuerCardId, issuerCardholderId, lastFour, expiryMonth, expiryYear };
}

export function toStoredCard(row: CardRow): StoredCard {
  const { issuerCardId, issuerCardholderId, lastFour, expiryMonth, expiryYear, ...card } = row;
  return { ...card, issued: issuedCardOf(row) };
}

export const toStoredCardOrNull = (row: CardRow | null | undefined): StoredCard | null =>
  row ? toStoredCard(row) : null;

/** The stored data that determines the outcome of an order. Times are Unix milliseconds. */
interface ReservationFacts {
  readonly liveCard: CardRow | null | undefined;
  readonly lastClosed:
    | Pick<CardRow, 'closedByTeamAt' | 'frozenByTeamAt' | 'closedByHolderAt'>
    | null
    | undefined;
  readonly whitelistedAt: number | undefined;
  readonly isStakeShared: boolean;
  readonly cardsLeft: number;
}

const NEW_CARD_WAIT_MS = PORTAL_LIMITS.newCardHours * 3_600_000;

export function reservationRefusal(
  { issuer, at }: CardOrder,
  { liveCard, lastClosed, whitelistedAt = 0, isStakeShared, cardsLeft }: ReservationFacts,
): ReservationOutcome | null {
  if (liveCard) {
    const outcome = liveCard.state === 'pending' && liveCard.issuer === issuer ? 'resume' : 'has-card';
    return { outcome, card: toStoredCard(liveCard) };
  }
  // Without this check, a holder could get around a freeze by closing the card and ordering another one.
  const blockedAt = lastClosed?.closedByTeamAt ?? lastClosed?.frozenByTeamAt ?? null;
  if (blockedAt !== null && whitelistedAt <= blockedAt) return { outcome: 'closed-by-team' };
  const closedByHolderAt = lastClosed?.closedByHolderAt ?? null;
  if (closedByHolderAt !== null && at < closedByHolderAt + NEW_CARD_WAIT_MS)
    return { outcome: 'closed-recently' };
  if (isStakeShared) return { outcome: 'stake-in-use' };
  return cardsLeft === 0 ? { outcome: 'none-left' } : null;
}

export function cardAfterChange(card: StoredCard, change: CardChange, at: number): StoredCard {
  switch (change) {
    case 'active':
      // Only the team can lift its own freeze.
      return card.frozenByTeamAt === null ? { ...card, state: 'active', stakeGoneAt: null } : card;
    case 'frozen':
    case 'closed':
      return { ...card, state: change };
    case 'closed-while-frozen':
      return { ...card, state: 'closed', frozenByTeamAt: card.frozenByTeamAt ?? at };
    case 'frozen-by-issuer':
      return { ...card, state: 'frozen', frozenByTeamAt: card.frozenByTeamAt ?? at };
    case 'closing':
      return { ...card, closedByHolderAt: card.closedByHolderAt ?? at };
    case 'stake-gone':
      return { ...card, state: 'frozen', stakeGoneAt: card.stakeGoneAt ?? at };
    case 'stake-back':
      return { ...card, stakeGoneAt: null };
  }
}

export function cardAfterDecision(card: StoredCard, decision: CardDecision, at: number): StoredCard {
  switch (decision) {
    case 'frozen':
      return { ...card, state: 'frozen', frozenByTeamAt: at };
    case 'freeze-lifted':
      // The holder sees no closing date while the team's freeze lasts. If the stake is still gone, the next check sets a
      // date.
      return { ...card, frozenByTeamAt: null, stakeGoneAt: null };
    case 'closed':
      return { ...card, closedByTeamAt: at };
    case 'closing-requested':
    case 'closing-withdrawn':
      return card;
  }
}

export const mayChange = ({ state }: StoredCard): boolean => state === 'active' || state === 'frozen';

/** The newest decision about closing a card. */
export interface ClosingStep extends ClosingRequest {
  readonly decision: CardDecision;
  /** Whether the admin may still decide. SQLite has no booleans. */
  readonly mayDecide: boolean | number;
}

export function validClosingRequest(
  step: ClosingStep | null | undefined,
  countsFrom: number,
): ClosingRequest | null {
  if (step?.decision !== 'closing-requested' || step.at < countsFrom || !step.mayDecide) return null;
  const { adminId, by, at } = step;
  return { adminId, by, at };
}
