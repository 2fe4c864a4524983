import type Database from 'better-sqlite3';
import { MAX_MESSAGES_DELETED } from '../rules/card-changes.ts';
import {
  admins,
  cardDecisions,
  cardSpends,
  cards,
  deliveries,
  issuerMessages,
  subscriptions,
  whitelistedWallets,
} from './app-schema.ts';
import {
  and,
  asc,
  count,
  desc,
  drizzle,
  eq,
  equalsLiteral,
  equalsPlaceholder,
  inArray,
  lt,
  not,
  placeholder,
  placeholderSql,
  rowPlaceholders,
  sql,
} from './drizzle.ts';
import { cardApplications } from './submission-schema.ts';

/** The same condition as in the unique index on the wallet, so that SQLite uses that index. */
const isLive = sql`${cards.state} in ('pending', 'active', 'frozen')`;

const isProvenApplicant = and(
  equalsPlaceholder(cardApplications.walletAddress, 'walletAddress'),
  eq(cardApplications.isOwnershipProven, true),
);

export function prepareNoticeStatements(client: Database.Database) {
  const db = drizzle({ client });
  return {
    provenApplicant: db
      .select({ referenceNumber: cardApplications.referenceNumber, email: cardApplications.email })
      .from(cardApplications)
      .where(isProvenApplicant)
      .orderBy(desc(cardApplications.createdAt))
      .limit(1)
      .prepare(),
    countNotices: db
      .select({ count: count() })
      .from(deliveries)
      .where(
        and(
          equalsPlaceholder(deliveries.referenceNumber, 'referenceNumber'),
          sql`(${deliveries.event} = ${placeholder('event')} or ${deliveries.event} like ${placeholder('event')} || ':%')`,
        ),
      )
      .prepare(),
  };
}

