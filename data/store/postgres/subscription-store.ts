import { rowId } from '../row-id.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import {
  confirmationMail,
  type NoticeRow,
  noticeDelivery,
  subscribedMailbox,
  toNotice,
} from '../rules/subscriptions.ts';
import type { StoredNotice, Subscription, SubscriptionStore } from '../subscription-port.ts';
import type { Database, Transaction } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';

const COLUMNS =
  's.id, s.about, s.subject, s.channel, s.target, s."requestedAt", s."confirmedAt", s."fromSlot", s."idleSince"';

function prepareStatements({ statement }: Database) {
  const select = (condition: string) =>
    statement<Subscription>(
      `select ${COLUMNS} from $.subscriptions s where s."endedAt" is null and ${condition}`,
    );
  const isOver = '("endedAt" <= $1 or ("confirmedAt" is null and "requestedAt" <= $1))';
  return {
    find: select('s.id = $1'),
    ofWallet: select(`s.about = 'stakes' and s.subject = $1 order by s."requestedAt", s.id`),
    ofChat: select(`s.channel = 'telegram' and s.target = $1 order by s.id`),
    ofRecord: select(`s.about = 'record' and s.subject = $1`),
    confirmed: select(`s.about = 'stakes' and s."confirmedAt" is not null order by s.id`),
    owned: select('s.id = $1 and (s.subject = $2 or $2::text is null)'),
    idle: select('s."idleSince" <= $1 order by s.id'),
    add: statement(`
      insert into $.subscriptions
        (id, about, subject, channel, target, mailbox, "requestedAt", "confirmedAt", "fromSlot")
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`),
    confirm: statement(
      'update $.subscriptions set target = $2, "confirmedAt" = $3, "fromSlot" = $4 where id = $1',
    ),
    requests: statement<{ requests: number }>(
      'select count(*) as requests from $.subscriptions where mailbox = $1 and "requestedAt" > $2',
    ),
    newestLinkTime: statement<{ at: number | null }>(
      `select max("requestedAt") as at from $.subscriptions where about = 'record' and subject = $1`,
    ),
    end: statement('update $.subscriptions set "endedAt" = $2 where id = any($1)'),
    cancel: statement(`
      update $.deliveries set state = 'settled', "leasedUntil" = null, fence = fence + 1, "finishedAt" = $2
      where "referenceNumber" = any($1) and state in ('waiting', 'leased')`),
    deleteRecipients: statement('update $.deliveries set recipient = null where "referenceNumber" = any($1)'),
    cancelRecordMessages: statement(`
      with unsent as (
        select id, state from $.deliveries
        where state <> 'sent' and channel = 'telegram' and audience = 'applicant' and recipient = $1 for update
      ),
      cancelled as (
        update $.deliveries d set state = 'settled', recipient = null, "leasedUntil" = null, fence = fence + 1,
          "finishedAt" = coalesce("finishedAt", $2)
        from unsent where d.id = unsent.id returning unsent.state
      )
      insert into $.count_changes (kind, status, rows)
      select 'delivery', 'dead', -count(*) from cancelled where state = 'dead' having count(*) > 0`),
    addNotice: statement(`
      insert into $.subscription_notices (id, "subscriptionId", occasion, cause)
      select $1, id, $3, $4 from $.subscriptions
      where id = $2 and "endedAt" is null and "confirmedAt" is not null for share
      on conflict ("subscriptionId", occasion, cause) do nothing`),
    notice: statement<NoticeRow>(`
      select ${COLUMNS}, n.id as "noticeId", n.occasion, n.cause from $.subscription_notices n
      join $.subscriptions s on s.id = n."subscriptionId" where n.id = $1 and s."endedAt" is null`),
    setProgress: statement('update $.subscriptions set "fromSlot" = $2, "idleSince" = $3 where id = $1'),
    sweepNotices: statement(
      `delete from $.subscription_notices where "subscriptionId" in (select id from $.subscriptions where ${isOver})`,
    ),
    sweep: statement(`delete from $.subscriptions where ${isOver}`),
  };
}

