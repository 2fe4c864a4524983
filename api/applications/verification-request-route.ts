import { requestVerification } from '../../data/contract/submissions.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { detectionText } from '../../data/model/detection-text.ts';
import { toStoredFields } from '../../data/model/forms/field.ts';
import { VERIFICATION_REQUEST_FIELDS } from '../../data/model/forms/verification-forms.ts';
import { rowId } from '../../data/store/row-id.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import type { StakeCheckResult } from '../verification/check-stake.ts';
import {
  checkOptionalAddress,
  readForm,
  readWallet,
  submissionOptions,
  submissionResponse,
  type WalletSubmissionContext,
} from './submission-helpers.ts';

function describeDetection({ staked, held, decimals, detectionMethod }: StakeCheckResult): string {
  return detectionText({
    staked: toDecimalText(staked, decimals),
    held: held === null ? null : toDecimalText(held, decimals),
    method: detectionMethod,
  });
}

export function verificationRequestRoute(context: WalletSubmissionContext): ApiRoute {
  return callRoute(requestVerification, { limit: 'submissions' }, async (request, response) => {
    const body = readForm(requestVerification.body, request.body);
    const { requestedAt, website, ...sentFields } = body;
    const { walletAddress, ...fields } = toStoredFields(VERIFICATION_REQUEST_FIELDS, {
      ...sentFields,
      email: sentFields.userEmail,
      telegram: sentFields.userTelegram,
      claimedAmount: sentFields.claimedStakedAmount,
      reason: sentFields.requestReason,
      evidence: sentFields.evidenceProvided,
      statedDetection: sentFields.currentDetection,
    });
    checkOptionalAddress(walletAddress);
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
