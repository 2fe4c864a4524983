import {
  CARD_TIERS,
  type CardTier,
  cardLimits,
  cardTier,
  higherTier,
  isWithinTier,
} from '../../data/model/tiers.ts';
import { ageState, FRESHNESS } from '../../data/model/value-state.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { startJob } from '../../data/runtime/schedule.ts';
import type { StoredCard } from '../../data/store/card-port.ts';
import { mayChange } from '../../data/store/rules/card-changes.ts';
import { ApiError, isApiError } from '../errors.ts';
import type { StakesContent } from '../staking/current-stakes.ts';
import { closeIssuedCard, freezeAtIssuer, requireIssued } from './call-issuer.ts';
import { type CardStakeContext, cardAuditRecord } from './card-context.ts';
import { lowerLimits, sendLimits } from './card-limits.ts';
import { closesAt, isClosing } from './card-summary.ts';
import { meetsTier, readTier } from './eligible-tier.ts';
import { adoptIssuerState } from './issuer-webhook-route.ts';
import { finishPendingCards } from './make-card.ts';

/*
 * One stake, one card (docs/decisions/one-stake-one-card.md): if a wallet has neither a sufficient stake nor a whitelisting,
 * its card is frozen and later closed. A stake counts as gone only if neither a fresh index nor the chain has it.
 */

/** The stakes in the index; null while they are stale or cannot be read. */
export function readFreshStakes({
  figureInputs,
  now,
}: Pick<CardStakeContext, 'figureInputs' | 'now'>): StakesContent | null {
  const { stakes } = figureInputs();
  return stakes && ageState(stakes.readAt, now(), FRESHNESS.chain) !== 'stale' ? stakes.content : null;
}

/** Whether a card's wallet has the tier that the card requires, according to the index and the whitelist. */
async function hasTierInIndex(
  { store }: Pick<CardStakeContext, 'store'>,
  { walletAddress, tier }: StoredCard,
  { stakerByWallet, decimals }: StakesContent,
): Promise<boolean> {
  const stakedTier = cardTier(stakerByWallet.get(walletAddress)?.staked ?? 0n, decimals) ?? 'None';
  return meetsTier(higherTier(stakedTier, await store.sessions.whitelistedTier(walletAddress)), tier);
}

async function freeze(context: CardStakeContext, card: StoredCard): Promise<void> {
  await freezeAtIssuer(context, requireIssued(card, context));
  const audit = cardAuditRecord('card.frozen-without-stake', card.id, { actor: 'system', at: context.now() });
  await context.store.cards.change(card.id, 'stake-gone', audit);
}

/** The lowest tier that allows a card's limits. It may be above the card's tier. */
const tierOfLimits = (card: StoredCard): CardTier =>
  CARD_TIERS.find((tier) => meetsTier(tier, card.tier) && isWithinTier(cardLimits(card), tier)) ?? 'Raven';

/** Freezes or closes a card if its stake is gone. Lowers limits that need a higher tier than the wallet still has. */
async function checkStakeOf(
  context: CardStakeContext,
  card: StoredCard,
  stakes: StakesContent,
): Promise<void> {
  const tierNeeded = tierOfLimits(card);
  const hasNeededTier = await hasTierInIndex(context, { ...card, tier: tierNeeded }, stakes);
  const tier = hasNeededTier ? tierNeeded : (await readTier(card.walletAddress, context)).tier;
  if (tier === null || !meetsTier(tier, card.tier)) {
    if (!(await hasTierInIndex(context, card, stakes))) {
      await (card.stakeGoneAt === null
        ? freeze(context, card)
        : closeIssuedCard(context, card, { action: 'card.closed-without-stake', actor: 'system' }));
    }
    return;
  }
  if (card.stakeGoneAt !== null) {
    const audit = cardAuditRecord('card.stake-found', card.id, { actor: 'system', at: context.now() });
    await context.store.cards.change(card.id, 'stake-back', audit);
  }
  await lowerLimits(context, card, tier);
}

/**
 * Checks a card's stake and limits. If the stake is gone, freezes the card or, once its closing date has passed, closes it.
 * Also closes a card that the team or its holder decided to close, if the issuer did not answer at that time.
 * @param stakes the stakes in the index; null while they are stale or unreadable. If null, the card's stake is not checked.
 * @param comparesState whether to compare the card's state with the issuer's
 * @throws {ApiError} `card-busy`, `chain-unreadable`, and the errors of `callIssuer`
 */
async function checkCard(
  context: CardStakeContext,
  { id, walletAddress }: StoredCard,
  stakes: StakesContent | null,
  comparesState = false,
) {
  const { store, now, walletMutex } = context;
  await walletMutex.runExclusive(walletAddress, async () => {
    if (comparesState) await adoptIssuerState(context, id);
    const card = await store.cards.card(id);
    if (!card || (card.state !== 'active' && card.state !== 'frozen')) return;
    if (isClosing(card)) return closeIssuedCard(context, card, { action: 'card.closed', actor: 'system' });
    if (stakes !== null && needsStakeCheck(card, now())) await checkStakeOf(context, card, stakes);
    const checkedCard = await store.cards.card(id);
    if (checkedCard && !checkedCard.areLimitsSent && mayChange(checkedCard))
      await sendLimits(context, checkedCard);
  });
}

/**
 * Whether to check a card's stake. It is not checked while the team has frozen the card, or between the loss of the stake and
 * the closing date.
 */
const needsStakeCheck = (card: StoredCard, now: number): boolean =>
  card.frozenByTeamAt === null && (closesAt(card) ?? 0) <= now;

