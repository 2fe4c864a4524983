import { requestVerification } from '../../data/contract/submissions.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { detectionText } from '../../data/model/detection-text.ts';
import { storedFields } from '../../data/model/forms/field.ts';
import { VERIFICATION_REQUEST_FIELDS } from '../../data/model/forms/verification-forms.ts';
import { rowId } from '../../data/store/row-id.ts';
import { type ApiRoute, callRoute } from '../known-calls.ts';
import type { StakeCheckResult } from '../verification/check-stake.ts';
import {
  checkWallet,
  readForm,
  readWallet,
  submissionOptions,
  submissionResponse,
  type WalletSubmissionContext,
} from './take-submission.ts';

function describeDetection({ staked, held, decimals, detectionMethod }: StakeCheckResult): string {
  return detectionText({
    staked: toDecimalText(staked, decimals),
    held: held === null ? null : toDecimalText(held, decimals),
    method: detectionMethod,
  });
}

/** `POST /api/whitelist/request-verification`, called by the modal and the inline form. */
export function verificationRequestRoute(context: WalletSubmissionContext): ApiRoute {
  return callRoute(requestVerification, { limit: 'submissions' }, async (request, response) => {
    const body = readForm(requestVerification.body, request.body);
    const { requestedAt, website, ...sent } = body;
    const { walletAddress, ...fields } = storedFields(VERIFICATION_REQUEST_FIELDS, {
      ...sent,
      email: sent.userEmail,
      telegram: sent.userTelegram,
      claimedAmount: sent.claimedStakedAmount,
      reason: sent.requestReason,
      evidence: sent.evidenceProvided,
      statedDetection: sent.currentDetection,
    });
    checkWallet(walletAddress);
    const options = submissionOptions(request, body, { success: true }, context);
    const { stake, isOwnershipProven } = await readWallet(request, walletAddress, context);
    const createdAt = context.now();
    const outcome = await context.store.submissions.submit(
      'verification-request',
      {
        ...fields,
        id: rowId(createdAt),
        walletAddress,
        checkedDetection: stake && describeDetection(stake),
        requestedAt: Date.parse(requestedAt),
        isOwnershipProven,
        createdAt,
      },
      options,
    );
    response.json(submissionResponse(outcome, createdAt));
  });
}