export function prepareCardStatements(client: Database.Database) {
  const db = drizzle({ client });
  const hasIssuer = equalsPlaceholder(cards.issuer, 'issuer');
  const select = () => db.select().from(cards);
  return {
    add: db
      .insert(cards)
      .values({
        id: placeholder('id'),
        walletAddress: placeholder('walletAddress'),
        state: 'pending',
        tier: placeholder('tier'),
        holderName: placeholder('holderName'),
        issuer: placeholder('issuer'),
        idempotencyKey: placeholder('idempotencyKey'),
        stakeEntries: placeholder('stakeEntries'),
        cardholder: placeholder('cardholder'),
        createdAt: placeholder('at'),
        changedAt: placeholder('at'),
      })
      .prepare(),
    byId: select().where(equalsPlaceholder(cards.id, 'id')).prepare(),
    live: select()
      .where(and(equalsPlaceholder(cards.walletAddress, 'walletAddress'), isLive))
      .prepare(),
    byIssuerCardId: select()
      .where(and(hasIssuer, equalsPlaceholder(cards.issuerCardId, 'issuerCardId')))
      .prepare(),
    pending: select()
      .where(and(hasIssuer, equalsLiteral(cards.state, 'pending')))
      .orderBy(asc(cards.createdAt), asc(cards.id))
      .prepare(),
    otherIssuers: select()
      .where(and(sql`${cards.issuer} <> ${placeholder('issuer')}`, isLive))
      .orderBy(asc(cards.createdAt), asc(cards.id))
      .prepare(),
    usable: select()
      .where(and(hasIssuer, sql`${cards.state} in ('active', 'frozen')`))
      .orderBy(asc(cards.createdAt), asc(cards.id))
      .prepare(),
    lastClosed: select()
      .where(
        and(equalsPlaceholder(cards.walletAddress, 'walletAddress'), equalsLiteral(cards.state, 'closed')),
      )
      .orderBy(desc(cards.changedAt), desc(cards.createdAt))
      .limit(1)
      .prepare(),
    whitelistedAt: db
      .select({ at: whitelistedWallets.whitelistedAt })
      .from(whitelistedWallets)
      .where(equalsPlaceholder(whitelistedWallets.walletAddress, 'walletAddress'))
      .prepare(),
    countUsedPlaces: db
      .select({ count: count() })
      .from(cards)
      .where(
        and(
          hasIssuer,
          not(equalsLiteral(cards.state, 'failed')),
          sql`not (${cards.state} = 'closed' and coalesce(${cards.stakeGoneAt}, ${cards.closedByHolderAt}) is not null)`,
        ),
      )
      .prepare(),
    sharingStake: db
      .select({ id: cards.id })
      .from(cards)
      .where(
        and(
          isLive,
          sql`${cards.id} <> ${placeholder('id')}`,
          sql`exists (select 1 from json_each(${cards.stakeEntries}) used, json_each(${placeholder('stakeEntries')}) given where used.value = given.value)`,
        ),
      )
      .limit(1)
      .prepare(),
    setStake: db
      .update(cards)
      .set({ stakeEntries: placeholderSql('stakeEntries') })
      .where(equalsPlaceholder(cards.id, 'id'))
      .prepare(),
    addDecision: db.insert(cardDecisions).values(rowPlaceholders(cardDecisions, 'sequence')).prepare(),
    decisions: db
      .select({
        at: cardDecisions.at,
        by: sql<string>`coalesce(${admins.username}, ${cardDecisions.adminId})`,
        decision: cardDecisions.decision,
        reason: cardDecisions.reason,
      })
      .from(cardDecisions)
      .leftJoin(admins, eq(admins.id, cardDecisions.adminId))
      .where(equalsPlaceholder(cardDecisions.cardId, 'id'))
      .orderBy(asc(cardDecisions.sequence))
      .prepare(),
    lastClosingStep: db
      .select({
        decision: cardDecisions.decision,
        adminId: cardDecisions.adminId,
        at: cardDecisions.at,
        by: admins.username,
        mayDecide: sql<number>`${admins.disabledAt} is null and ${admins.role} <> 'viewer'`,
      })
      .from(cardDecisions)
      .innerJoin(admins, eq(admins.id, cardDecisions.adminId))
      .where(
        and(
          equalsPlaceholder(cardDecisions.cardId, 'id'),
          inArray(cardDecisions.decision, ['closing-requested', 'closing-withdrawn', 'closed']),
        ),
      )
      .orderBy(desc(cardDecisions.sequence))
      .limit(1)
      .prepare(),
    activate: db
      .update(cards)
      .set({
        state: 'active',
        issuerCardId: placeholderSql('issuerCardId'),
        issuerCardholderId: placeholderSql('issuerCardholderId'),
        lastFour: placeholderSql('lastFour'),
        expiryMonth: placeholderSql('expiryMonth'),
        expiryYear: placeholderSql('expiryYear'),
        changedAt: placeholderSql('at'),
      })
      .where(and(equalsPlaceholder(cards.id, 'id'), equalsLiteral(cards.state, 'pending')))
      .prepare(),
    setState: db
      .update(cards)
      .set({
        state: placeholderSql('state'),
        changedAt: placeholderSql('changedAt'),
        stakeGoneAt: placeholderSql('stakeGoneAt'),
        frozenByTeamAt: placeholderSql('frozenByTeamAt'),
        closedByTeamAt: placeholderSql('closedByTeamAt'),
        closedByHolderAt: placeholderSql('closedByHolderAt'),
        // A closed or failed card no longer needs the cardholder's data.
        cardholder: sql`case when ${placeholder('state')} in ('closed', 'failed') then null else ${cards.cardholder} end`,
      })
      .where(equalsPlaceholder(cards.id, 'id'))
      .prepare(),
    setLimits: db
      .update(cards)
      .set({
        dailyLimitUsd: placeholderSql('dailyLimitUsd'),
        monthlyLimitUsd: placeholderSql('monthlyLimitUsd'),
        areLimitsSent: false,
      })
      .where(equalsPlaceholder(cards.id, 'id'))
      .prepare(),
    confirmLimits: db
      .update(cards)
      .set({ areLimitsSent: true })
      .where(
        and(
          equalsPlaceholder(cards.id, 'id'),
          equalsPlaceholder(cards.dailyLimitUsd, 'dailyLimitUsd'),
          equalsPlaceholder(cards.monthlyLimitUsd, 'monthlyLimitUsd'),
        ),
      )
      .prepare(),
    setSpendNotices: db
      .update(cards)
      .set({ spendNoticesFrom: placeholderSql('from') })
      .where(equalsPlaceholder(cards.id, 'id'))
      .prepare(),
    provenApplication: db
      .select({
        referenceNumber: cardApplications.referenceNumber,
        hasChat: sql<number>`exists (select 1 from ${subscriptions} where subject = ${cardApplications.referenceNumber} and about = 'record' and endedAt is null and target is not null)`,
      })
      .from(cardApplications)
      .where(isProvenApplicant)
      .orderBy(desc(cardApplications.createdAt))
      .limit(1)
      .prepare(),
    addSpend: db.insert(cardSpends).values(rowPlaceholders(cardSpends)).onConflictDoNothing().prepare(),
    spend: db
      .select({
        id: cardSpends.id,
        cardId: cardSpends.cardId,
        at: cardSpends.at,
        merchant: cardSpends.merchant,
        amount: cardSpends.amount,
        isDeclined: cardSpends.isDeclined,
      })
      .from(cardSpends)
      .where(equalsPlaceholder(cardSpends.id, 'id'))
      .prepare(),
    addMessage: db
      .insert(issuerMessages)
      .values(rowPlaceholders(issuerMessages))
      .onConflictDoNothing()
      .prepare(),
    deleteMessages: db
      .delete(issuerMessages)
      .where(
        and(
          lt(issuerMessages.receivedAt, placeholder('before')),
          // The rows are in order of arrival, so only the first ones need to be checked.
          sql`rowid in (select rowid from ${issuerMessages} order by rowid limit ${MAX_MESSAGES_DELETED})`,
        ),
      )
      .prepare(),
  };
}
