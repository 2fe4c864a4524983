import * as PATHS from '../../data/contract/paths.ts';
import type { VerificationFailure, VerificationStep } from '../../data/contract/verification.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { SERVICE_TIMES } from '../../data/model/portal-terms.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { ApiRoute } from '../call-router.ts';
import { clientError } from '../error-handler.ts';
import { ApiError } from '../errors.ts';
import { eventText, STREAM_HEADERS } from '../live/stream-hub.ts';
import { readQuery } from '../request-input.ts';
import { checkAddress } from '../wallet-address.ts';
import { type CardTierContext, checkStake } from './check-stake.ts';
import { verificationResponse } from './verify-route.ts';

const TIME_LIMIT_MS = SERVICE_TIMES.verificationSeconds * 1_000;

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new ApiError('chain-unreadable')), { once: true });
  });
}

/**
 * `GET /api/verify-bd-tokens/steps`: the verification as an event stream. If an error occurs before the chain is read,
 * the response is the same as from `GET /api/verify-bd-tokens`. If the client disconnects, the reads are aborted.
 */
export function verifyStepsRoute(context: CardTierContext & { readonly log: Logger }): ApiRoute {
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
      // If the client has already disconnected, `close` is not emitted again.
      if (response.destroyed) return;
      const controller = new AbortController();
      const { signal } = controller;
      const abort = () => controller.abort();
      const timer = setTimeout(abort, TIME_LIMIT_MS);
      response.once('close', abort);
      const send = (event: 'step' | 'result' | 'failure', body: unknown) => {
        if (!response.destroyed) response.write(eventText(event, JSON.stringify(body)));
      };
      const onStep = (step: VerificationStep) => {
        if (!response.headersSent) response.writeHead(200, STREAM_HEADERS);
        send('step', { step });
      };
      try {
        const checking = checkStake(walletAddress, context.figureInputs(), context, { onStep, signal });
        const check = await Promise.race([checking, rejectOnAbort(signal)]);
        send('result', await verificationResponse(walletAddress, check, context));
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
