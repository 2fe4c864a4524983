import type Database from 'better-sqlite3';
import { rowId } from '../row-id.ts';
import {
  confirmationMail,
  type NoticeRow,
  noticeDelivery,
  subscribedMailbox,
  toNotice,
} from '../rules/subscriptions.ts';
import type { NewNotice, Subscription, SubscriptionStore } from '../subscription-port.ts';
import type { QueueDelivery } from './delivery-store.ts';
import type { GroupCommit } from './group-commit.ts';
import { statementCache, type Value } from './list-statements.ts';
import { APP_FILE, runInStore } from './store-files.ts';

const COLUMNS =
  's.id, s.about, s.subject, s.channel, s.target, s.requestedAt, s.confirmedAt, s.fromSlot, s.idleSince';

export function openSubscriptions(
  client: Database.Database,
  { queueDelivery, group }: { readonly queueDelivery: QueueDelivery; readonly group: GroupCommit },
): SubscriptionStore {
  const statements = statementCache(client);
  const run = (sql: string, ...values: Value[]) => statements(sql).run(...values).changes;
  const select = (condition: string, ...values: Value[]) =>
    statements(`select ${COLUMNS} from subscriptions s where s.endedAt is null and ${condition}`).all(
      ...values,
    ) as Subscription[];
  const read = (...query: Parameters<typeof select>) => runInStore(client, APP_FILE, () => select(...query));
  const find = (id: string): Subscription | null => select('s.id = ?', id)[0] ?? null;

  function add(subscription: Omit<Subscription, 'idleSince'>): void {
    const { id, about, subject, channel, target, requestedAt, confirmedAt, fromSlot } = subscription;
    run(
      'insert into subscriptions (id, about, subject, channel, target, mailbox, requestedAt, confirmedAt, fromSlot) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[
        id,
        about,
        subject,
        channel,
        target,
        subscribedMailbox(subscription),
        requestedAt,
        confirmedAt,
        fromSlot,
      ],
    );
  }

  /** Ends subscriptions, and cancels the messages queued for them. @returns the number of subscriptions ended */
  function end(subscriptions: readonly Subscription[], at: number): number {
    for (const { id } of subscriptions) {
      run('update subscriptions set endedAt = ? where id = ?', at, id);
      run(
        "update deliveries set state = 'settled', leasedUntil = null, fence = fence + 1, finishedAt = ? where referenceNumber = ? and state in ('waiting', 'leased')",
        ...[at, id],
      );
      // The deliveries of a subscription have its id as their reference number.
      run('update deliveries set recipient = null where referenceNumber = ?', id);
    }
    return subscriptions.length;
  }

  /** Cancels a chat's messages about records. `end` misses them, because they name the record and not the subscription. */
  const cancelRecordMessages = (chatId: string, at: number) =>
    run(
      `update deliveries set state = 'settled', recipient = null, leasedUntil = null, fence = fence + 1,
         finishedAt = coalesce(finishedAt, ?)
       where state in ('waiting', 'leased', 'dead', 'settled') and channel = 'telegram' and audience = 'applicant' and recipient = ?`,
      ...[at, chatId],
    );

  function queueNotice({ subscription: { id }, occasion, cause }: NewNotice, at: number): boolean {
    const subscription = find(id);
    if (!subscription || subscription.confirmedAt === null) return false;
    const notice = { id: rowId(at), subscription, occasion, cause };
    const addedCount = run(
      'insert or ignore into subscription_notices (id, subscriptionId, occasion, cause) values (?, ?, ?, ?)',
      ...[notice.id, id, occasion, cause],
    );
    if (addedCount > 0) queueDelivery(noticeDelivery(notice), at);
    return addedCount > 0;
  }

  return {
    request: (request, { perChannel, perAddress, since }) =>
      group.run(() => {
        const { subject, channel, target, requestedAt } = request;
        const ofSameChannel = select(
          "s.about = 'stakes' and s.subject = ? and s.channel = ?",
          subject,
          channel,
        );
        const sameTarget = ofSameChannel.filter((other) => other.target === target);
        if (sameTarget.some(({ confirmedAt }) => confirmedAt !== null)) return 'known';
        if (ofSameChannel.length - sameTarget.length >= perChannel) return 'full';
        const mailbox = subscribedMailbox(request);
        if (mailbox !== null) {
          const requestCount = statements(
            'select count(*) from subscriptions where mailbox = ? and requestedAt > ?',
          )
            .pluck()
            .get(mailbox, since);
          if (Number(requestCount) >= perAddress) return 'too-many';
        }
        end(sameTarget, requestedAt);
        add({ ...request, about: 'stakes', confirmedAt: channel === 'push' ? requestedAt : null });
        if (channel === 'mail' && target !== null)
          queueDelivery(confirmationMail(request.id, target), requestedAt);
        return 'stored';
      }),
    confirm: ({ id, target, requestedSince }, { at, fromSlot }) =>
      group.run(() => {
        const request = find(id);
        if (!request) return null;
        const confirmedTarget = target ?? request.target;
        if (request.confirmedAt !== null) return request.target === confirmedTarget ? request : null;
        if (request.requestedAt < requestedSince) return null;
        const [existing] = select(
          "s.about = 'stakes' and s.subject = ? and s.channel = ? and s.target = ? and s.confirmedAt is not null",
          ...[request.subject, request.channel, confirmedTarget],
        );
        if (existing) {
          end([request], at);
          return existing;
        }
        run(
          'update subscriptions set target = ?, confirmedAt = ?, fromSlot = ? where id = ?',
          ...[confirmedTarget, at, fromSlot, id],
        );
        return find(id);
      }),
    linkRecord: ({ id, referenceNumber, issuedAt }, chatId, at) =>
      group.run(() => {
        const [linked] = select("s.about = 'record' and s.subject = ?", referenceNumber);
        if (linked) return linked.target === chatId;
        const newestLinkAt = statements(
          "select max(requestedAt) from subscriptions where about = 'record' and subject = ?",
        )
          .pluck()
          .get(referenceNumber) as number | null;
        if (newestLinkAt !== null && newestLinkAt >= issuedAt) return false;
        const link = { id, subject: referenceNumber, target: chatId, requestedAt: issuedAt, confirmedAt: at };
        add({ ...link, about: 'record', channel: 'telegram', fromSlot: null });
        return true;
      }),
    find: (id) => runInStore(client, APP_FILE, () => find(id)),
    ofWallet: (wallet) => read("s.about = 'stakes' and s.subject = ? order by s.requestedAt, s.id", wallet),
    ofChat: (chatId) => read("s.channel = 'telegram' and s.target = ?", chatId),
    confirmedForStakes: () => read("s.about = 'stakes' and s.confirmedAt is not null order by s.id"),
    end: (id, wallet, at) =>
      group.run(() => end(select('s.id = ? and (s.subject = ? or ? is null)', id, wallet, wallet), at) > 0),
    endChat: (chatId, at) =>
      group.run(() => {
        cancelRecordMessages(chatId, at);
        return end(select("s.channel = 'telegram' and s.target = ?", chatId), at);
      }),
    queue: (notices, at) => group.run(() => notices.filter((notice) => queueNotice(notice, at)).length),
    notice: (id) =>
      runInStore(client, APP_FILE, () => {
        const row = statements(
          `select ${COLUMNS}, n.id as noticeId, n.occasion, n.cause from subscription_notices n
           join subscriptions s on s.id = n.subscriptionId where n.id = ? and s.endedAt is null`,
        ).get(id);
        return row === undefined ? null : toNotice(row as NoticeRow);
      }),
    saveProgress: (subscriptions) =>
      group.run(() => {
        for (const { id, fromSlot, idleSince } of subscriptions) {
          run('update subscriptions set fromSlot = ?, idleSince = ? where id = ?', fromSlot, idleSince, id);
        }
      }),
    sweep: ({ endedBefore, idleBefore }) =>
      group.run(() => {
        // Their end is set to `endedBefore`, so that the statements below delete them.
        end(select('s.idleSince <= ?', idleBefore), endedBefore);
        const isOver = '(endedAt <= ? or (confirmedAt is null and requestedAt <= ?))';
        run(
          `delete from subscription_notices where subscriptionId in (select id from subscriptions where ${isOver})`,
          ...[endedBefore, endedBefore],
        );
        return run(`delete from subscriptions where ${isOver}`, endedBefore, endedBefore);
      }),
  };
}
