import type { RequestHandler } from 'express';
import { inboundMail } from '../../data/contract/inbound-mail.ts';
import { WEBHOOK_SIGNATURE_HEADER } from '../../data/contract/webhook-event.ts';
import { MAX_MAIL_BYTES } from '../../data/model/conversation.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { isValidSignature, signatureUnixSeconds } from '../delivery/webhooks/signature.ts';
import { ApiError } from '../errors.ts';
import { rawBody } from '../json-body.ts';
import type { PortalContext } from '../portal-context.ts';
import { clientNetwork } from '../security/rate-limit.ts';
import { takeMail } from './take-mail.ts';

/**
 * How many emails may be read at the same time: in total, and from one network. Without a limit, strangers could use up
 * the memory: a signature can be checked only once the whole email has been read, up to 15 MiB.
 */
const MAX_OPEN = { all: 8, ofNetwork: 2 } as const;
const DAY_SECONDS = 86_400;

/**
 * `POST /api/inbound-mail`: receives an email from a mail server. An email that arrives again changes nothing, so retries and
 * replays are harmless. Replays with an expired signature are rejected. If the store fails, the status of the response makes
 * the mail server retry.
 */
export function forwardedMailRoute(
  portal: Pick<
    PortalContext,
    'store' | 'rateLimits' | 'limits' | 'now' | 'log' | 'masterKey' | 'isDiskSpaceLow' | 'inboundMail'
  >,
): ApiRoute {
  const { limits, now, log } = portal;
  const { secret, ownAddresses, onMail } = portal.inboundMail;
  const readBody = rawBody(MAX_MAIL_BYTES, 'mail-too-large');
  /** The network of each email that is being read. */
  const openNetworks: string[] = [];

  /** Checks what can be checked before an email is read: the rate limit, the time in the signature, and `MAX_OPEN`. */
  const bodyParser: RequestHandler = async (request, response, next) => {
    await limits.count('inbound-mails', request, response);
    if (secret === null) throw new ApiError('no-inbound-mails');
    const at = signatureUnixSeconds(request.get(WEBHOOK_SIGNATURE_HEADER), now());
    if (at === null) throw new ApiError('mail-not-signed');
    const network = clientNetwork(request);
    const ofNetwork = openNetworks.filter((one) => one === network).length;
    if (openNetworks.length >= MAX_OPEN.all || ofNetwork >= MAX_OPEN.ofNetwork)
      throw new ApiError('mails-busy');
    // A response that is already closed never emits `close`, so its email would count as open forever.
    if (response.destroyed || response.closed) return;
    openNetworks.push(network);
    response.once('close', () => void openNetworks.splice(openNetworks.indexOf(network), 1));
    readBody(request, response, next);
  };

  return callRoute(inboundMail, { bodyParser }, async (request, response) => {
    const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    if (secret === null || !isValidSignature(request.get(WEBHOOK_SIGNATURE_HEADER), raw, secret, now())) {
      throw new ApiError('mail-not-signed');
    }
    const outcome = await takeMail(raw, { ...portal, ownAddresses });
    onMail(outcome);
    log.info({ outcome }, 'forwarded mail read');
    if (outcome === 'unreadable') throw new ApiError('mail-unreadable');
    if (outcome === 'limited') throw new ApiError('mails-of-sender', { seconds: DAY_SECONDS });
    response.json({ outcome });
  });
}