export function openSubscriptions(
  db: Database,
  queueDeliveries: QueueDeliveries,
  { announce }: Pick<QueueSignal, 'announce'>,
): SubscriptionStore {
  const statements = prepareStatements(db);

  const add = (transaction: Transaction, subscription: Omit<Subscription, 'idleSince'>) => {
    const { id, about, subject, channel, target, requestedAt, confirmedAt, fromSlot } = subscription;
    const mailbox = subscribedMailbox(subscription);
    return transaction.run(
      statements.add,
      id,
      about,
      subject,
      channel,
      target,
      mailbox,
      requestedAt,
      confirmedAt,
      fromSlot,
    );
  };

  /** Ends subscriptions, and cancels the messages queued for them. @returns how many were ended */
  const end = async (
    transaction: Transaction,
    subscriptions: readonly Subscription[],
    at: number,
  ): Promise<number> => {
    if (subscriptions.length === 0) return 0;
    const ids = subscriptions.map(({ id }) => id);
    await transaction.run(statements.end, ids, at);
    await transaction.run(statements.cancel, ids, at);
    await transaction.run(statements.deleteRecipients, ids);
    return subscriptions.length;
  };

  // Locked, so that no notice is queued for a subscription that is being ended.
  const withLock = <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> =>
    db.transaction(['subscriptions'], work);

  return {
    async request(request, { perChannel, perAddress, since }) {
      const { id, subject, channel, target, requestedAt } = request;
      const outcome = await withLock(async (transaction) => {
        const ofSameChannel = (await transaction.all(statements.ofWallet, subject)).filter(
          (one) => one.channel === channel,
        );
        const sameTarget = ofSameChannel.filter((other) => other.target === target);
        if (sameTarget.some(({ confirmedAt }) => confirmedAt !== null)) return 'known';
        if (ofSameChannel.length - sameTarget.length >= perChannel) return 'full';
        const mailbox = subscribedMailbox(request);
        if (mailbox !== null) {
          const recent = await transaction.get(statements.requests, mailbox, since);
          if ((recent?.requests ?? 0) >= perAddress) return 'too-many';
        }
        await end(transaction, sameTarget, requestedAt);
        await add(transaction, {
          ...request,
          about: 'stakes',
          confirmedAt: channel === 'push' ? requestedAt : null,
        });
        if (channel === 'mail' && target !== null) {
          await queueDeliveries(transaction, [{ delivery: confirmationMail(id, target), at: requestedAt }]);
        }
        return 'stored';
      });
      if (outcome === 'stored' && channel === 'mail') announce();
      return outcome;
    },
    confirm: ({ id, target, requestedSince }, { at, fromSlot }) =>
      withLock(async (transaction) => {
        const request = await transaction.get(statements.find, id);
        if (!request) return null;
        const confirmedTarget = target ?? request.target;
        if (request.confirmedAt !== null) return request.target === confirmedTarget ? request : null;
        if (request.requestedAt < requestedSince) return null;
        const existing = (await transaction.all(statements.ofWallet, request.subject)).find(
          (one) =>
            one.channel === request.channel && one.target === confirmedTarget && one.confirmedAt !== null,
        );
        if (existing) {
          await end(transaction, [request], at);
          return existing;
        }
        await transaction.run(statements.confirm, id, confirmedTarget, at, fromSlot);
        return transaction.get(statements.find, id);
      }),
    linkRecord: ({ id, referenceNumber, issuedAt }, chatId, at) =>
      withLock(async (transaction) => {
        const linked = await transaction.get(statements.ofRecord, referenceNumber);
        if (linked) return linked.target === chatId;
        const newestLinkAt = (await transaction.get(statements.newestLinkTime, referenceNumber))?.at ?? null;
        if (newestLinkAt !== null && newestLinkAt >= issuedAt) return false;
        const link = { id, subject: referenceNumber, target: chatId, requestedAt: issuedAt, confirmedAt: at };
        await add(transaction, { ...link, about: 'record', channel: 'telegram', fromSlot: null });
        return true;
      }),
    find: (id) => db.get(statements.find, id),
    ofWallet: (wallet) => db.all(statements.ofWallet, wallet),
    ofChat: (chatId) => db.all(statements.ofChat, chatId),
    confirmedForStakes: () => db.all(statements.confirmed),
    end: (id, wallet, at) =>
      withLock(
        async (transaction) =>
          (await end(transaction, await transaction.all(statements.owned, id, wallet), at)) > 0,
      ),
    endChat: (chatId, at) =>
      withLock(async (transaction) => {
        // `end` does not find messages about records, because their reference is the record and not the subscription.
        await transaction.run(statements.cancelRecordMessages, chatId, at);
        return end(transaction, await transaction.all(statements.ofChat, chatId), at);
      }),
    async queue(notices, at) {
      const queuedCount = await withLock(async (transaction) => {
        const added: StoredNotice[] = [];
        for (const notice of notices) {
          const stored = { ...notice, id: rowId(at) };
          const { subscription, occasion, cause } = notice;
          const count = await transaction.run(
            statements.addNotice,
            stored.id,
            subscription.id,
            occasion,
            cause,
          );
          if (count > 0) added.push(stored);
        }
        await queueDeliveries(
          transaction,
          added.map((notice) => ({ delivery: noticeDelivery(notice), at })),
        );
        return added.length;
      });
      if (queuedCount > 0) announce();
      return queuedCount;
    },
    notice: async (id) => {
      const row = await db.get(statements.notice, id);
      return row === null ? null : toNotice(row);
    },
    saveProgress: (subscriptions) =>
      db.transaction([], async (transaction) => {
        for (const { id, fromSlot, idleSince } of subscriptions) {
          await transaction.run(statements.setProgress, id, fromSlot, idleSince);
        }
      }),
    sweep: ({ endedBefore, idleBefore }) =>
      withLock(async (transaction) => {
        await end(transaction, await transaction.all(statements.idle, idleBefore), endedBefore);
        await transaction.run(statements.sweepNotices, endedBefore);
        return transaction.run(statements.sweep, endedBefore);
      }),
  };
}
