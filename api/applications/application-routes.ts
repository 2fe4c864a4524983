import {
  formApplication,
  overlayApplication,
  submitApplication,
  submitApplicationV2,
  testPageApplication,
} from '../../data/contract/submissions.ts';
import { CARD_APPLICATION_FIELDS } from '../../data/model/forms/card-forms.ts';
import { toStoredFields } from '../../data/model/forms/field.ts';
import { rowId } from '../../data/store/row-id.ts';
import type { NewSubmissions } from '../../data/store/submission-port.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import {
  checkOptionalAddress,
  readForm,
  readWallet,
  submissionOptions,
  submissionResponse,
  type WalletSubmissionContext,
} from './submission-helpers.ts';

/** What an applicant entered. The fields have the same names for every form. */
type StatedApplication = Omit<
  NewSubmissions['card-application'],
  'id' | 'checked' | 'isOwnershipProven' | 'createdAt'
>;

interface ParsedApplication {
  readonly body: unknown;
  readonly statedApplication: StatedApplication;
}

/** @param fields the form's values, by the names of the stored fields */
function toStatedApplication(
  formVariant: StatedApplication['shape'],
  fields: Parameters<typeof toStoredFields<typeof CARD_APPLICATION_FIELDS>>[1],
  amount: number | string | null | undefined,
  tier: string | null | undefined,
): StatedApplication {
  return {
    shape: formVariant,
    ...toStoredFields(CARD_APPLICATION_FIELDS, fields),
    statedAmount: amount === null || amount === undefined || amount === '' ? null : String(amount),
    statedTier: tier || null,
  };
}

/** The call accepts two kinds of body: from the overlay, and from the test page. Only a body from the test page has `name`. */
function parseApplication(sentBody: unknown): ParsedApplication {
  if (typeof sentBody === 'object' && sentBody !== null && Object.hasOwn(sentBody, 'name')) {
    const body = readForm(testPageApplication, sentBody);
    const { wallet, notes, bd_amount, tier, ...otherFields } = body;
    const fields = { ...otherFields, walletAddress: wallet, applicantNotes: notes };
    return { body, statedApplication: toStatedApplication('test-page', fields, bd_amount, tier) };
  }
  const body = readForm(overlayApplication, sentBody);
  const { fullName, cardAlias, notes, bdAmount, tier, ...otherFields } = body;
  const fields = { ...otherFields, name: fullName, alias: cardAlias, applicantNotes: notes };
  return { body, statedApplication: toStatedApplication('overlay', fields, bdAmount, tier) };
}

function parseApplicationV2(sentBody: unknown): ParsedApplication {
  const body = readForm(formApplication, sentBody);
  const { wallet, bd_amount, tier, ...otherFields } = body;
  return {
    body,
    statedApplication: toStatedApplication('v2', { ...otherFields, walletAddress: wallet }, bd_amount, tier),
  };
}

/**
 * `POST /api/card/submit-application` and `-v2`. The stake in the form is a claim, so the portal also reads the actual
 * stake.
 */
export function applicationRoutes(context: WalletSubmissionContext): readonly ApiRoute[] {
  const route = (
    call: typeof submitApplication | typeof submitApplicationV2,
    parse: (sentBody: unknown) => ParsedApplication,
    answer: Readonly<Record<string, unknown>>,
  ) =>
    callRoute(call, { limit: 'submissions' }, async (request, response) => {
      const { body, statedApplication } = parse(request.body);
      const { walletAddress = null } = statedApplication;
      checkOptionalAddress(walletAddress);
      const options = submissionOptions(request, body, answer, context);
      const { stake, isOwnershipProven } = await readWallet(request, walletAddress, context);
      const createdAt = context.now();
      const application = {
        ...statedApplication,
        id: rowId(createdAt),
        checked: stake && { amount: stake.staked, tier: stake.tier, at: Date.parse(stake.asOf) },
        isOwnershipProven,
        createdAt,
      };
      const outcome = await context.store.submissions.submit('card-application', application, options);
      response.json(submissionResponse(outcome, createdAt));
    });
  return [
    route(submitApplication, parseApplication, { success: true }),
    route(submitApplicationV2, parseApplicationV2, {
      success: true,
      deliveryMethods: ['email', 'telegram'],
    }),
  ];
}
