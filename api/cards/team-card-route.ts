import { decideCard, type TeamCard } from '../../data/contract/admin-cards.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import type { CardDecision } from '../../data/model/submission-status.ts';
import type { ClosingRequest, StoredCard } from '../../data/store/card-port.ts';
import { adminAuditRecord } from '../admin/admin-audit.ts';
import { adminJsonRoute, type SignedInAdmin } from '../admin/authorize-admin.ts';
import { iso, isoOrNull } from '../admin/records/wire-rows.ts';
import { requireRightToVote } from '../admin/require-right-to-vote.ts';
import type { ApiRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import type { PortalContext } from '../portal-context.ts';
import { freezeAtIssuer, requireIssued } from './call-issuer.ts';
import { isClosing, summarizeCard } from './card-summary.ts';
import { CardholderUnreadableError, openCardholder } from './cardholder.ts';
import { checkCardStakes } from './check-card-stakes.ts';

const CLOSING_REQUEST_LIFE_MS = PORTAL_LIMITS.cardClosingHours * 3_600_000;

type TeamCardContext = Pick<PortalContext, 'store' | 'issuer' | 'now' | 'masterKey' | 'log'>;

/** The open request to close a card, which a second admin has to confirm; null if there is none. */
const findOpenRequest = ({ store, now }: TeamCardContext, { id }: StoredCard) =>
  store.cards.closingRequest(id, now() - CLOSING_REQUEST_LIFE_MS);

function readTeamCardholder({ masterKey, log }: TeamCardContext, card: StoredCard): TeamCard['cardholder'] {
  try {
    const cardholder = openCardholder(card, masterKey);
    if (cardholder === null) return null;
    const { acceptedFrom: _, acceptedAt, ...enteredFields } = cardholder;
    return { ...enteredFields, acceptedAt: iso(acceptedAt) };
  } catch (error) {
    if (!(error instanceof CardholderUnreadableError)) throw error;
    log.warn({ cardId: card.id }, error.message);
    return 'unreadable';
  }
}

async function toTeamCard(
  context: TeamCardContext,
  card: StoredCard,
  admin: SignedInAdmin,
): Promise<TeamCard> {
  const summary = summarizeCard(card, context.issuer);
  const { cardId, state, tier, lastFour, isTestCard, createdAt, limits, closesAt } = summary;
  const [request, decisions] = await Promise.all([
    findOpenRequest(context, card),
    context.store.cards.decisionsOn(card.id),
  ]);
  return {
    ...{ cardId, state, tier, lastFour, isTestCard, createdAt, limits, closesAt },
    changedAt: iso(card.changedAt),
    stakeGoneAt: isoOrNull(card.stakeGoneAt),
    frozenByTeamAt: isoOrNull(card.frozenByTeamAt),
    closedByTeamAt: isoOrNull(card.closedByTeamAt),
    cardholder: readTeamCardholder(context, card),
    closedByHolderAt: isoOrNull(card.closedByHolderAt),
    closing: request && {
      by: request.by,
      isYours: request.adminId === admin.id,
      expiresAt: iso(request.at + CLOSING_REQUEST_LIFE_MS),
    },
    decisions: decisions.map(({ at, ...decision }) => ({ ...decision, at: iso(at) })),
  };
}

/** A wallet's card as the team sees it: the current one, or else the last one closed. Null if the wallet never had a card. */
export async function teamCardOf(
  context: TeamCardContext,
  walletAddress: string,
  admin: SignedInAdmin,
): Promise<TeamCard | null> {
  const { cards } = context.store;
  const card = (await cards.cardOf(walletAddress)) ?? (await cards.lastClosed(walletAddress));
  return card && toTeamCard(context, card, admin);
}

function isAllowed(card: StoredCard, decision: CardDecision, request: ClosingRequest | null): boolean {
  if (isClosing(card)) return false;
  switch (decision) {
    case 'frozen':
      return card.frozenByTeamAt === null;
    case 'freeze-lifted':
      return card.frozenByTeamAt !== null;
    case 'closing-requested':
      return request === null;
    case 'closing-withdrawn':
      return request !== null;
    case 'closed':
      return true;
  }
}

const AUDIT_ACTIONS = {
  frozen: 'card.frozen-by-team',
  'freeze-lifted': 'card.freeze-lifted',
  'closing-requested': 'card.closing-requested',
  'closing-withdrawn': 'card.closing-withdrawn',
  closed: 'card.closing-confirmed',
} as const satisfies Readonly<Record<CardDecision, string>>;

/** `POST /api/admin/cards/decide`: the team freezes, unfreezes or closes a card. Closing requires two admins. */
export function teamCardRoute(
  portal: PortalContext,
  confirmOwnPassword: (admin: SignedInAdmin, password: string) => Promise<unknown>,
): ApiRoute {
  const { store, authorize, now, walletMutex } = portal;

  /**
   * To close a card, admins must confirm their password, and their account must be old enough to vote on loan applications.
   */
  async function requireRightToClose(admin: SignedInAdmin, ownPassword: string): Promise<void> {
    await requireRightToVote(admin.id, portal);
    await confirmOwnPassword(admin, ownPassword);
  }

  return adminJsonRoute(decideCard, { authorize, limit: 'admin-decisions' }, async (admin, body) => {
    const { cardId, decision } = body;
    if ('ownPassword' in body) await requireRightToClose(admin, body.ownPassword);
    const storedCard = await store.cards.card(cardId);
    if (!storedCard || storedCard.state === 'failed') throw new ApiError('unknown-card');
    const { walletAddress } = storedCard;
    await walletMutex.runExclusive(walletAddress, async () => {
      const card = (await store.cards.card(cardId)) ?? storedCard;
      if (card.state === 'closed') throw new ApiError('card-closed');
      const issued = requireIssued(card, portal);
      const request = await findOpenRequest(portal, card);
      if (card.changedAt !== Date.parse(body.changedAt) || !isAllowed(card, decision, request))
        throw new ApiError('card-changed');
      if (decision === 'closed' && (request === null || request.adminId === admin.id))
        throw new ApiError('closing-not-requested');
      if (decision === 'frozen') await freezeAtIssuer(portal, issued);
      const cardDecision = { decision, reason: 'reason' in body ? body.reason : null };
      const audit = adminAuditRecord(admin, {
        action: AUDIT_ACTIONS[decision],
        at: now(),
        details: { cardId },
      });
      if (!(await store.cards.decide(cardId, cardDecision, audit))) throw new ApiError('card-changed');
    });
    // If the issuer does not answer now, the next scheduled check closes the card.
    if (decision === 'closed') await checkCardStakes(portal, { walletAddress });
    const card = await toTeamCard(portal, (await store.cards.card(cardId)) ?? storedCard, admin);
    return { success: true, card };
  });
}
