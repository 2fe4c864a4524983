import type { RequestHandler } from 'express';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import {
  VERIFICATION_STEPS_PATH,
  type VerificationFailure,
  type VerificationStep,
} from '../../data/contract/verification-steps.ts';
import { SERVICE_TIMES } from '../../data/model/service-times.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { toldError } from '../error-handler.ts';
import { ChainUnreadableError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { eventText } from '../live/live-events.ts';
import { STREAM_HEADERS } from '../live/stream-hub.ts';
import type { Facts } from '../metrics/facts.ts';
import { readQuery } from '../query.ts';
import { limited } from '../security/rate-limit.ts';
import { checkAddress } from '../wallet-address.ts';
import { type VerificationOptions, verifyWallet } from './verify-route.ts';

export interface VerificationStepsOptions extends VerificationOptions {
  readonly facts: () => Facts;
  /** Counts together with the plain call: both ask the chain. */
  readonly limit: RequestHandler;
  readonly log: Logger;
  /** Milliseconds after which a stream ends whatever the chain does; as long as a verification may take where absent. */
  readonly withinMs?: number | undefined;
}

const WITHIN_MS = SERVICE_TIMES.verificationSeconds * 1_000;

/** Rejects once the signal says so. */
function leaving(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new ChainUnreadableError()), { once: true });
  });
}

/**
 * `GET /api/verify-bd-tokens/steps`: the verification as events, each when it has happened. What is refused before
 * anything was asked of the chain is refused as by the plain call; a client that leaves ends its readings.
 */
export function verifyStepsRoute(options: VerificationStepsOptions): ApiRoute {
  const { facts, limit, log, withinMs = WITHIN_MS } = options;
  return {
    method: 'GET',
    path: VERIFICATION_STEPS_PATH,
    handle: limited(limit, async (request, response) => {
      const { walletAddress } = readQuery(verifyBdTokens.query, request.query);
      checkAddress(walletAddress);
      if (request.method === 'HEAD') {
        response.writeHead(200, STREAM_HEADERS).end();
        return;
      }
      // A client that left while its request was being checked would never report its leaving again.
      if (response.destroyed) return;
      const ending = new AbortController();
      const end = () => ending.abort();
      const timer = setTimeout(end, withinMs);
      response.once('close', end);
      const send = (event: 'step' | 'result' | 'failure', body: unknown) => {
        if (!response.destroyed) response.write(eventText(event, JSON.stringify(body)));
      };
      const onStep = (step: VerificationStep) => {
        if (!response.headersSent) response.writeHead(200, STREAM_HEADERS);
        send('step', { step });
      };
      try {
        const verified = verifyWallet(walletAddress, facts(), options, { onStep, signal: ending.signal });
        send('result', await Promise.race([verified, leaving(ending.signal)]));
      } catch (thrown) {
        if (!response.headersSent) throw thrown;
        const { status, message, code } = toldError(thrown, request, log);
        const failure: VerificationFailure = { status, error: message, code };
        send('failure', failure);
      } finally {
        clearTimeout(timer);
      }
      response.end();
    }),
  };
}
