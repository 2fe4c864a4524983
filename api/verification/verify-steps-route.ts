import * as PATHS from '../../data/contract/paths.ts';
import type { VerificationFailure, VerificationStep } from '../../data/contract/verification.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { SERVICE_TIMES } from '../../data/model/portal-terms.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { clientError } from '../error-handler.ts';
import { ApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { eventText, STREAM_HEADERS } from '../live/stream-hub.ts';
import { readQuery } from '../request-input.ts';
import { checkAddress } from '../wallet-address.ts';
import { type VerificationContext, verifyWallet } from './verify-route.ts';

const WITHIN_MS = SERVICE_TIMES.verificationSeconds * 1_000;

/** Rejects when the signal aborts. */
function leaving(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new ApiError('chain-unreadable')), { once: true });
  });
}

/**
 * `GET /api/verify-bd-tokens/steps`: the verification as an event stream. A request that is refused before the chain is read
 * gets the same answer as the plain call. A client that disconnects aborts its reads.
 */
export function verifyStepsRoute(context: VerificationContext & { readonly log: Logger }): ApiRoute {
  return {
    method: 'GET',
    path: PATHS.verificationSteps,
    limit: 'verifications',
    handle: async (request, response) => {
      const { walletAddress } = readQuery(verifyBdTokens.query, request.query);
      checkAddress(walletAddress);
      if (request.method === 'HEAD') {
        response.writeHead(200, STREAM_HEADERS).end();
        return;
      }
      // A client that disconnected during the checks emits no further event.
      if (response.destroyed) return;
      const ending = new AbortController();
      const end = () => ending.abort();
      const timer = setTimeout(end, WITHIN_MS);
      response.once('close', end);
      const send = (event: 'step' | 'result' | 'failure', body: unknown) => {
        if (!response.destroyed) response.write(eventText(event, JSON.stringify(body)));
      };
      const onStep = (step: VerificationStep) => {
        if (!response.headersSent) response.writeHead(200, STREAM_HEADERS);
        send('step', { step });
      };
      try {
        const verified = verifyWallet(walletAddress, context.facts(), context, {
          onStep,
          signal: ending.signal,
        });
        send('result', await Promise.race([verified, leaving(ending.signal)]));
      } catch (thrown) {
        if (!response.headersSent) throw thrown;
        const { status, message, code } = clientError(thrown, request, context.log);
        const failure: VerificationFailure = { status, error: message, code };
        send('failure', failure);
      } finally {
        clearTimeout(timer);
      }
      response.end();
    },
  };
}
