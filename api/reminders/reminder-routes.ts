import type { Request, Response } from 'express';
import type { ResponseOf } from '../../data/contract/call.ts';
import {
  addReminder,
  confirmReminder,
  createTelegramAnswerLink,
  reminders,
  removeReminder,
  stopReminder,
} from '../../data/contract/reminders.ts';
import { mailboxOf } from '../../data/model/mail-address.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import type { Subscription } from '../../data/store/subscription-port.ts';
import { proofReader } from '../applications/status-proof.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { deriveVapidKeys } from '../delivery/push/vapid-keys.ts';
import { maskAddress } from '../delivery/recipients.ts';
import { mayBeEndpoint, mayReachLoopback } from '../delivery/webhooks/webhook-url.ts';
import { ApiError } from '../errors.ts';
import type { PortalContext } from '../portal-context.ts';
import { readBody, readQuery } from '../request-input.ts';
import { newSubscriptionId } from './chat-links.ts';
import { reminderTokens } from './reminder-tokens.ts';

const DAY_MS = 86_400_000;
const LINK_LIFE_MS = PORTAL_LIMITS.reminderLinkHours * 3_600_000;
/** How long (ms) the sender of a new support message can get a link to the bot without proving a mailbox or wallet. */
const UNPROVEN_LINK_MS = PORTAL_LIMITS.chatLinkMinutes * 60_000;

/**
 * A subscription's target in a form that its owner recognizes: the masked email address, or the host of the browser's push
 * service. Null for a chat.
 */
function targetLabel({ channel, target }: Subscription): string | null {
  if (target === null || channel === 'telegram') return null;
  return channel === 'mail' ? maskAddress(target) : new URL(JSON.parse(target).endpoint).host;
}

export function reminderRoutes(context: PortalContext): readonly ApiRoute[] {
  const { store, limits, readProvenWallet, now, masterKey, telegram, chain, publicOrigin } = context;
  const { subscriptions, records } = store;
  const tokens = reminderTokens(masterKey);
  const readProofKind = proofReader({ masterKey, readProvenWallet });
  const { publicKey: pushKey } = deriveVapidKeys(masterKey);
  const allowsLoopback = mayReachLoopback(chain, publicOrigin);
  const slot = () => context.figureInputs().stakes?.slot ?? null;

  const reminderList = async (walletAddress: string): Promise<ResponseOf<typeof reminders>> => ({
    walletAddress,
    reminders: (await subscriptions.ofWallet(walletAddress)).map((subscription) => ({
      id: subscription.id,
      channel: subscription.channel,
      target: targetLabel(subscription),
      state: subscription.confirmedAt === null ? 'unconfirmed' : 'on',
      requestedAt: new Date(subscription.requestedAt).toISOString(),
    })),
    hasBot: telegram.chatUrlFor !== null,
    pushKey,
  });

  /** @throws {ApiError} `wallet-not-proven` */
  const ownerOf = async (request: Request): Promise<string> => {
    const owner = await readProvenWallet(request);
    if (!owner) throw new ApiError('wallet-not-proven');
    return owner.walletAddress;
  };
  const ownerWithinLimit = async (request: Request, response: Response): Promise<string> => {
    const owner = await ownerOf(request);
    await limits.count('reminder-changes-of-wallet', request, response, owner);
    return owner;
  };

  return [
    callRoute(reminders, { limit: 'card-reads' }, async (request, response) => {
      response.json(await reminderList(await ownerOf(request)));
    }),
    callRoute(addReminder, { limit: 'reminder-changes' }, async (request, response) => {
      const owner = await ownerWithinLimit(request, response);
      const body = readBody(addReminder.body, request.body);
      if (body.channel === 'push' && !mayBeEndpoint(body.endpoint, allowsLoopback)) {
        throw new ApiError('push-endpoint');
      }
      const id = newSubscriptionId();
      const chatUrl =
        body.channel === 'telegram'
          ? await telegram.chatUrlFor?.(tokens.chatToken({ kind: 'reminder', id }))
          : null;
      if (chatUrl === undefined) throw new ApiError('no-bot');
      const { channel } = body;
      const target =
        body.channel === 'mail'
          ? body.email
          : body.channel === 'push'
            ? JSON.stringify({ endpoint: body.endpoint, keys: body.keys })
            : null;
      const at = now();
      const outcome = await subscriptions.request(
        { id, subject: owner, channel, target, requestedAt: at, fromSlot: slot() },
        {
          perChannel: PORTAL_LIMITS.remindersPerChannel,
          perAddress: PORTAL_LIMITS.reminderMailsPerDay,
          since: at - DAY_MS,
        },
      );
      if (outcome === 'full' || outcome === 'too-many') throw new ApiError('too-many-reminders');
      response.json({ ...(await reminderList(owner)), chatUrl });
    }),
    callRoute(removeReminder, { limit: 'reminder-changes' }, async (request, response) => {
      const owner = await ownerWithinLimit(request, response);
      const { id } = readBody(removeReminder.body, request.body);
      await subscriptions.end(id, owner, now());
      response.json(await reminderList(owner));
    }),
    callRoute(confirmReminder, { limit: 'reminder-links' }, async (request, response) => {
      const id = tokens.readConfirmation(readBody(confirmReminder.body, request.body).token);
      const at = now();
      const pending = { id: id ?? '', target: null, requestedSince: at - LINK_LIFE_MS };
      const confirmed = id === null ? null : await subscriptions.confirm(pending, { at, fromSlot: slot() });
      if (confirmed === null) throw new ApiError('reminder-link-ended');
      response.json({ success: true });
    }),
    callRoute(stopReminder, { limit: 'reminder-links' }, async (request, response) => {
      const id = tokens.readStop(readQuery(stopReminder.query, request.query).subscription);
      if (id === null) throw new ApiError('reminder-link-ended');
      await subscriptions.end(id, null, now());
      response.json({ success: true });
    }),
    callRoute(createTelegramAnswerLink, { limit: 'status-checks' }, async (request, response) => {
      const body = readBody(createTelegramAnswerLink.body, request.body);
      const { referenceNumber, email } = body;
      await limits.count('status-checks-of-email', request, response, mailboxOf(email));
      const record = await records.record(referenceNumber);
      // An unknown reference number and a wrong address get the same response, so that nobody can find out which numbers exist.
      if (record?.record.email.toLowerCase() !== email.toLowerCase())
        throw new ApiError('unknown-submission');
      const issuedAt = now();
      // Anyone with this link can write to the team as the applicant, even after the record is merged with another. So the
      // link requires a proven mailbox or wallet. A new support message is exempt, because so far only its sender
      // knows its reference number. A merged support message never gets a link.
      const isSupport = record.kind === 'contact-message';
      const hasMerge = record.mergedInto !== null || record.merged.length > 0;
      const isAllowed =
        !(isSupport && hasMerge) &&
        ((isSupport && issuedAt - record.record.createdAt <= UNPROVEN_LINK_MS) ||
          (await readProofKind(request, body, record)) !== null);
      const chatUrl = isAllowed
        ? await telegram.chatUrlFor?.(tokens.chatToken({ kind: 'record', referenceNumber, issuedAt }))
        : null;
      response.json({ chatUrl: chatUrl ?? null });
    }),
  ];
}
