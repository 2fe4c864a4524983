import { requestVerification } from '../../data/contract/applications.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { detectionText } from '../../data/model/detection-text.ts';
import { telegramName } from '../../data/model/form-text.ts';
import { rowId } from '../../data/store/row-id.ts';
import type { ApiRoute } from '../known-calls.ts';
import { limited } from '../security/rate-limit.ts';
import type { StakeCheck } from '../verification/check-stake.ts';
import { readForm } from './read-form.ts';
import {
  answerOf,
  checkWallet,
  hasProved,
  type SubmissionDependencies,
  stakeIfReadable,
  submissionTerms,
} from './take-submission.ts';

function detectionOf({ staked, held, decimals, detectionMethod }: StakeCheck): string {
  return detectionText({
    staked: toDecimalText(staked, decimals),
    held: held === null ? null : toDecimalText(held, decimals),
    method: detectionMethod,
  });
}

/** `POST /api/whitelist/request-verification`, which the modal and the short form share. */
export function verificationRequestRoute(dependencies: SubmissionDependencies): ApiRoute {
  const { store, checkStake, readProvenWallet, now, limit } = dependencies;
  return {
    method: requestVerification.method,
    path: requestVerification.path,
    handle: limited(limit, async (request, response) => {
      const body = readForm(requestVerification.body, request.body);
      const { walletAddress } = body;
      checkWallet(walletAddress);
      const terms = submissionTerms(request, body, { success: true }, now());
      const isOwnershipProven = await hasProved(readProvenWallet, request, walletAddress);
      const stake = await stakeIfReadable(checkStake, walletAddress);
      const createdAt = now();
      const outcome = await store.submitVerificationRequest(
        {
          id: rowId(createdAt),
          walletAddress,
          email: body.userEmail,
          telegram: telegramName(body.userTelegram ?? '') || null,
          claimedAmount: body.claimedStakedAmount,
          reason: body.requestReason,
          evidence: body.evidenceProvided || null,
          statedDetection: body.currentDetection,
          checkedDetection: stake && detectionOf(stake),
          requestedAt: Date.parse(body.requestedAt),
          isOwnershipProven,
          createdAt,
        },
        terms,
      );
      response.json(answerOf(outcome));
    }),
  };
}