const DAY_MS = 86_400_000;

const needsCheck = (card: StoredCard, now: number): boolean =>
  isClosing(card) || !card.areLimitsSent || needsStakeCheck(card, now);

/**
 * Whether a pending card's wallet has the tier that the card requires. If so, first freezes the other cards that have lost
 * their stake, because one of them may have used this stake.
 * @param stakes the stakes in the index; null while they are stale or unreadable
 * @throws {ApiError} `not-indexed-yet` if the chain does not show the tier, and `stakes` shows it or is null
 * @throws {ApiError} the errors of `readTier` and `freezeOthersWithoutStake`
 */
async function hasStakeForPending(
  context: CardStakeContext,
  card: StoredCard,
  stakes: StakesContent | null,
): Promise<boolean> {
  const { tier, stakeCheck } = await readTier(card.walletAddress, context);
  const isStaked = meetsTier(tier, card.tier);
  if (isStaked) await freezeOthersWithoutStake(context, card.walletAddress, stakeCheck.entries);
  else if (stakes === null || (await hasTierInIndex(context, card, stakes)))
    throw new ApiError('not-indexed-yet', { text: STAKE_NOT_INDEXED });
  return isStaked;
}

/**
 * Checks the stakes of all cards, or of one wallet's card. A card whose check fails is checked again at the next scheduled
 * time. A check of all cards also compares each card's state with the issuer's, once per UTC day, and finishes pending cards.
 * @param scope `comparedOn`: by card id, the UTC day of the last comparison, in days since 1970. If the issuer did not answer
 * about a card, minus the time of that call (Unix ms), so that the card comes last. The check updates this map. `signal`: once
 * it aborts, the remaining cards wait for the next check.
 */
export async function checkCardStakes(
  context: CardStakeContext,
  scope:
    | { readonly walletAddress: string }
    | { readonly comparedOn: Map<string, number>; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const { store, issuer, log, now } = context;
  const stakes = readFreshStakes(context);
  const { comparedOn = null, signal } = 'comparedOn' in scope ? scope : {};
  const dayOf = ({ id }: StoredCard) => comparedOn?.get(id) ?? 0;
  const cards = (await store.cards.usableCards(issuer.name)).toSorted((a, b) => dayOf(b) - dayOf(a));
  const today = Math.floor(now() / DAY_MS);
  // If the issuer does not answer a call about one card, the cause may be that card. After two such cards in a row, the issuer
  // is probably down, so this check compares no more states. The next one begins with the remaining cards.
  let unansweredInARow = 0;
  for (const card of cards) {
    if (signal?.aborted) return;
    if ('walletAddress' in scope && card.walletAddress !== scope.walletAddress) continue;
    const comparesState = comparedOn !== null && comparedOn.get(card.id) !== today && unansweredInARow < 2;
    if (!comparesState && !needsCheck(card, now())) continue;
    try {
      await checkCard(context, card, stakes, comparesState);
      if (comparesState) {
        comparedOn.set(card.id, today);
        unansweredInARow = 0;
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'issuer-unavailable') {
        unansweredInARow += 1;
        comparedOn?.set(card.id, -now());
      }
      log.warn({ cardId: card.id, code: error.code }, 'a card could not be checked');
    }
  }
  if (comparedOn !== null && !signal?.aborted)
    await finishPendingCards(context, (card) => hasStakeForPending(context, card, stakes));
}

/**
 * Freezes every other active card that has lost its stake, and lowers limits that a card's remaining stake does not allow. Call
 * this before a stake makes a wallet's card usable, because the same tokens may have been another card's stake. Tokens must be
 * unstaked before another wallet can stake them. So an index that shows the new stake also shows the end of the earlier one.
 * @throws {ApiError} `not-indexed-yet` while the index is stale or does not show the new stake; another error if a card
 * cannot be changed
 */
export async function freezeOthersWithoutStake(
  context: CardStakeContext,
  walletAddress: string,
  stakeEntries: readonly string[],
): Promise<void> {
  if (stakeEntries.length === 0) return;
  const stakes = readFreshStakes(context);
  const indexedEntries = new Set(
    stakes?.openStakesByWallet.get(walletAddress)?.map(({ address }) => address),
  );
  if (!stakes || !stakeEntries.every((entry) => indexedEntries.has(entry))) {
    throw new ApiError('not-indexed-yet', { text: STAKE_NOT_INDEXED });
  }
  for (const card of await context.store.cards.usableCards(context.issuer.name)) {
    if (card.walletAddress === walletAddress || card.state !== 'active') continue;
    const isCovered = await hasTierInIndex(context, { ...card, tier: tierOfLimits(card) }, stakes);
    // Until the issuer has received lowered limits, the card can still use the higher ones.
    if (isCovered && card.areLimitsSent) continue;
    try {
      await checkCard(context, card, stakes);
    } catch (error) {
      // If the issuer closed the card in the meantime, the card needs no check.
      if (!isApiError(error, 'card-closed')) throw error;
    }
  }
}

const STAKE_NOT_INDEXED = 'The portal is still reading this stake from the chain.';

/** @returns a function that stops the checks and waits for one that is still running */
export function startCardStakeChecks(options: {
  readonly checkCardStakes: (signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
}): () => Promise<void> {
  const job = {
    name: 'stakes of cards',
    cronPattern: '*/3 * * * *',
    run: options.checkCardStakes,
  };
  return startJob(job, options.log, { runsNow: false });
}
